import { eq, sql } from 'drizzle-orm/sql';
import { chain } from '../../../core/port/maybe-promise.ts';
import type { TenantStore } from '../../../core/port/tenants.ts';
import { insertEntity } from './entities.ts';
import { type Dialect, placeholders, type Runner, resultOf, statement } from './statements.ts';
import { insertUser } from './users.ts';

export function createTenantStore({ query, first, change, dialect }: Runner): TenantStore {
  const statements = createStatements(dialect);

  return {
    list: () => query(statements.all),
    firstId: () => chain(first(statements.oldest), (tenant) => tenant?.id),
    find: (id) => first(statements.byId, { id }),
    insert: (tenant, admin, entity, audit) =>
      change(function* ({ query, append }) {
        yield query(statements.insert, tenant);
        yield query(statements.insertUser, admin);
        if (entity) yield query(statements.insertEntity, entity);
        yield append(audit);
      }),
    update: (id, changes, audit) =>
      change(function* ({ query, first, append }) {
        const tenant = yield* resultOf(first(statements.byId, { id }));
        yield query(statements.update, { id, ...tenant, ...changes });
        yield append(audit);
      }),
  };
}

function createStatements(dialect: Dialect) {
  const { builder, tenantOrder } = dialect;
  const { tenants } = dialect.tables;
  const { id, name, weekStart, createdAtMs, retainReadingsDays, longestLifetimeDays } = tenants;
  const parameters = placeholders(
    'id',
    'name',
    'weekStart',
    'createdAtMs',
    'retainReadingsDays',
    'longestLifetimeDays',
  );
  const selectTenants = () =>
    builder
      .select({ id, name, weekStart, createdAtMs, retainReadingsDays, longestLifetimeDays })
      .from(tenants);
  const hasId = eq(id, parameters.id);

  return {
    insert: statement(() => builder.insert(tenants).values(parameters)),
    insertUser: insertUser(dialect),
    insertEntity: insertEntity(dialect),
    all: statement(() => selectTenants().orderBy(tenantOrder)),
    oldest: statement(() => {
      const selectIds = builder.select({ id }).from(tenants);
      return selectIds.orderBy(tenantOrder).limit(1);
    }),
    byId: statement(() => selectTenants().where(hasId)),
    update: statement(() =>
      builder
        .update(tenants)
        .set({
          name: sql`${parameters.name}`,
          weekStart: sql`${parameters.weekStart}`,
          retainReadingsDays: sql`${parameters.retainReadingsDays}`,
          longestLifetimeDays: sql`${parameters.longestLifetimeDays}`,
        })
        .where(hasId),
    ),
  };
}

import { chain } from '../../core/port/maybe-promise.ts';
import type { Tenant, TenantStore } from '../../core/port/tenants.ts';
import { insertRow, selectAll } from './rows.ts';
import { type Runner, resultOf } from './statements.ts';

const select = selectAll('tenants');
const byId = `${select} where id = $1`;

export function createTenantStore({ query, first, change, dialect }: Runner): TenantStore {
  const oldest = `select id from tenants order by ${dialect.tenantOrder} limit 1`;
  return {
    list: () => query(`${select} order by ${dialect.tenantOrder}`),
    firstId: () => chain(first<{ id: string }>(oldest), (row) => row?.id),
    find: (id) => first(byId, [id]),
    insert: (tenant, admin, entity, audit) =>
      change(function* (change) {
        yield insertRow(change, 'tenants', tenant);
        yield insertRow(change, 'users', admin);
        if (entity) yield insertRow(change, 'entities', entity);
        yield change.append(audit);
      }),
    update: (id, changes, audit) =>
      change(function* ({ query, first, append }) {
        const before = yield* resultOf(first<Tenant>(byId, [id]));
        const { name, weekStart, retainReadingsDays } = { ...before, ...changes };
        const update =
          'update tenants set name = $2, week_start = $3, retain_readings_days = $4 where id = $1';
        yield query(update, [id, name, weekStart, retainReadingsDays]);
        yield append(audit);
      }),
  };
}

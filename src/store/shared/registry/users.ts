import { and, eq, ne, sql } from 'drizzle-orm/sql';
import { commonRole, isActiveSuperUser, roleExceeds } from '../../../core/access/roles.ts';
import { commonEntities, isSameEntities } from '../../../core/domain/confinement.ts';
import { chain } from '../../../core/port/maybe-promise.ts';
import type { User, UserChange, UserStore } from '../../../core/port/users.ts';
import { entitiesEvent, type JournalEntry } from '../journal-lines.ts';
import { placeholders, statement } from './compiled-statements.ts';
import {
  type Change,
  type Dialect,
  type Runner,
  resultOf,
  type StatementSteps,
  type Writing,
} from './statements.ts';

export function createUserStore({ query, first, change, dialect }: Runner): UserStore {
  const statements = createStatements(dialect);

  return {
    list: (tenantId) => query(statements.ofTenant, { tenantId }),
    findByLogin: (login) => first(statements.byLogin, { login }),
    insert: (user, audit) =>
      change(function* (change) {
        yield change.query(statements.insert, user);
        yield change.append(audit);
      }),
    update(id, changes, audit) {
      const update = function* ({
        query,
        first,
        append,
        stop,
        start,
      }: Change): StatementSteps<boolean> {
        const user = yield* resultOf(first(statements.byId, { id }));
        if (!user) return false;
        const after = { ...user, ...changes };
        if (isActiveSuperUser(user) && !isActiveSuperUser(after)) {
          const { tenantId } = user;
          if (!(yield first(statements.otherSuperUser, { tenantId, id }))) return false;
        }
        const { stops, starts } = entriesOf(user, changes, audit.atMs);
        yield stop(stops);
        const { role, status } = after;
        const entityIds = after.entityIds && JSON.stringify(after.entityIds);
        yield query(statements.update, { id, role, status, entityIds });
        yield append(audit);
        start(starts, statements.unchanged, { id, role, status, entityIds });
        return true;
      };
      // A role may be a lower one.
      return change(update, changes.status === 'active' ? 'change' : 'stop');
    },
  };
}

/**
 * The user of a login in a store that is not migrated yet: before version 4 nobody was confined
 * to entities. Who migrates is a Super user, whom nothing confines.
 */
export function findUserBeforeMigration({ first, dialect }: Writing): UserStore['findByLogin'] {
  const { builder, tables } = dialect;
  const { users } = tables;
  const { id, tenantId, name, role, status, createdAtMs } = users;
  const { login } = placeholders('login');
  const byLogin = statement(() =>
    builder
      .select({ id, tenantId, login: users.login, name, role, status, createdAtMs })
      .from(users)
      .where(eq(users.login, login)),
  );

  return (ofLogin) =>
    chain(first(byLogin, { login: ofLogin }), (user) => user && { ...user, entityIds: null });
}

/** A new row of a user. */
export function insertUser({ builder, tables: { users } }: Dialect) {
  const row = placeholders(
    'id',
    'tenantId',
    'login',
    'name',
    'role',
    'status',
    'createdAtMs',
    'entityIds',
  );
  return statement(() => builder.insert(users).values(row));
}

function createStatements(dialect: Dialect) {
  const { builder } = dialect;
  const { users } = dialect.tables;
  const { id, tenantId, login, role, status, entityIds } = placeholders(
    'id',
    'tenantId',
    'login',
    'role',
    'status',
    'entityIds',
  );
  const select = () => builder.select().from(users);

  return {
    insert: insertUser(dialect),
    ofTenant: statement(() => select().where(eq(users.tenantId, tenantId)).orderBy(users.login)),
    byLogin: statement(() => select().where(eq(users.login, login))),
    byId: statement(() => select().where(eq(users.id, id))),
    otherSuperUser: statement(() =>
      select()
        .where(
          and(
            eq(users.tenantId, tenantId),
            ne(users.id, id),
            eq(users.role, 'super_user'),
            eq(users.status, 'active'),
          ),
        )
        .limit(1),
    ),
    update: statement(() =>
      builder
        .update(users)
        .set({ role: sql`${role}`, status: sql`${status}`, entityIds: sql`${entityIds}` })
        .where(eq(users.id, id)),
    ),
    unchanged: statement(() =>
      select().where(
        and(
          eq(users.id, id),
          eq(users.role, role),
          eq(users.status, status),
          sql`coalesce(${users.entityIds}, '*') = coalesce(${entityIds}, '*')`,
        ),
      ),
    ),
  };
}

/**
 * A new role that grants some permissions and removes others is first recorded as one with no permission beyond both; likewise other
 * entities as those of both.
 */
function entriesOf(
  user: User,
  change: UserChange,
  atMs: number,
): { stops: JournalEntry[]; starts: JournalEntry[] } {
  const stops: JournalEntry['event'][] = [];
  const starts: JournalEntry['event'][] = [];
  if (change.status === 'inactive') stops.push('deactivated');
  if (change.status === 'active') starts.push('activated');
  if (change.role !== undefined) {
    const lower = roleExceeds(user.role, change.role)
      ? commonRole(user.role, change.role)
      : undefined;
    if (lower !== undefined) stops.push(`role:${lower}`);
    if (lower !== change.role) starts.push(`role:${change.role}`);
  }
  if (change.entityIds !== undefined) {
    const common = commonEntities(user.entityIds, change.entityIds);
    if (!isSameEntities(common, user.entityIds)) stops.push(entitiesEvent(common));
    if (!isSameEntities(common, change.entityIds)) starts.push(entitiesEvent(change.entityIds));
  }
  const entry = (event: JournalEntry['event']) => ({
    atMs,
    event,
    of: 'user' as const,
    id: user.id,
    name: user.login,
  });
  return { stops: stops.map(entry), starts: starts.map(entry) };
}

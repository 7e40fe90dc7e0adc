import { and, eq, ne, sql } from 'drizzle-orm/sql';
import { commonRole, isActiveSuperUser, roleExceeds } from '../../../core/access/roles.ts';
import { commonEntities, isSameEntities } from '../../../core/domain/confinement.ts';
import { chain } from '../../../core/port/maybe-promise.ts';
import type { User, UserChange, UserStore } from '../../../core/port/users.ts';
import { entitiesEvent, type JournalEntry } from '../revocation-journal.ts';
import {
  type Change,
  type Dialect,
  placeholders,
  type Runner,
  resultOf,
  type StatementSteps,
  statement,
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
      const updateUser = function* ({
        query,
        first,
        append,
        stop,
        start,
      }: Change): StatementSteps<boolean> {
        const user = yield* resultOf(first(statements.byId, { id }));
        if (!user) return false;
        const changedUser = { ...user, ...changes };
        if (isActiveSuperUser(user) && !isActiveSuperUser(changedUser)) {
          const { tenantId } = user;
          const otherSuperUser = yield first(statements.otherSuperUser, { tenantId, id });
          if (!otherSuperUser) return false;
        }

        const { stops, starts } = entriesOf(user, changes, audit.atMs);
        yield stop(stops);
        const { role, status } = changedUser;
        const entityIds = changedUser.entityIds && JSON.stringify(changedUser.entityIds);
        yield query(statements.update, { id, role, status, entityIds });
        yield append(audit);
        yield start(starts, statements.unchanged, { id, role, status, entityIds });
        return true;
      };
      // A role may be a lower one.
      return change(updateUser, changes.status === 'active' ? 'change' : 'stop');
    },
  };
}

/**
 * The user of a login in a store that is not migrated yet: before version 4 nobody was confined
 * to entities. Only a Super user migrates, whom nothing confines.
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

  return (userLogin) => {
    const foundUser = first(byLogin, { login: userLogin });
    return chain(foundUser, (user) => user && { ...user, entityIds: null });
  };
}

export function insertUser({ builder, tables }: Dialect) {
  const newRow = placeholders(
    'id',
    'tenantId',
    'login',
    'name',
    'role',
    'status',
    'createdAtMs',
    'entityIds',
  );
  return statement(() => builder.insert(tables.users).values(newRow));
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
  const selectUsers = () => builder.select().from(users);
  const hasId = eq(users.id, id);
  const hasLogin = eq(users.login, login);
  const ofTenant = eq(users.tenantId, tenantId);

  return {
    insert: insertUser(dialect),
    ofTenant: statement(() => selectUsers().where(ofTenant).orderBy(users.login)),
    byLogin: statement(() => selectUsers().where(hasLogin)),
    byId: statement(() => selectUsers().where(hasId)),
    otherSuperUser: statement(() =>
      selectUsers()
        .where(
          and(ofTenant, ne(users.id, id), eq(users.role, 'super_user'), eq(users.status, 'active')),
        )
        .limit(1),
    ),
    update: statement(() =>
      builder
        .update(users)
        .set({
          role: sql`${role}`,
          status: sql`${status}`,
          entityIds: sql`${entityIds}`,
        })
        .where(hasId),
    ),
    unchanged: statement(() =>
      selectUsers().where(
        and(
          hasId,
          eq(users.role, role),
          eq(users.status, status),
          sql`coalesce(${users.entityIds}, '*') = coalesce(${entityIds}, '*')`,
        ),
      ),
    ),
  };
}

/**
 * A new role that grants some permissions and removes others is first recorded as a role with no permission beyond both. Likewise a
 * new set of entities is first recorded as the entities in both sets.
 */
function entriesOf(
  user: User,
  changes: UserChange,
  atMs: number,
): { stops: JournalEntry[]; starts: JournalEntry[] } {
  const stopEvents: JournalEntry['event'][] = [];
  const startEvents: JournalEntry['event'][] = [];
  if (changes.status === 'inactive') stopEvents.push('deactivated');
  if (changes.status === 'active') startEvents.push('activated');
  if (changes.role !== undefined) {
    const commonLower = roleExceeds(user.role, changes.role)
      ? commonRole(user.role, changes.role)
      : undefined;
    if (commonLower !== undefined) stopEvents.push(`role:${commonLower}`);
    if (commonLower !== changes.role) startEvents.push(`role:${changes.role}`);
  }
  if (changes.entityIds !== undefined) {
    const sharedEntities = commonEntities(user.entityIds, changes.entityIds);
    if (!isSameEntities(sharedEntities, user.entityIds))
      stopEvents.push(entitiesEvent(sharedEntities));
    if (!isSameEntities(sharedEntities, changes.entityIds))
      startEvents.push(entitiesEvent(changes.entityIds));
  }

  const entryOf = (event: JournalEntry['event']) => ({
    atMs,
    event,
    of: 'user' as const,
    id: user.id,
    name: user.login,
  });
  return { stops: stopEvents.map(entryOf), starts: startEvents.map(entryOf) };
}

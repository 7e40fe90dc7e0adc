import { commonRole, isActiveSuperUser, roleExceeds } from '../../core/access/roles.ts';
import type { User, UserStore } from '../../core/port/users.ts';
import type { JournalEntry } from '../engine/journal-lines.ts';
import { insertRow, selectAll } from './rows.ts';
import { type Change, type Runner, resultOf, type Steps } from './statements.ts';

const select = selectAll('users');
const otherSuperUsers = `select id from users
  where tenant_id = $1 and id <> $2 and role = 'super_user' and status = 'active' limit 1`;
const stillHolds =
  'select 1 from users where id = $1 and role = coalesce($2, role) and status = coalesce($3, status)';

type UserChange = Parameters<UserStore['update']>[1];

export function createUserStore({ query, first, change }: Runner): UserStore {
  return {
    list: (tenantId) => query(`${select} where tenant_id = $1 order by login`, [tenantId]),
    findByLogin: (login) => first(`${select} where login = $1`, [login]),
    insert: (user, audit) =>
      change(function* (change) {
        yield insertRow(change, 'users', user);
        yield change.append(audit);
      }),
    update(id, changes, audit) {
      const update = function* ({ query, first, append, stop, start }: Change): Steps<boolean> {
        const user = yield* resultOf(first<User>(`${select} where id = $1`, [id]));
        if (!user) return false;
        const after = { ...user, ...changes };
        if (isActiveSuperUser(user) && !isActiveSuperUser(after)) {
          if (!(yield first(otherSuperUsers, [user.tenantId, id]))) return false;
        }
        const { stops, starts } = entriesOf(user, changes, audit.atMs);
        yield stop(stops);
        const set = 'update users set role = $2, status = $3 where id = $1';
        yield query(set, [id, after.role, after.status]);
        yield append(audit);
        const { role = null, status = null } = changes;
        start(starts, stillHolds, [id, role, status]);
        return true;
      };
      // A role may be a lower one.
      return change(update, changes.status === 'active' ? 'change' : 'stop');
    },
  };
}

/** A new role that grants some permissions and removes others is first recorded as one with no permission beyond both. */
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
  const entry = (event: JournalEntry['event']) => ({
    atMs,
    event,
    of: 'user' as const,
    id: user.id,
    name: user.login,
  });
  return { stops: stops.map(entry), starts: starts.map(entry) };
}

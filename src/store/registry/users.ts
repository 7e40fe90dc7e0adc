import { commonRole, isActiveSuperUser, roleExceeds } from '../../core/access/roles.ts';
import { commonEntities, isSameEntities } from '../../core/domain/confinement.ts';
import { chain } from '../../core/port/maybe-promise.ts';
import type { User, UserChange, UserStore } from '../../core/port/users.ts';
import { entitiesEvent, type JournalEntry } from '../engine/journal-lines.ts';
import { columnsOf, createSelection, fieldsOf, insertRow } from './rows.ts';
import { type Change, type Runner, resultOf, type Steps } from './statements.ts';

const otherSuperUsers = `select id from users
  where tenant_id = $1 and id <> $2 and role = 'super_user' and status = 'active' limit 1`;
const stillHolds = `select 1 from users where id = $1 and role = $2 and status = $3
  and coalesce(entity_ids, '*') = coalesce($4, '*')`;

export function createUserStore({ query, first, change, dialect }: Runner): UserStore {
  const { text, read } = createSelection<User>(columnsOf('users', fieldsOf.users), dialect.json);
  const select = `select ${text} from users`;
  type Row = Record<string, unknown>;
  return {
    list: (tenantId) =>
      chain(query<Row>(`${select} where tenant_id = $1 order by login`, [tenantId]), (rows) =>
        rows.map(read),
      ),
    findByLogin: (login) =>
      chain(first<Row>(`${select} where login = $1`, [login]), (row) => row && read(row)),
    insert: (user, audit) =>
      change(function* (change) {
        yield insertRow(change, 'users', user);
        yield change.append(audit);
      }),
    update(id, changes, audit) {
      const update = function* ({ query, first, append, stop, start }: Change): Steps<boolean> {
        const row = yield* resultOf(first<Row>(`${select} where id = $1`, [id]));
        if (!row) return false;
        const user = read(row);
        const after = { ...user, ...changes };
        if (isActiveSuperUser(user) && !isActiveSuperUser(after)) {
          if (!(yield first(otherSuperUsers, [user.tenantId, id]))) return false;
        }
        const { stops, starts } = entriesOf(user, changes, audit.atMs);
        yield stop(stops);
        const { role, status, entityIds } = after;
        const values = [id, role, status, entityIds && JSON.stringify(entityIds)];
        const set = 'role = $2, status = $3, entity_ids = $4';
        yield query(`update users set ${set} where id = $1`, values);
        yield append(audit);
        start(starts, stillHolds, values);
        return true;
      };
      // A role may be a lower one.
      return change(update, changes.status === 'active' ? 'change' : 'stop');
    },
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

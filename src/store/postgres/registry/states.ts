import type { User } from '../../../core/port/users.ts';
import type { StoreStates } from '../../archive/continued-journal.ts';
import type { Session } from '../connection/session.ts';

/** Reads what the registry says of its keys, users and entities, inside the transaction of a session. */
export async function readStates(
  session: Session,
): Promise<StoreStates & { users: readonly Pick<User, 'id' | 'login' | 'status' | 'role'>[] }> {
  return {
    revoked: await session.query(
      'states.keys',
      `select id as "keyId", prefix, secret_hash as "secretHash", revoked_at_ms as "atMs" from keys
        where revoked_at_ms is not null order by revoked_at_ms, id`,
    ),
    users: await session.query('states.users', 'select id, login, status, role from users order by id'),
    entities: await session.query('states.entities', 'select id, code, status from entities order by id'),
  };
}

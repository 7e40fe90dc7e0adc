import type { Role } from '../../core/access/roles.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { User } from '../../core/port/users.ts';
import { keyLine, type Revocation, readJournal, type StateEntry, stateLine } from '../journal-lines.ts';

/** What a store says of its keys, users and entities, of which those that are stopped go into a journal. */
export interface StoreStates {
  revoked: readonly Revocation[];
  users: readonly (Pick<User, 'id' | 'login' | 'status'> & { role: Role })[];
  entities: readonly Pick<Entity, 'id' | 'code' | 'status'>[];
}

/**
 * The lines that a journal is missing to say what a store says: for an engine whose rows are the record of what is stopped, and
 * that writes lines only where rows go.
 */
export function missingLines(text: string, { revoked, users, entities }: StoreStates, nowMs: number): string[] {
  const journal = readJournal(text);
  const lines = revoked.filter(({ keyId }) => !journal.keys.has(keyId)).map((key) => keyLine('revoked', key));
  const add = (entry: Omit<StateEntry, 'atMs'>) => lines.push(stateLine({ ...entry, atMs: nowMs }));
  for (const { id, login: name, status, role } of users) {
    const event = missingState(status, journal.userStatus.get(id)?.event);
    if (event) add({ event, of: 'user', id, name });
    const known = journal.userRole.get(id)?.event ?? 'super_user';
    if (known !== role) add({ event: `role:${role}`, of: 'user', id, name });
  }
  for (const { id, code: name, status } of entities) {
    const event = missingState(status, journal.entities.get(id)?.event);
    if (event) add({ event, of: 'entity', id, name });
  }
  return lines;
}

/** The event that is missing in a journal whose last one is `last`; an object that is there was not removed. */
function missingState(
  status: 'active' | 'inactive',
  last: string | undefined,
): 'deactivated' | 'activated' | undefined {
  if (status === 'inactive') return last === 'deactivated' ? undefined : 'deactivated';
  return last === undefined || last === 'activated' ? undefined : 'activated';
}

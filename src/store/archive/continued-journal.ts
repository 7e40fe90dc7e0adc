import type { Role } from '../../core/access/roles.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { User } from '../../core/port/users.ts';
import { entriesIn, keyLine, type Revocation, readJournal, type StateEntry, stateLine } from '../journal-lines.ts';

/** What a store says of its keys, users and entities, of which those that are stopped go into a journal. */
export interface StoreStates {
  revoked: readonly Revocation[];
  /** The role is left out where it needs no line, since the user never had a higher one. */
  users: readonly (Pick<User, 'id' | 'login' | 'status'> & { role?: Role | undefined })[];
  entities: readonly Pick<Entity, 'id' | 'code' | 'status'>[];
}

/**
 * The lines that a journal is missing to say what a store says: of an engine whose rows are the record of what is stopped, and
 * that writes lines only where rows go; and of a store that was restored from a backup of another one.
 */
export function missingLines(text: string, { revoked, users, entities }: StoreStates, nowMs: number): string[] {
  const journal = readJournal(text);
  const lines = revoked.filter(({ keyId }) => !journal.keys.has(keyId)).map((key) => keyLine('revoked', key));
  const add = (entry: Omit<StateEntry, 'atMs'>) => lines.push(stateLine({ ...entry, atMs: nowMs }));
  for (const { id, login: name, status, role } of users) {
    const event = missingState(status, journal.userStatus.get(id)?.event);
    if (event) add({ event, of: 'user', id, name });
    const known = journal.userRole.get(id)?.event ?? 'super_user';
    if (role !== undefined && known !== role) add({ event: `role:${role}`, of: 'user', id, name });
  }
  for (const { id, code: name, status } of entities) {
    const event = missingState(status, journal.entities.get(id)?.event);
    if (event) add({ event, of: 'entity', id, name });
  }
  return lines;
}

/**
 * The lines of removed entities in the journal of a backup that the journal of the store which it replaces is missing. Their rows
 * are gone, so that nothing else would keep them removed when an older backup is restored. `there` are the entities of the backup.
 */
export function missingRemovals(text: string, ofBackup: string, there: ReadonlySet<string>): string[] {
  const known = readJournal(text).entities;
  const last = readJournal(ofBackup).entities;
  const lines = new Map<string, string>();
  for (const line of entriesIn(ofBackup)) {
    const [, word, kind, id = ''] = line.split(' ');
    if (word !== 'removed' || kind !== 'entity' || last.get(id)?.event !== 'removed') continue;
    if (known.get(id)?.event !== 'removed' && !there.has(id)) lines.set(id, `${line}\n`);
  }
  return [...lines.values()];
}

/** The event that is missing in a journal whose last one is `last`; an object that is there was not removed. */
function missingState(
  status: 'active' | 'inactive',
  last: string | undefined,
): 'deactivated' | 'activated' | undefined {
  if (status === 'inactive') return last === 'deactivated' ? undefined : 'deactivated';
  return last === undefined || last === 'activated' ? undefined : 'activated';
}

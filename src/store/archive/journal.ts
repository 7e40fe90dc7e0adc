import type { KeptStopped } from '../../core/operations/backups.ts';
import { entriesIn, keyLine, readJournal, type StateEntry, stateLine } from '../engine/journal-lines.ts';
import type { RegistryStates } from './states.ts';

/**
 * The lines that a journal is missing to say what a store says: of an engine whose rows are the record of what is stopped, and
 * that writes lines only for rows that go; and of a store that was restored from a backup of another one. Of other users than
 * `withRole` the role needs no line, since they never had a higher one.
 */
export function missingLines(
  text: string,
  { keys, users, entities }: RegistryStates,
  nowMs: number,
  withRole?: ReadonlySet<string>,
): string[] {
  const journal = readJournal(text);
  const lines: string[] = [];
  for (const { id: keyId, revokedAtMs: atMs, ...key } of keys) {
    if (atMs !== null && !journal.keys.has(keyId)) lines.push(keyLine('revoked', { atMs, keyId, ...key }));
  }
  const add = (entry: Omit<StateEntry, 'atMs'>) => lines.push(stateLine({ ...entry, atMs: nowMs }));
  for (const { id, login: name, status, role } of users) {
    const event = missingState(status, journal.userStatus.get(id)?.event);
    if (event) add({ event, of: 'user', id, name });
    const known = journal.userRole.get(id)?.event ?? 'super_user';
    if (known !== role && withRole?.has(id) !== false) add({ event: `role:${role}`, of: 'user', id, name });
  }
  for (const { id, code: name, status } of entities) {
    const event = missingState(status, journal.entities.get(id)?.event);
    if (event) add({ event, of: 'entity', id, name });
  }
  return lines;
}

/**
 * The lines of removed entities that a journal is missing: of those that a restore kept removed, and of those in the journal of its
 * backup. Their rows are gone, so that nothing else would keep them removed when an older backup is restored.
 */
export function missingRemovals(
  text: string,
  { kept, ofBackup, entities }: { kept: readonly KeptStopped[]; ofBackup: string } & Pick<RegistryStates, 'entities'>,
): string[] {
  const known = readJournal(text).entities;
  const last = readJournal(ofBackup).entities;
  const existing = new Set(entities.map(({ id }) => id));
  const lines = new Map<string, string>();
  for (const line of entriesIn(ofBackup)) {
    const [, word, kind, id = ''] = line.split(' ');
    if (word !== 'removed' || kind !== 'entity' || last.get(id)?.event !== 'removed') continue;
    if (!existing.has(id)) lines.set(id, `${line}\n`);
  }
  for (const { what, id, name, atMs } of kept) {
    if (what === 'removed_entity') lines.set(id, stateLine({ atMs, event: 'removed', of: 'entity', id, name }));
  }
  return [...lines].filter(([id]) => known.get(id)?.event !== 'removed').map(([, line]) => line);
}

/** The event that is missing in a journal whose last one is `last`; an existing object was not removed. */
function missingState(
  status: 'active' | 'inactive',
  last: string | undefined,
): 'deactivated' | 'activated' | undefined {
  if (status === 'inactive') return last === 'deactivated' ? undefined : 'deactivated';
  return last === undefined || last === 'activated' ? undefined : 'activated';
}

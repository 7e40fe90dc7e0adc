import { existsSync } from 'node:fs';
import type { KeptStopped } from '../../../core/operations/backups.ts';
import { missingLines, missingRemovals, type StoreStates } from '../../archive/continued-journal.ts';
import { journalIn, openBackup } from '../../archive/format.ts';
import type { PresentStore } from '../../archive/present-store.ts';
import {
  type LiveKey,
  revokedSince,
  type Stoppable,
  stoppableSql,
  stopStatements,
  stopsSince,
} from '../../archive/stops.ts';
import { readJournal, stateLine } from '../../journal-lines.ts';
import type { Connection } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { filesOf } from '../connection/files.ts';
import { readSmallFile, writeSmallFile } from '../connection/safe-files.ts';
import { appendLines } from '../journal/journal.ts';

/** Input of a replay. */
interface Replay {
  /** The registry of the new store, built from the backup. */
  registry: Connection;
  /** The path of the store that it will replace, with the journal beside it. */
  path: string;
  /** The path of the backup. */
  file: string;
  /** Folder with the migrations of each database. */
  migrationsFolder: string;
  present: PresentStore;
  nowMs: number;
}

/** What was stopped again, and the text of the journal, to which nobody else adds while the store is locked. */
interface Replayed {
  kept: KeptStopped[];
  text: string;
}

/**
 * Stops in a restored registry whatever was stopped since the backup, by the last events of the journal and by the store
 * that is replaced. The store at `path` must be locked, or a stop made meanwhile would be missed. Throws `state_forbids` where
 * an organization would be left without an active Super user.
 */
export function replayStops({ registry, path, file, migrationsFolder, present, nowMs }: Replay): Replayed {
  const journal = filesOf(path).revocations;
  if (!existsSync(journal)) putBackJournal(journal, file, migrationsFolder);
  const text = existsSync(journal) ? readSmallFile(journal) : '';
  const since = { present, nowMs, journal: readJournal(text) };
  const kept = registry
    .transaction(() => {
      const found = stopsSince(stoppableIn(registry, [...revokedSince(since).keys()]), since);
      for (const [sql, values] of found.flatMap(stopStatements)) registry.prepare<unknown[]>(sql).run(...values);
      return found;
    })
    .immediate();
  return { kept, text };
}

/**
 * Adds to the journal what is stopped in the new store and what its backup knows as removed, so that it is complete for the next
 * restore, even where the rows of this store cannot be read by then. The backup may be of another store, such as one in PostgreSQL.
 */
export function continueJournal(
  { registry, path, file, migrationsFolder, nowMs }: Omit<Replay, 'present'>,
  { kept, text }: Replayed,
): void {
  const ofBackup = journalOf(file, migrationsFolder) ?? '';
  const demoted = kept.filter(({ what }) => what === 'demoted_user').map(({ id }) => id);
  const roles = [text, ofBackup].flatMap((lines) => [...readJournal(lines).userRole.keys()]);
  const states = statesIn(registry, new Set([...demoted, ...roles]));
  const there = new Set(states.entities.map(({ id }) => id));
  const known = readJournal(text).entities;
  const removals = kept
    .filter(({ what, id }) => what === 'removed_entity' && known.get(id)?.event !== 'removed')
    .map(({ id, name, atMs }) => stateLine({ atMs, event: 'removed', of: 'entity', id, name }));
  const missing = [...removals, ...missingRemovals(text, ofBackup, there), ...missingLines(text, states, nowMs)];
  if (missing.length > 0) appendLines(filesOf(path).revocations, missing);
}

/** Restores the journal of the backup on a machine that has none. */
function putBackJournal(journal: string, file: string, migrationsFolder: string): void {
  const text = journalOf(file, migrationsFolder);
  if (text !== undefined) translating(journal, () => writeSmallFile(journal, text, 'create'));
}

function journalOf(file: string, migrationsFolder: string): string | undefined {
  const { connection: backup } = openBackup(file, migrationsFolder);
  try {
    return journalIn(backup);
  } finally {
    backup.close();
  }
}

function statesIn(registry: Connection, changedRoles: ReadonlySet<string>): StoreStates {
  const rows = <Row>(sql: string) => registry.prepare<[], Row>(sql).all();
  const users = rows<StoreStates['users'][number]>('select id, login, status, role from users');
  return {
    revoked: rows(`select id as keyId, prefix, secret_hash as secretHash, revoked_at_ms as atMs from keys
      where revoked_at_ms is not null order by revoked_at_ms, id`),
    users: users.map((user) => (changedRoles.has(user.id) ? user : { ...user, role: undefined })),
    entities: rows('select id, code, status from entities'),
  };
}

function stoppableIn(registry: Connection, keyIds: readonly string[]): Stoppable {
  const rows = <Row>(sql: string) => registry.prepare<[], Row>(sql).all();
  const live = registry.prepare<[string], LiveKey>(`${stoppableSql.keys} = ?`);
  return {
    tenants: rows(stoppableSql.tenants),
    users: rows(stoppableSql.users),
    entities: rows(stoppableSql.entities),
    keys: keyIds.map((id) => live.get(id)).filter((key) => key !== undefined),
  };
}

import { existsSync } from 'node:fs';
import type { KeptStopped } from '../../../core/operations/backups.ts';
import { openBackup } from '../../backup-file/backup-file.ts';
import { journalIn } from '../../backup-file/new-backup.ts';
import type { PresentStore } from '../../backup-file/present-store.ts';
import {
  type LiveKey,
  revokedSince,
  type Stop,
  type Stoppable,
  stoppableSql,
  stopStatements,
  stopsSince,
} from '../../backup-file/stops.ts';
import { readJournal } from '../../journal-lines.ts';
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

/**
 * Stops in a restored registry whatever was stopped since the backup, by the last events of the journal and by the store
 * that is replaced. What only the store knew is added to the journal, so that it is complete for the next restore. The
 * store at `path` must be locked, or a stop made meanwhile would be missed. Throws `state_forbids` where an organization
 * would be left without an active Super user.
 */
export function replayStops({ registry, path, file, migrationsFolder, present, nowMs }: Replay): KeptStopped[] {
  const journal = filesOf(path).revocations;
  if (!existsSync(journal)) putBackJournal(journal, file, migrationsFolder);
  const since = { present, nowMs, journal: readJournal(existsSync(journal) ? readSmallFile(journal) : '') };
  const stops = registry
    .transaction(() => {
      const found = stopsSince(stoppableIn(registry, [...revokedSince(since).keys()]), since);
      for (const [sql, values] of found.flatMap(({ kept }) => stopStatements(kept))) {
        registry.prepare<unknown[]>(sql).run(...values);
      }
      return found;
    })
    .immediate();
  const missing = stops.map(({ missingLine }: Stop) => missingLine).filter((line) => line !== undefined);
  if (missing.length > 0) appendLines(journal, missing);
  return stops.map(({ kept }: Stop) => kept);
}

/** Restores the journal of the backup on a machine that has none. */
function putBackJournal(journal: string, file: string, migrationsFolder: string): void {
  const { connection: backup } = openBackup(file, migrationsFolder);
  try {
    const text = journalIn(backup);
    if (text === undefined) return;
    translating(journal, () => writeSmallFile(journal, text, 'create'));
  } finally {
    backup.close();
  }
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

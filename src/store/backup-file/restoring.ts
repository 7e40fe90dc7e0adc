import { rmSync } from 'node:fs';
import { and, eq } from 'drizzle-orm/sql';
import type { BackupDigest, BackupHead, BackupOrigin } from '../../core/operations/backups.ts';
import type { AuditHead } from '../../core/port/audit.ts';
import type { StoreOptions } from '../shared/options.ts';
import { emptyTrail, selectHead } from '../shared/registry/audit.ts';
import {
  placeholders,
  resultOf,
  type StatementSteps,
  statement,
  type Writing,
} from '../shared/registry/statements.ts';
import {
  linesMissingIn,
  linesOfRemovals,
  readStates,
  type State,
} from '../shared/registry/stops.ts';
import { linesOnlyIn } from '../shared/revocation-journal.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { sqliteBuilder } from '../tables/kits/sqlite.ts';
import * as backupTables from '../tables/sqlite/registry.ts';
import { type OpenBackup, openBackup } from './format.ts';
import { receiveBackup } from './received.ts';
import { pendingFor, removeAbandoned } from './target.ts';
import { readHead } from './verification.ts';

/** What is restored: a backup, and the digest that it must have, if one is given. */
export interface RestoreSource {
  origin: BackupOrigin;
  expected: BackupDigest | undefined;
}

/** A backup that was received once, and is not looked for again. */
export interface ReceivedBackup extends OpenBackup {
  /** Its name for people. */
  shown: string;
  head: BackupHead;
  digest: BackupDigest | undefined;
  /** Closes and removes the copy that was made of it. */
  discard(): void;
}

/** Receives a backup into a file next to `workPath`, in a folder that only this account can write, and opens it. */
export async function receiveAndOpen(
  { origin, expected }: RestoreSource,
  workPath: string,
  { clock, migrationsFolder }: StoreOptions,
): Promise<ReceivedBackup> {
  removeAbandoned(workPath, clock());
  const copy = pendingFor(workPath);
  let backup: OpenBackup | undefined;
  const discard = () => {
    backup?.connection.close();
    rmSync(copy, { force: true });
  };
  try {
    const { shown, bytes, digest } = await receiveBackup(origin, copy, expected);
    backup = openBackup(copy, shown, migrationsFolder);
    const head = { ...readHead(backup, shown), bytes };
    return { ...backup, shown, head, digest, discard };
  } catch (thrown) {
    discard();
    throw thrown;
  }
}

/** What a restore needs to know of the store that it replaces, read while no other process can change it. */
export interface PresentStore {
  states: readonly State[];
  /** The head of its trail; null if it cannot be read. */
  trail: AuditHead | null;
  /** Whether its trail continues the backup's: then an entity of the backup that it does not have was removed since. */
  isContinued: boolean;
}

/** A store that is absent or cannot be read. */
export const unknownPresent: PresentStore = { states: [], trail: null, isContinued: false };

/** Reads the present store through its `registry`. */
export function* readPresent(registry: Writing, backup: Connection): StatementSteps<PresentStore> {
  const { query, first, dialect } = registry;
  const { audit } = dialect.tables;
  const { count, hash } = placeholders('count', 'hash');
  const findRecord = statement(() =>
    dialect.builder
      .select({ seq: audit.seq })
      .from(audit)
      .where(and(eq(audit.seq, count), eq(audit.hash, hash))),
  );

  const states = yield* readStates(registry);
  const trail = (yield* resultOf(first(selectHead(dialect)))) ?? emptyTrail;
  const backupHead = headOf(backup);
  const commonRecords = backupHead ? yield* resultOf(query(findRecord, backupHead)) : [];
  return { states, trail, isContinued: commonRecords.length > 0 };
}

function headOf(backup: Connection): AuditHead | undefined {
  const headStatement = selectHead({ builder: sqliteBuilder, tables: backupTables })();
  const headRow = backup
    .prepare<unknown[], unknown[]>(headStatement.text)
    .raw()
    .get(...headStatement.valuesOf({}));
  return headRow && headStatement.rowOf(headRow);
}

/**
 * The lines that make the revocation journal the only source: about ids that only the journal of the backup names, and about stops
 * that only the rows of the present store have. `restored` are the states in the backup.
 */
export function linesToAdd(
  journalText: string,
  ofBackup: string,
  { present, restored }: { present: PresentStore; restored: readonly State[] },
  nowMs: number,
): string[] {
  const { states, isContinued } = present;
  const addedLines = linesOnlyIn(ofBackup, journalText);
  const textSoFar = () => journalText + addedLines.join('');
  const removing = { present: states, restored, isContinued };
  addedLines.push(...linesOfRemovals(textSoFar(), removing, nowMs));
  addedLines.push(...linesMissingIn(textSoFar(), states, nowMs));
  return addedLines;
}

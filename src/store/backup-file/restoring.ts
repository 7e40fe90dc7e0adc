import { closeSync, constants, createReadStream, fstatSync, openSync, rmSync } from 'node:fs';
import { and, eq } from 'drizzle-orm/sql';
import { HkctlError } from '../../core/errors.ts';
import { gunzipped } from '../../core/files/gzip.ts';
import { requireClosed, resolvePath } from '../../core/files/named-path.ts';
import { createFile } from '../../core/files/new-file.ts';
import { unreadable } from '../../core/files/path-faults.ts';
import type { BackupDigest, BackupHead, BackupOrigin } from '../../core/operations/backups.ts';
import type { AuditHead } from '../../core/port/audit.ts';
import type { Stop } from '../../core/port/stops.ts';
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
  applyStops,
  linesMissingIn,
  linesOfRemovals,
  readStates,
  requireLeaders,
  type State,
  stopsMissingIn,
} from '../shared/registry/stops.ts';
import { linesOnlyIn, readJournal } from '../shared/revocation-journal.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { sqliteBuilder } from '../tables/kits/sqlite.ts';
import * as backupTables from '../tables/sqlite/registry.ts';
import { writeAll } from './copying.ts';
import {
  createDigest,
  damagedBackup,
  digestIn,
  digestLineBytes,
  headerBytes,
  journalIn,
  markOf,
  noBackup,
  type OpenBackup,
  openBackup,
  requireWhole,
} from './format.ts';
import { pendingFor, removeAbandoned } from './target.ts';
import { readHead } from './verification.ts';

/** The backup to restore, and the digest that it must have, if one is given. */
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

/** Facts about the store that a restore replaces, read while no other process can change it. */
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

/** The sources, apart from the restored rows, that decide which of them are stopped. */
interface StopSources {
  /** The text of the revocation journal, which a restore keeps. */
  journalText: string;
  backup: OpenBackup;
  present: PresentStore;
}

/**
 * Makes every stop in the restored rows that the journal, the backup's own journal or the present store names. Returns the stops,
 * and the lines that make the revocation journal their only source. Refuses a restore after which nobody could act in an organization.
 */
export function* stopRestored(
  restored: Writing,
  { journalText, backup, present }: StopSources,
  nowMs: number,
): StatementSteps<{ stops: readonly Stop[]; addedLines: readonly string[] }> {
  const states = yield* readStates(restored);
  const ofBackup = journalIn(backup.connection) ?? '';
  const addedLines = linesOnlyIn(ofBackup, journalText);
  const textSoFar = () => journalText + addedLines.join('');
  const replacing = { ...present, restored: states };
  addedLines.push(...linesOfRemovals(textSoFar(), replacing, nowMs));
  addedLines.push(...linesMissingIn(textSoFar(), present.states, nowMs));

  const stops = stopsMissingIn(states, readJournal(textSoFar()));
  requireLeaders(states, stops);
  yield* applyStops(restored, stops);
  return { stops, addedLines };
}

/** A backup that was read once, and whose only copy from then on is a file of this account. */
interface ReceivedFile {
  /** The copy, without the line of the digest. */
  file: string;
  /** The name of the backup for people. */
  shown: string;
  /** The size of the backup, decompressed. */
  bytes: number;
  digest: BackupDigest | undefined;
}

/**
 * Copies a backup into a new file and compares its digest: `bad_input` if it is none or not the `expected` one, `store_corrupt`
 * if it was altered or cut off. The caller removes the copy.
 */
async function receiveBackup(
  origin: BackupOrigin,
  copyPath: string,
  expected: BackupDigest | undefined,
): Promise<ReceivedFile> {
  const shown = typeof origin === 'string' ? origin : 'standard input';
  const fd = translating(copyPath, () => createFile(copyPath));
  try {
    const input = typeof origin === 'string' ? openOrigin(origin) : origin;
    const content = gunzipped(input, ({ message }) =>
      damagedBackup(shown, `it cannot be decompressed (${message})`),
    );
    const received = await copyContent(content, { fd, copy: copyPath }, shown);
    requireExpected(received.digest, expected, shown);
    return { file: copyPath, shown, ...received };
  } finally {
    closeSync(fd);
  }
}

async function copyContent(
  input: AsyncIterable<Uint8Array>,
  { fd, copy }: { fd: number; copy: string },
  shown: string,
): Promise<{ bytes: number; digest: BackupDigest | undefined }> {
  const digest = createDigest();
  let header: Buffer | undefined;
  let receivedBytes = 0;
  /** The end of the input, which may be the line of the digest. */
  let tail: Buffer = Buffer.alloc(0);
  const writeContent = (content: Buffer) => {
    digest.update(content);
    translating(copy, () => writeAll(fd, content));
  };

  for await (const piece of input) {
    receivedBytes += piece.byteLength;
    tail = Buffer.concat([tail, piece]);
    // A file that is no backup is not copied to its end.
    if (header === undefined && tail.length >= headerBytes + digestLineBytes) {
      header = Buffer.from(tail.subarray(0, headerBytes));
      if (markOf(header) === undefined) throw noBackup(shown);
    }
    if (header === undefined) continue;
    writeContent(tail.subarray(0, -digestLineBytes));
    tail = Buffer.from(tail.subarray(-digestLineBytes));
  }
  if (header === undefined) throw noBackup(shown);

  const statedDigest = digestIn(tail);
  if (statedDigest === undefined) {
    // Up to version 0.1.0 a backup had no digest.
    writeContent(tail);
    if (markOf(header) === 'with digest') throw damagedBackup(shown, 'its end is missing');
    requireWhole(header, receivedBytes, shown);
    return { bytes: receivedBytes, digest: undefined };
  }
  if (digest.end() !== statedDigest)
    throw damagedBackup(shown, 'it was altered, its digest does not fit its content');
  // SQLite would make files next to the copy of one that was opened with a log (WAL), and leave them.
  requireWhole(header, receivedBytes, shown);
  return { bytes: receivedBytes, digest: statedDigest };
}

function requireExpected(
  digest: BackupDigest | undefined,
  expected: BackupDigest | undefined,
  shown: string,
): void {
  if (expected === undefined || digest === expected) return;
  const digestPhrase = digest === undefined ? 'carries no digest' : `has the digest ${digest}`;
  throw new HkctlError(
    'bad_input',
    `${shown} ${digestPhrase}, not ${expected}; nothing was changed.`,
    {
      hint: 'Give the backup with that digest. The audit trail names the digest of each backup: hkctl audit list --action store.backup --json',
    },
  );
}

const noExchange =
  'Use standard input: hkctl restore - < FILE. Or move the file to a folder that only its own account can write.';

/** Opens the file of a backup, once: a regular file in a folder in which no other account can exchange it. */
function openOrigin(originPath: string): AsyncIterable<Uint8Array> {
  let fd: number | undefined;
  try {
    const namedPath = resolvePath(originPath);
    requireClosed(namedPath, noExchange);
    // A FIFO is not waited for.
    fd = openSync(namedPath.path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = fstatSync(fd);
    if (stats.isDirectory())
      throw new HkctlError('bad_input', `${originPath} is a folder, not a backup.`);
    if (!stats.isFile())
      throw new HkctlError(
        'bad_input',
        `${originPath} is not a regular file, and so not a backup.`,
        {
          hint: 'To read a pipe, use standard input: hkctl restore -',
        },
      );
    return createReadStream('', { fd, highWaterMark: 2 ** 20 });
  } catch (thrown) {
    if (fd !== undefined) closeSync(fd);
    throw unreadable(originPath, thrown);
  }
}

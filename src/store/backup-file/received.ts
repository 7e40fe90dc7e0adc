import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError, isHkctlError } from '../../core/errors.ts';
import { gunzipped } from '../../core/files/gzip.ts';
import { requireClosed, resolvePath } from '../../core/files/named-path.ts';
import { createFile } from '../../core/files/new-file.ts';
import { pathFaults } from '../../core/files.ts';
import type { BackupDigest, BackupOrigin } from '../../core/operations/backups.ts';
import { translating } from '../sqlite-file/errors.ts';
import {
  createDigest,
  damagedBackup,
  digestIn,
  digestLineBytes,
  headerBytes,
  markOf,
  noBackup,
  requireWhole,
} from './format.ts';
import { writeAll } from './rows.ts';

/** A backup that was read once, and whose only copy from then on is a file of this account. */
export interface ReceivedBackup {
  /** The copy, without the line of the digest. */
  file: string;
  /** The name of the backup for people. */
  shown: string;
  /** The size of the backup, decompressed. */
  bytes: number;
  digest: BackupDigest | undefined;
}

export function shownOrigin(origin: BackupOrigin): string {
  return typeof origin === 'string' ? origin : 'standard input';
}

/**
 * Copies a backup into a new file and compares its digest: `bad_input` if it is none or not the `expected` one, `store_corrupt`
 * if it was altered or cut off. The caller removes the copy.
 */
export async function receiveBackup(
  origin: BackupOrigin,
  copyPath: string,
  expected: BackupDigest | undefined,
): Promise<ReceivedBackup> {
  const shown = shownOrigin(origin);
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

/** The error for a backup that cannot be read because of its path: `bad_input`. */
function unreadable(originPath: string, thrown: unknown): unknown {
  const errorCode = errnoOf(thrown);
  if (errorCode === undefined || isHkctlError(thrown)) return thrown;
  if (errorCode === 'ENOENT') return new HkctlError('bad_input', `There is no file ${originPath}.`);
  const pathFault = pathFaults[errorCode] ?? errorCode;
  const reason = errorCode === 'EACCES' ? 'this account may not read it' : pathFault;
  return new HkctlError('bad_input', `${originPath} cannot be read: ${reason}.`, { cause: thrown });
}

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';
import { pathFaults } from '../../core/files.ts';
import type { SecretDelivery } from '../../core/keys/issuance.ts';
import type { Key } from '../../core/port/keys.ts';
import { shellWord } from '../../core/text/quoting.ts';
import { untilVerified } from './stdout.ts';

/** Writes each secret into a new file of its own (mode 0600, synced with its folder); never overwrites one. */
export function createNewFilesDelivery(fileOf: (key: Key) => string): SecretDelivery {
  const made: string[] = [];
  return {
    deliver(delivered) {
      for (const { key, secret } of delivered) {
        const path = fileOf(key);
        writeNew(path, secret, undefined);
        made.push(path);
      }
    },
    complete() {},
    withdraw() {
      for (const path of made) unlinkSync(path);
    },
    keep: () => `Keep ${made.join(' and ')}: ${untilVerified}`,
  };
}

/** Refuses an existing path before any question: `state_forbids` (exit 5). */
export function requireFreePath(path: string): void {
  if (statOf(path, lstatSync)) throw taken(path);
}

/** Refuses a path that is not a folder: `bad_input`. */
export function requireFolder(path: string): void {
  if (!statOf(path)?.isDirectory()) {
    throw new HkctlError('bad_input', `${path} is not a folder.`, {
      hint: `Make it first: mkdir -m 700 ${shellWord(path)}`,
    });
  }
}

/** What is at a path, by default behind links; undefined if nothing is. */
export function statOf(path: string, stat = statSync): Stats | undefined {
  try {
    return stat(path, { throwIfNoEntry: false });
  } catch (thrown) {
    throw unusable(path, thrown);
  }
}

/** Writes a secret into a new file, synced with its folder, with the owner of another file if given. Throws if one is there. */
export function writeNew(path: string, secret: string, like: Stats | undefined): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    fchmodSync(fd, 0o600);
    if (like) keepOwner(fd, like);
    writeFileSync(fd, `${secret}\n`);
    fsyncSync(fd);
    syncFolder(path);
  } catch (thrown) {
    if (fd !== undefined) unlinkSync(path);
    throw unusable(path, thrown);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Keeps the owner, so that a program that reads the old file can read the new one when another account rotates the key. */
function keepOwner(fd: number, like: Stats): void {
  try {
    fchownSync(fd, like.uid, like.gid);
  } catch (thrown) {
    // Only root may change the owner; other accounts most likely owned the old file, too.
    if (errnoOf(thrown) !== 'EPERM') throw thrown;
  }
}

/** Syncs the folder of a file, so that its name survives a loss of power. */
export function syncFolder(path: string): void {
  const fd = openSync(dirname(path), constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function taken(path: string): HkctlError {
  return new HkctlError('state_forbids', `${path} exists already, and is not overwritten.`, {
    hint: `Give another path, or move the file away. Whether a secret in it works, says: hkctl keys verify < ${shellWord(path)}`,
  });
}

export function unusable(
  path: string,
  thrown: unknown,
  consequence = ' Nothing was changed.',
): unknown {
  const code = errnoOf(thrown);
  if (code === undefined) return thrown;
  if (code === 'EEXIST') return taken(path);
  const sentence = pathFaults[code];
  if (sentence) {
    const isRefused = code === 'EACCES' || code === 'EPERM';
    const hint = isRefused
      ? { hint: 'Standard output works: leave out the flag, and redirect it to a new file.' }
      : {};
    return new HkctlError('bad_input', `${path} cannot be used: ${sentence}.`, {
      ...hint,
      cause: thrown,
    });
  }
  const why = code === 'ENOSPC' ? 'the disk is full' : code;
  return new HkctlError('output_failed', `${path} could not be written: ${why}.${consequence}`, {
    cause: thrown,
  });
}

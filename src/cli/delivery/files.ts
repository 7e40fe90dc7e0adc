import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';
import type { SecretDelivery } from '../../core/keys/issuance.ts';
import { secretLength } from '../../core/keys/secrets.ts';
import type { Key } from '../../core/port/keys.ts';
import { pathFaults } from '../../core/text/path-faults.ts';
import { readNamedText, requireTrustedLink } from '../terminal/named-files.ts';

/** Writes the secret of a new key into a new file (mode 0600, synced with its folder); never overwrites one. */
export function createNewFileDelivery(path: string): SecretDelivery {
  let made = false;
  return {
    deliver([delivered]) {
      if (!delivered) return;
      writeNew(path, delivered.secret, undefined);
      made = true;
    },
    complete() {},
    withdraw() {
      if (made) unlinkSync(path);
    },
  };
}

/**
 * Writes the secret of a rotated key to `PATH.new`, and renames it over PATH after the commit. If the process is killed at
 * any step, either PATH or `PATH.new` holds a secret that works; the next rotation finds out which.
 */
export function createReplacingFileDelivery(path: string): SecretDelivery {
  const target = resolved(path);
  const pending = `${target}.new`;
  let made: { inode: number; secret: string } | undefined;
  // Another rotation of the same file may take an unfinished `PATH.new` for a leftover and replace it.
  const stillOurs = () => made !== undefined && statOf(pending)?.ino === made.inode;
  return {
    deliver([delivered]) {
      if (!delivered) return;
      writeNew(pending, delivered.secret, statOf(target));
      made = { inode: statOf(pending)?.ino ?? 0, secret: delivered.secret };
    },
    complete() {
      // If ours is gone, another run has renamed it over PATH; write the secret to PATH again to be sure.
      if (stillOurs()) completePending(path);
      else if (made) replaceDirectly(target, made.secret);
    },
    withdraw() {
      if (stillOurs()) unlinkSync(pending);
    },
  };
}

/** Writes each secret into a new file of its own. */
export function createFolderDelivery(fileOf: (key: Key) => string): SecretDelivery {
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
  };
}

/** The path where a rotation keeps the new secret until the commit. */
export function pendingPath(path: string): string {
  return `${resolved(path)}.new`;
}

/** Renames `PATH.new` over PATH and syncs the folder; another process may have just done so. */
export function completePending(path: string): void {
  const target = resolved(path);
  try {
    renameSync(`${target}.new`, target);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw unusable(target, thrown);
  }
  syncFolder(target);
}

/** Whether a file is the leftover of an interrupted rotation: a secret or the beginning of one. */
export function isLeftover(path: string): boolean {
  const stat = statOf(path);
  if (stat === undefined || stat.size > secretLength + 1) return false;
  const text = readNamedText(path, secretLength + 1).replace(/\n$/, '');
  return text.length < 'hk_'.length ? 'hk_'.startsWith(text) : /^hk_[0-9A-Za-z]*$/.test(text);
}

function replaceDirectly(target: string, secret: string): void {
  const own = `${target}.${process.pid}.new`;
  writeNew(own, secret, statOf(target));
  renameSync(own, target);
  syncFolder(target);
}

/** Removes a `PATH.new` whose secret is not valid. */
export function discardPending(path: string): void {
  rmSync(pendingPath(path), { force: true });
}

/** Reads the secret in a file, without its newline; undefined where the file does not exist. Throws `bad_input`. */
export function readSecretFile(path: string): string | undefined {
  try {
    // A larger file is not a secret file, and reads as empty.
    return readNamedText(path, 16 * secretLength).trim();
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
    throw unusable(path, thrown);
  }
}

/** Refuses an existing path before any question: `state_forbids` (exit 5). */
export function requireFreePath(path: string): void {
  try {
    lstatSync(path);
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return;
    throw unusable(path, thrown);
  }
  throw taken(path);
}

/** Refuses a path that is not a folder: `bad_input`. */
export function requireFolder(path: string): void {
  if (!statOf(path)?.isDirectory()) {
    throw new HkctlError('bad_input', `${path} is not a folder.`, { hint: `Make it first: mkdir -m 700 ${path}` });
  }
}

/**
 * The path to replace. A link of root or of the acting account is resolved once, so that its target is replaced and not the
 * link itself. Any other path keeps its own name, so that a link that appears later has no effect.
 */
function resolved(path: string): string {
  let isLink = false;
  try {
    const found = lstatSync(path);
    isLink = found.isSymbolicLink();
    if (!isLink) return join(realpathSync(dirname(path)), basename(path));
    requireTrustedLink(path, found);
    return realpathSync(path);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw unusable(path, thrown);
    // Its folder may be on a disk that is not mounted now: the file would take the place of the link.
    if (isLink) throw danglingLink(path);
    return path;
  }
}

function danglingLink(path: string): HkctlError {
  return new HkctlError('bad_input', `${path} cannot be used: it is a link to a file that does not exist.`, {
    hint: 'Give the path that it leads to, or remove the link.',
  });
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function writeNew(path: string, secret: string, like: Stats | undefined): void {
  let fd: number;
  try {
    fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (thrown) {
    throw unusable(path, thrown);
  }
  try {
    fchmodSync(fd, 0o600);
    if (like) keepOwner(fd, like);
    writeFully(fd, Buffer.from(`${secret}\n`));
    fsyncSync(fd);
    syncFolder(path);
  } catch (thrown) {
    unlinkSync(path);
    throw unusable(path, thrown);
  } finally {
    closeSync(fd);
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

function writeFully(fd: number, bytes: Buffer): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
}

function syncFolder(path: string): void {
  const fd = openSync(dirname(path), constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function taken(path: string): HkctlError {
  return new HkctlError('state_forbids', `${path} exists already, and is not overwritten.`, {
    hint: 'Give another path, or move the file away.',
  });
}

function unusable(path: string, thrown: unknown): unknown {
  const code = errnoOf(thrown);
  if (code === undefined) return thrown;
  if (code === 'EEXIST') return taken(path);
  const sentence = pathFaults[code];
  if (sentence) return new HkctlError('bad_input', `${path} cannot be used: ${sentence}.`, { cause: thrown });
  const why = code === 'ENOSPC' ? 'the disk is full' : code;
  return new HkctlError('output_failed', `${path} could not be written: ${why}. Nothing was changed.`, {
    cause: thrown,
  });
}

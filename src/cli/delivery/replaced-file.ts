import { linkSync, lstatSync, realpathSync, renameSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { afterChange, HkctlError } from '../../core/errors.ts';
import type { SecretDelivery } from '../../core/keys/issuance.ts';
import type { SecretFiles } from '../../core/keys/secret-files.ts';
import type { Key } from '../../core/port/keys.ts';
import { secretLength } from '../../core/secrets.ts';
import { readNamedText, requireTrustedLink } from '../terminal/named-files.ts';
import { requireFreePath, statOf, syncFolder, unusable, writeNew } from './files.ts';

interface Replacing {
  /** There is no file yet, and none that appears meanwhile is overwritten. */
  isNew?: boolean;
  /** Refuses to replace the secret of a key, or discards a leftover in `PATH.new`; null for a new key. */
  prepare(old: Key | null): Promise<void>;
  /** Takes the lock of rotations again if it was lost. */
  regain(): Promise<void>;
  isActive(secret: string): Promise<boolean>;
}

/**
 * Writes the secret of a new or rotated key to `PATH.new`, and renames it to PATH after the commit. If the process is killed at
 * any step, either PATH or `PATH.new` holds a secret that works; the same command finds out which. The lock of secret files must be
 * held: then `PATH.new` is of this process, unless the lock was lost meanwhile.
 */
export function createReplacingFileDelivery(
  path: string,
  { isNew = false, prepare, regain, isActive }: Replacing,
): SecretDelivery {
  const pending = pendingPath(path);
  let secret: string | undefined;
  const isOurs = (file: string) => secret !== undefined && readSecretFile(file) === secret;
  const write = (text: string) => writeNew(pending, text, statOf(resolved(path)));
  return {
    async deliver([delivered]) {
      if (!delivered) return;
      await prepare(delivered.revoked);
      write(delivered.secret);
      secret = delivered.secret;
    },
    async complete() {
      if (secret === undefined) return;
      try {
        await regain();
        const isGone = !isOurs(pending) && !isOurs(path);
        if (isGone && (await isActive(secret))) write(secret);
        if (isOurs(pending)) completePending(path, isNew);
      } catch (thrown) {
        const committed = `The ${isNew ? 'key was created' : 'rotation is committed'}, but its secret is still in ${pending}`;
        throw afterChange(thrown, `${committed}: the same command, run again, puts it in place.`);
      }
    },
    withdraw() {
      if (isOurs(pending)) unlinkSync(pending);
    },
    keep() {
      const old = isNew ? '' : `, the old one in ${path}`;
      return `The new secret is in ${pending}${old}. The same command, run later, puts it in place if it works, and removes it if not.`;
    },
  };
}

export function readSecretFiles(path: string): SecretFiles {
  const pending = pendingPath(path);
  const pendingText = readSecretFile(pending);
  const pendingIsLeftover = pendingText !== undefined && isLeftover(pending);
  return { path, text: readSecretFile(path), pendingPath: pending, pendingText, pendingIsLeftover };
}

/** Renames `PATH.new` to PATH, over an existing file unless `isNew`, and syncs the folder. */
export function completePending(path: string, isNew = false): void {
  const target = resolved(path);
  try {
    if (isNew) renameToNew(`${target}.new`, target);
    else renameSync(`${target}.new`, target);
    syncFolder(target);
  } catch (thrown) {
    throw unusable(target, thrown, '');
  }
}

/** A link, unlike a rename, replaces no file; some file systems have none. */
function renameToNew(from: string, to: string): void {
  try {
    linkSync(from, to);
    unlinkSync(from);
  } catch (thrown) {
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(errnoOf(thrown) ?? '')) throw thrown;
    requireFreePath(to);
    renameSync(from, to);
  }
}

/**
 * The path to replace. A link of root or of the acting account is resolved once, so that its target is replaced and not the
 * link itself. Any other path keeps its own name, so that a link that appears later has no effect.
 */
export function resolved(path: string): string {
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

function pendingPath(path: string): string {
  return `${resolved(path)}.new`;
}

/** Whether a file is the leftover of an interrupted rotation: a secret or the beginning of one. */
function isLeftover(path: string): boolean {
  const stat = statOf(path);
  if (stat === undefined || stat.size > secretLength + 1) return false;
  const text = readNamedText(path, secretLength + 1).replace(/\n$/, '');
  return text.length < 'hk_'.length ? 'hk_'.startsWith(text) : /^hk_[0-9A-Za-z]*$/.test(text);
}

/** Reads the secret in a file, without its newline; undefined if the file does not exist. Throws `bad_input`. */
function readSecretFile(path: string): string | undefined {
  try {
    // A larger file is not a secret file, and reads as empty.
    return readNamedText(path, 16 * secretLength).trim();
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
    throw unusable(path, thrown);
  }
}

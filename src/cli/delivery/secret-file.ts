import { linkSync, lstatSync, realpathSync, renameSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Actor } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { errnoOf } from '../../core/errno.ts';
import { afterChange, HkctlError } from '../../core/errors.ts';
import type { SecretDelivery } from '../../core/keys/issuance.ts';
import { statusOf } from '../../core/keys/keys.ts';
import {
  findCutOff,
  findKeyOf,
  requireReplaceable,
  type SecretFiles,
  takeFileLock,
} from '../../core/keys/secret-files.ts';
import type { Key } from '../../core/port/keys.ts';
import type { FileLock } from '../../core/port/store.ts';
import { secretLength } from '../../core/secrets.ts';
import type { Context } from '../command/context.ts';
import { readNamedText, requireTrustedLink } from '../terminal/named-files.ts';
import { requireFreePath, statOf, syncFolder, unusable, writeNew } from './files.ts';

interface SecretFileTask {
  path: string;
  /** There is no file yet, and none that appears meanwhile is overwritten. */
  isNew?: boolean;
  /** PATH is replaced whatever it holds. */
  force?: boolean;
  /** Whether an earlier run of the same command has made the key whose secret is in `PATH.new`. */
  isOurs(key: Key, files: SecretFiles): Promise<boolean>;
  /** Called with such a key once its secret is in PATH. */
  finished(key: Key): Promise<void> | void;
}

export type SecretFile = ReturnType<typeof createSecretFile>;

/**
 * Creates the file that takes the secret of one key. Its delivery writes to `PATH.new`, and renames that to PATH after the commit.
 * If the process is killed at any step, either PATH or `PATH.new` holds a secret that works; the same command finds out which. All is
 * done under the lock of secret files: then `PATH.new` is of this process, unless the lock was lost meanwhile.
 */
export function createSecretFile(
  { say }: Pick<Context, 'say'>,
  domain: Domain,
  actor: Actor,
  { path, isNew = false, force = false, isOurs, finished }: SecretFileTask,
) {
  const target = resolved(path);
  const pendingPath = `${target}.new`;
  let lock: FileLock | undefined;
  /** The secret that was written; empty before. */
  let secret = '';
  const read = (): SecretFiles => {
    return {
      path,
      text: readSecretFile(target),
      pendingPath,
      pendingText: readSecretFile(pendingPath),
    };
  };
  const write = (text: string) => writeNew(pendingPath, text, statOf(target));
  const isActive = async (text: string) => {
    const key = await findKeyOf(domain, actor, text);
    return key !== undefined && statusOf(key, domain.clock()) === 'Active';
  };
  const putInPlace = () => {
    try {
      if (isNew) renameToNew(pendingPath, target);
      else renameSync(pendingPath, target);
      syncFolder(target);
    } catch (thrown) {
      throw unusable(target, thrown, '');
    }
  };
  const hold = async <T>(work: () => Promise<T>) => {
    lock = await takeFileLock(domain);
    try {
      return await work();
    } finally {
      await lock.release();
    }
  };
  const finish = async (): Promise<Key | undefined> => {
    if (hasSecondName(path)) unlinkSync(pendingPath);
    if (isNew) requireFreePath(path);
    const files = read();
    const key = await findCutOff(domain, actor, files, (found) => isOurs(found, files));
    if (!key) return undefined;
    putInPlace();
    await finished(key);
    return key;
  };
  const delivery: SecretDelivery = {
    async deliver([delivered]) {
      if (!delivered) return;
      const worthless = await requireReplaceable(domain, actor, read(), delivered.revoked, force);
      if (worthless !== undefined) {
        unlinkSync(pendingPath);
        say(`Discarded ${pendingPath}: ${worthless}.`);
      }
      write(delivered.secret);
      ({ secret } = delivered);
    },
    async complete() {
      try {
        if (!(await lock?.isHeld())) lock = await takeFileLock(domain);
        const { text, pendingText } = read();
        if (pendingText === secret) putInPlace();
        else if (text !== secret && (await isActive(secret))) {
          // While the lock was lost, another process has taken the file for a leftover.
          write(secret);
          putInPlace();
        }
      } catch (thrown) {
        const committed = `The ${isNew ? 'key was created' : 'rotation is committed'}, but its secret is still in ${pendingPath}`;
        throw afterChange(thrown, `${committed}: the same command, run again, puts it in place.`);
      }
    },
    withdraw() {
      if (secret !== '' && readSecretFile(pendingPath) === secret) unlinkSync(pendingPath);
    },
    keep() {
      const old = isNew ? '' : `, the old one in ${path}`;
      return `The new secret is in ${pendingPath}${old}. The same command, run later, puts it in place if it works, and removes it if not.`;
    },
  };
  return {
    path,
    delivery,
    /** Puts the secret in its place that a run which was cut off has left; returns its key, if there is one. */
    finish: () => hold(finish),
    /** Makes a key by `work`, unless such a run has made it; returns it. */
    make: (work: () => Promise<Key>) => hold(async () => (await finish()) ?? work()),
    holds: async (key: Key) => (await findKeyOf(domain, actor, read().text))?.id === key.id,
  };
}

/** Whether `PATH.new` is only a second name of PATH: a creation that was killed between the two steps of `renameToNew` leaves it. */
export function hasSecondName(path: string): boolean {
  const placed = statOf(path);
  const second = placed && statOf(`${resolved(path)}.new`, lstatSync);
  return second !== undefined && second.ino === placed?.ino && second.dev === placed.dev;
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
    if (!isLink) return path;
    // Its folder may be on a disk that is not mounted now: the file would take the place of the link.
    throw new HkctlError(
      'bad_input',
      `${path} cannot be used: it is a link to a file that does not exist.`,
      {
        hint: 'Give the path that it leads to, or remove the link.',
      },
    );
  }
}

/** Reads the secret in a file; undefined if the file does not exist. Throws `bad_input`. */
function readSecretFile(path: string): string | undefined {
  try {
    return readNamedText(path, 16 * secretLength)?.trim() ?? 'more than a secret';
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return undefined;
    throw unusable(path, thrown);
  }
}

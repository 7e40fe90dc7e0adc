import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, HkctlError } from '../errors.ts';
import { shellWord } from '../text/quoting.ts';
import type { NamedPath } from './named-path.ts';

/** The content of a plain file, and owner and rights of that same file. */
export interface PlainFile {
  bytes: Buffer;
  stats: Stats;
}

/**
 * Opens a file once and reads it. Waits for no writer of a FIFO and reads no device, which may have no end: undefined for
 * anything but a plain file. Throws the error of the system for a file that is missing or closed to this account.
 */
export function readPlainFile(path: string): PlainFile | undefined {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() ? { bytes: readFileSync(fd), stats } : undefined;
  } finally {
    closeSync(fd);
  }
}

/**
 * Refuses a file that no rename could replace, before anything depends on that: a mount point, an immutable file, a file of
 * another account in a sticky folder (`bad_input`). Throws EROFS as it is. A folder that cannot be changed shows when a new file
 * is made in it.
 */
export function requireReplaceable({ path, stats }: NamedPath): void {
  if (stats === undefined) return;
  const folder = dirname(path);
  if (isMountPoint(path)) {
    throw irreplaceable(path, 'it is a mount point', {
      hint: `Mount the folder ${shellWord(folder)}, not the file: a file that is mounted cannot be replaced.`,
    });
  }

  const effectiveUid = process.geteuid?.() ?? stats.uid;
  const folderStats = lstatSync(folder);
  const isSticky = (folderStats.mode & 0o1000) !== 0;
  const mayReplace = [0, stats.uid, folderStats.uid].includes(effectiveUid);
  if (isSticky && !mayReplace) {
    throw irreplaceable(path, `the account ${stats.uid} owns it, in a sticky folder`, {
      hint: 'Keep the file in a folder of your own.',
    });
  }
  requireWritable(path, folder);
}

/** Opens a file for writing, which the kernel refuses with EPERM for one that is immutable or append-only, even from root. */
function requireWritable(path: string, folder: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
  } catch (thrown) {
    const errno = errnoOf(thrown);
    // A file may be replaced without the right to write it.
    if (errno === 'EACCES' || errno === 'ETXTBSY') return;
    if (errno !== 'EPERM') throw thrown;
    throw irreplaceable(path, 'it is immutable or append-only', {
      hint: `See the attributes: lsattr -d ${shellWord(path)} ${shellWord(folder)}. Clear them: chattr -i -a`,
      cause: thrown,
    });
  }
}

/** Whether something is mounted at a path (proc_pid_mountinfo(5)); false on systems without that list. */
function isMountPoint(path: string): boolean {
  const escapedPath = path.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return mounts.some((mount) => mount.split(' ')[4] === escapedPath);
  } catch (thrown) {
    if (errnoOf(thrown) === undefined) throw thrown;
    return false;
  }
}

function irreplaceable(
  path: string,
  reason: string,
  options: { hint: string; cause?: unknown },
): HkctlError {
  return new HkctlError('bad_input', `${path} cannot be replaced: ${reason}.`, options);
}

import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../errors.ts';

/** Opens a file that does not exist yet, for its owner only; EEXIST if anything has its name, also a link. */
export function createFile(path: string): number {
  const newFileFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
  return openSync(path, newFileFlags | constants.O_NOFOLLOW, 0o600);
}

type Owner = Pick<Stats, 'uid' | 'gid'>;

/** Gives an open file the owner and the group of the one that it replaces, if this account may. */
export function giveTo(owner: Owner | undefined, fd: number): void {
  if (owner === undefined) return;
  try {
    fchownSync(fd, owner.uid, owner.gid);
  } catch (thrown) {
    // Only root may change the owner; it stays that of this account.
    if (errnoOf(thrown) !== 'EPERM') throw thrown;
  }
}

/** Syncs the names in the folder of a file, so that they survive a loss of power. */
export function syncFolderOf(path: string): void {
  const fd = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Gives a file another name, synced; `replaces`: also if a file has that name, which is EEXIST otherwise. */
export function moveFile(path: string, newPath: string, replaces: boolean): void {
  if (replaces) renameSync(path, newPath);
  else renameToFree(path, newPath);
  syncFolderOf(newPath);
}

/** A link, unlike a rename, replaces no file; some file systems have none. */
function renameToFree(path: string, newPath: string): void {
  try {
    linkSync(path, newPath);
    unlinkSync(path);
  } catch (thrown) {
    const errno = errnoOf(thrown) ?? '';
    if (!linksUnsupported.test(errno)) throw thrown;

    const isTaken = lstatSync(newPath, { throwIfNoEntry: false }) !== undefined;
    if (isTaken) throw Object.assign(new Error(newPath), { code: 'EEXIST' });
    renameSync(path, newPath);
  }
}

/** The errors of file systems that have no hard links. */
const linksUnsupported = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/;

export function removeFile(path: string): void {
  unlinkSync(path);
}

/**
 * A file that this process makes, held open, so that it knows whether the name still leads to it. The first one of its name
 * is removed at once: a folder that is append-only lets files be made, but neither renamed nor removed.
 */
export class NewFile {
  readonly path: string;
  readonly #fd: number;

  /** Throws the error of the system; EEXIST if anything has that name. */
  constructor(path: string) {
    this.path = path;
    closeSync(createFile(path));
    unlinkSync(path);
    this.#fd = createFile(path);
  }

  /** Writes its whole content, synced with its name; `owner`: of the file that it is to replace. */
  write(content: string, owner: Owner | undefined): void {
    giveTo(owner, this.#fd);
    writeFileSync(this.#fd, content);
    fsyncSync(this.#fd);
    syncFolderOf(this.path);
  }

  /** Whether its name leads to it. */
  isInPlace(): boolean {
    const { dev, ino } = fstatSync(this.#fd);
    const entry = lstatSync(this.path, { throwIfNoEntry: false });
    return entry?.ino === ino && entry.dev === dev;
  }

  /** Empties it, and removes its name unless that leads to another file by now. */
  discard(): void {
    ftruncateSync(this.#fd);
    if (this.isInPlace()) unlinkSync(this.path);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

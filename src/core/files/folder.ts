import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  opendirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  statfsSync,
  unlinkSync,
} from 'node:fs';

/** A name in a folder, or a path: on Linux they are bytes, which need not be a text. */
export type FileName = string | Buffer;

/** An entry of a folder as it is listed, by its bytes. */
export interface FolderEntry {
  name: Buffer;
  kind: 'file' | 'folder' | 'link' | 'other';
}

/** Linux has a path for each open descriptor. On other systems the path of the folder itself must do. */
const descriptorFolder = '/proc/self/fd';
const hasDescriptorPaths = existsSync(descriptorFolder);

/** O_PATH of Linux, which Node does not name: it holds a place, and needs no right to read there. */
const pathOnlyFlag = 0o10000000;
const folderFlags =
  constants.O_DIRECTORY | (hasDescriptorPaths ? pathOnlyFlag : constants.O_RDONLY);

/** The type that statfs(2) reports for /proc. */
const procfsType = 0x9fa0;

/**
 * A folder that is held open. Its entries are reached through its descriptor, so that nobody can exchange the folder, or one on
 * the way to it, between two steps (openat(2), which Node lacks, by way of /proc/self/fd).
 */
export class Folder {
  readonly #fd: number;
  /** The path through which its entries are reached. */
  readonly #basePath: string;

  private constructor(fd: number, path: FileName) {
    this.#fd = fd;
    this.#basePath = hasDescriptorPaths
      ? `${descriptorFolder}/${fd}`
      : realpathSync(path, { encoding: 'utf8' });
  }

  /** The root of all paths, or the folder in which the process works. */
  static start(path: '/' | '.'): Folder {
    return new Folder(openSync(path, folderFlags), path);
  }

  /** Its path without links, for messages. */
  get path(): string {
    return this.pathBytes.toString();
  }

  get pathBytes(): Buffer {
    if (!hasDescriptorPaths) return Buffer.from(this.#basePath);
    return readlinkSync(this.#basePath, { encoding: 'buffer' });
  }

  /** The path of an entry for messages. */
  pathOf(entryName: FileName): string {
    return `${this.path.replace(/\/$/, '')}/${entryName}`;
  }

  /** The path by which an entry is reached; valid until {@link close}. */
  at(entryName: FileName): FileName {
    return typeof entryName === 'string'
      ? `${this.#basePath}/${entryName}`
      : Buffer.concat([Buffer.from(`${this.#basePath}/`), entryName]);
  }

  stats(): Stats {
    return fstatSync(this.#fd);
  }

  /** The kind of an entry itself, not of a link's target; undefined if there is none. */
  statOf(entryName: FileName): Stats | undefined {
    return lstatSync(this.at(entryName), { throwIfNoEntry: false });
  }

  /** Lists its entries one by one, since a folder may hold millions. */
  *entries(): Generator<FolderEntry, void> {
    // The declarations leave out that names can be read as bytes.
    const openFolder = opendirSync(this.at('.'), { encoding: 'buffer' as BufferEncoding });
    try {
      let entry = openFolder.readSync();
      while (entry !== null) {
        const name: unknown = entry.name;
        yield { name: name as Buffer, kind: kindOf(entry) };
        entry = openFolder.readSync();
      }
    } finally {
      openFolder.closeSync();
    }
  }

  /** Opens a folder in it that is no link, or one behind a link of the kernel. */
  enter(entryName: FileName, { follow = false } = {}): Folder {
    const folderPath = this.at(entryName);
    const linkFlags = follow ? 0 : constants.O_NOFOLLOW;
    return new Folder(openSync(folderPath, folderFlags | linkFlags), folderPath);
  }

  /** Opens an entry that is no link. */
  open(entryName: FileName, flags: number): number {
    return openSync(this.at(entryName), flags | constants.O_NOFOLLOW);
  }

  /** Opens the target of a link of the kernel, such as /proc/self/fd/0. */
  openBehind(entryName: FileName, flags: number): number {
    return openSync(this.at(entryName), flags);
  }

  /** Makes a new entry; EEXIST for one that is there, whatever it is. */
  create(entryName: FileName, flags: number, mode: number): number {
    const newFileFlags = constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return openSync(this.at(entryName), flags | newFileFlags, mode);
  }

  /** Gives an entry another name, in place of the one that has it. */
  rename(currentName: FileName, newName: FileName): void {
    renameSync(this.at(currentName), this.at(newName));
  }

  /** Gives an entry a second name; EEXIST if that is taken. */
  link(currentName: FileName, secondName: FileName): void {
    linkSync(this.at(currentName), this.at(secondName));
  }

  remove(entryName: FileName): void {
    unlinkSync(this.at(entryName));
  }

  /**
   * Asks the kernel whether an entry that is no folder could be removed or replaced: throws EPERM, EACCES or EROFS if not.
   * rmdir(2) checks every right and attribute before it finds that the entry is no folder, and then changes nothing.
   */
  probeRemoval(entryName: FileName): void {
    try {
      rmdirSync(this.at(entryName));
    } catch (thrown) {
      const isNoFolder = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR';
      if (!isNoFolder) throw thrown;
    }
  }

  /** The target of an entry that is a link. */
  linkTarget(entryName: FileName): Buffer {
    return readlinkSync(this.at(entryName), { encoding: 'buffer' });
  }

  /** Whether it is in /proc, where links lead to what is open, also if that has no path. */
  isInProc(): boolean {
    return hasDescriptorPaths && statfsSync(this.#basePath).type === procfsType;
  }

  /** Whether an open file is a mount point in it, as of a container into which one file is mounted: no rename replaces that. */
  isMountPoint(fd: number): boolean {
    return hasDescriptorPaths && mountOf(fd) !== mountOf(this.#fd);
  }

  /** Syncs its entries, so that their names survive a loss of power. */
  sync(): void {
    const syncFd = openSync(this.at('.'), constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(syncFd);
    } finally {
      closeSync(syncFd);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** The number of the mount to which an open file belongs. */
function mountOf(fd: number): string | undefined {
  const fdInfo = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
  return /^mnt_id:\s*(\d+)$/m.exec(fdInfo)?.[1];
}

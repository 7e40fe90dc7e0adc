import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { errnoOf } from '../errno.ts';
import type { FileName, Folder } from './folder.ts';

/**
 * A file that this process makes, held open: every step goes through its descriptor, so that it stays the same file even if its
 * name leads to another one by then. Its folder stays the caller's.
 */
export class NewFile {
  readonly folder: Folder;
  readonly name: FileName;
  readonly #fd: number;

  /** Makes it, for its owner only. EEXIST if anything has that name; nothing is followed. */
  constructor(folder: Folder, name: FileName) {
    this.folder = folder;
    this.name = name;
    this.#fd = folder.create(name, constants.O_RDWR, 0o600);
  }

  /** Gives it to the owner of a file that it is to replace, if this account may do so; its mode is 0600 whatever the umask. */
  prepare(owner: Pick<Stats, 'uid' | 'gid'> | undefined): void {
    fchmodSync(this.#fd, 0o600);
    if (owner === undefined) return;
    try {
      fchownSync(this.#fd, owner.uid, owner.gid);
    } catch (thrown) {
      // Only root may change the owner; it stays that of this account.
      if (errnoOf(thrown) !== 'EPERM') throw thrown;
    }
  }

  /** Writes its whole content, synced with its name. */
  write(content: string | Uint8Array): void {
    writeFileSync(this.#fd, content);
    fsyncSync(this.#fd);
    this.folder.sync();
  }

  /** Whether a name in its folder, by default its own, leads to it. */
  isAt(name: FileName = this.name): boolean {
    const { dev, ino } = fstatSync(this.#fd);
    const entry = this.folder.statOf(name);
    return entry?.ino === ino && entry.dev === dev;
  }

  /** Empties it, and removes its name unless that leads to another file by now. */
  discard(): void {
    ftruncateSync(this.#fd);
    if (this.isAt()) {
      this.folder.remove(this.name);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

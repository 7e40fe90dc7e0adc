import { closeSync, constants, fstatSync, readFileSync, type Stats } from 'node:fs';
import { errnoOf } from '../errno.ts';
import { HkctlError } from '../errors.ts';
import { shellWord } from '../text/quoting.ts';
import type { FileName, Folder } from './folder.ts';
import { exchangeableFolder, type Place } from './place.ts';

/** A regular file that is there already, opened once: content, owner and rights are those of one and the same file. */
export class ExistingFile {
  readonly stats: Stats;
  readonly #folder: Folder;
  readonly #name: FileName;
  readonly #fd: number;

  private constructor(folder: Folder, name: FileName, fd: number) {
    this.#folder = folder;
    this.#name = name;
    this.#fd = fd;
    this.stats = fstatSync(fd);
  }

  /** Opens it without waiting on a FIFO; undefined if nothing is there, `bad_input` for anything but a regular file. */
  static open(folder: Folder, name: FileName): ExistingFile | undefined {
    let fd: number;
    try {
      fd = folder.open(name, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (thrown) {
      if (errnoOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }

    const file = new ExistingFile(folder, name, fd);
    if (file.stats.isFile()) return file;
    file.close();

    throw new HkctlError('bad_input', `${folder.pathOf(name)} is not a regular file.`);
  }

  /** Its text; undefined if it is larger than `limitBytes`. */
  text(limitBytes: number): string | undefined {
    return this.stats.size > limitBytes ? undefined : readFileSync(this.#fd, 'utf8');
  }

  /** Whether another name in its folder leads to it, too. */
  isAt(name: FileName): boolean {
    const entry = this.#folder.statOf(name);
    return entry?.ino === this.stats.ino && entry.dev === this.stats.dev;
  }

  /**
   * Refuses a file that no rename could replace, or whose owner another account could have chosen, before anything depends on it:
   * a mount point, an immutable file, the file of another account in a sticky folder (`bad_input`); EACCES and EROFS are thrown
   * as they are.
   */
  requireReplaceable(way: Place['way']): void {
    const filePath = this.#folder.pathOf(this.#name);
    const { uid } = this.stats;
    const effectiveUid = process.geteuid?.() ?? uid;
    const trusted = [effectiveUid, uid];
    const isTrustedOwner = uid === effectiveUid || uid === 0;
    const openFolder = isTrustedOwner ? undefined : exchangeableFolder(way, trusted);
    if (openFolder) {
      throw irreplaceable(
        filePath,
        `the account ${uid} owns it, in a folder that others can write`,
        {
          hint: 'Keep the file in a folder that only its owner can write.',
        },
      );
    }
    if (this.#folder.isMountPoint(this.#fd)) {
      throw irreplaceable(filePath, 'it is a mount point', {
        hint: `Mount the folder ${shellWord(this.#folder.path)}, not the file: a file that is mounted cannot be replaced.`,
      });
    }
    try {
      this.#folder.probeRemoval(this.#name);
    } catch (thrown) {
      if (errnoOf(thrown) !== 'EPERM') throw thrown;
      const { mode } = this.#folder.stats();
      const isSticky = (mode & 0o1000) !== 0 && uid !== effectiveUid;
      if (isSticky) {
        throw irreplaceable(filePath, `the account ${uid} owns it, in a sticky folder`, {
          hint: 'Keep the file in a folder of your own.',
          cause: thrown,
        });
      }
      throw irreplaceable(filePath, 'it, or its folder, is immutable or append-only', {
        hint: `See the attributes: lsattr -d ${shellWord(filePath)} ${shellWord(this.#folder.path)}. Clear them: chattr -i -a`,
        cause: thrown,
      });
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function irreplaceable(
  filePath: string,
  reason: string,
  options: { hint: string; cause?: unknown },
): HkctlError {
  return new HkctlError('bad_input', `${filePath} cannot be replaced: ${reason}.`, options);
}

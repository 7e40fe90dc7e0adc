import { closeSync, fstatSync, openSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, HkctlError, isHkctlError } from '../../../core/errors.ts';
import { translating } from '../../sqlite-file/errors.ts';
import { pause, sizeOf } from './files.ts';

/** A stop needs some 60 kB with the files that SQLite makes when a store is opened, so that this is enough for many of them. */
export const reserveBytes = 2 ** 20;
/** How many times a stop may find the disk full: other processes can take the freed space before it does. */
const maxPieces = 4;
/** A process notices within this time that the reserve is in use. */
const recheckMs = 20;

/** Space that a stop frees for itself if the disk is full. Every other write is refused until it is whole again. */
export class Reserve {
  readonly #file: string;
  readonly #storePath: string;
  /** Whether this process has freed some of it. */
  hasFreed = false;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(file: string, storePath: string) {
    this.#file = file;
    this.#storePath = storePath;
  }

  isWhole(): boolean {
    return sizeOf(this.#file) >= reserveBytes;
  }

  /** Restores it if the disk has space, else throws `store_full`: only stops may use the reserve. */
  requireWhole(): void {
    const nowMs = performance.now();
    if (nowMs - this.#checkedAtMs < recheckMs) return;

    const isReady = translating(this.#storePath, () => this.isWhole() || this.#refill());
    if (!isReady) {
      throw new HkctlError(
        'store_full',
        `The disk of the store ${this.#storePath} is full; nothing was changed.`,
        {
          hint: 'Free space on its file system. Until then keys are only revoked and rotated, and users and entities deactivated.',
        },
      );
    }
    this.#checkedAtMs = nowMs;
  }

  /** Does something that must also work on a full disk: each time that the disk is full, a piece of the reserve is freed. */
  withRoom<T>(operation: () => T): T {
    for (let remainingPieces = maxPieces; ; ) {
      try {
        return operation();
      } catch (thrown) {
        if (!isHkctlError(thrown) || thrown.code !== 'store_full') throw thrown;
        if (remainingPieces === 0 || !this.#free(--remainingPieces)) throw thrown;
        // Other hkctl processes stop writing once they notice.
        if (remainingPieces < maxPieces - 1) pause(recheckMs);
      }
    }
  }

  /** Takes back the space that this process has freed, as far as it is still free. */
  takeBack(): void {
    if (!this.hasFreed) return;
    this.hasFreed = false;
    translating(this.#storePath, () => this.#write());
  }

  /** Makes it whole unless that would leave too little for others; returns whether it is. */
  #refill(): boolean {
    const { bavail, bsize } = statfsSync(dirname(this.#file));
    const freeBytes = bavail * bsize;
    const missingBytes = reserveBytes - sizeOf(this.#file);
    if (freeBytes < missingBytes + reserveBytes) return false;
    return this.#write();
  }

  #write(): boolean {
    const fd = openSync(this.#file, 'a', 0o600);
    try {
      const { randomFillSync } = process.getBuiltinModule('node:crypto');
      // A file system that compresses would keep nothing free for zeros.
      const page = randomFillSync(Buffer.allocUnsafe(4096));
      let size = fstatSync(fd).size;
      while (size < reserveBytes) size += writeSync(fd, page);
      return true;
    } catch (thrown) {
      if (/^(ENOSPC|EDQUOT|EFBIG)$/.test(errnoOf(thrown) ?? '')) return false;
      throw thrown;
    } finally {
      closeSync(fd);
    }
  }

  #free(remainingPieces: number): boolean {
    return translating(this.#storePath, () => {
      const size = sizeOf(this.#file);
      if (size === 0) return false;

      const remainingBytes = Math.floor((size * remainingPieces) / (remainingPieces + 1));
      truncateSync(this.#file, remainingBytes);
      this.hasFreed = true;
      this.#checkedAtMs = Number.NEGATIVE_INFINITY;
      return true;
    });
  }
}

/** The result of a step of a reader. */
export type Found =
  /** The item from `start` to `end`. */
  | 'item'
  /** A member of a document, from `start` to `end`, behind its list. */
  | 'member'
  /** An item that begins at `start` and is longer than allowed; the next call passes over the rest of it. */
  | 'too long'
  /** Nothing yet: a step has been read, and others may have their turn. */
  | 'step'
  /** Nothing yet: more bytes are needed. */
  | 'more'
  | 'end'
  /** The end, where it cannot be. */
  | 'cut off'
  /** The byte at `at` cannot stand there. */
  | 'wrong';

export interface ReaderOptions {
  /** The most bytes of an item. */
  longest: number;
  /** The bytes that are read in one step. */
  stepBytes: number;
  /**
   * Takes items itself from an offset on, up to one that begins behind `lastOffset`; returns the offset behind the last of
   * them, or 0 to leave the first to the reader.
   */
  takeUsual?(firstOffset: number, lastOffset: number): number;
}

/** An item counts for at least as many bytes, since to take it is work, too. */
const shortestItem = 128;

/**
 * Finds the items of a text in its bytes, which may arrive in pieces. Every body and every file is read by one of these. They
 * pause by the bytes that were read, however few items these hold, and read no byte more than twice.
 */
export abstract class ItemReader {
  bytes: Buffer = Buffer.alloc(0);
  /** The offsets of the item that was found, and the line, from 1, in which it begins. */
  start = 0;
  end = 0;
  line = 1;
  /** The offset up to which everything has been read. */
  at = 0;
  protected hasAll = false;
  /** The bytes that were dropped before those in memory. */
  protected dropped = 0;
  protected readonly options: ReaderOptions;
  #stepEnd: number;
  #memory = Buffer.allocUnsafeSlow(0);

  constructor(options: ReaderOptions) {
    this.options = options;
    this.#stepEnd = options.stepBytes;
  }

  /** The line that has been reached, which may be within an item. */
  abstract readonly lineReached: number;

  /** Finds the next item, or the reason why there is none yet. */
  abstract next(): Found;

  /** Adds bytes, once all before them have been read. */
  push(bytes: Buffer): void {
    const pendingBytes = this.bytes.subarray(this.start);
    this.bytes = pendingBytes.length === 0 ? bytes : this.#joined(pendingBytes, bytes);
    this.dropped += this.start;
    this.#stepEnd -= this.start;
    this.at -= this.start;
    this.end -= this.start;
    this.start = 0;
  }

  /** No bytes follow. */
  finish(): void {
    this.hasAll = true;
  }

  /** The text of the item that was found. */
  text(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  protected get stepEnd(): number {
    return this.#stepEnd;
  }

  protected beginStep(): 'step' {
    this.#stepEnd = this.at + this.options.stepBytes;
    return 'step';
  }

  protected countItem(): void {
    this.#stepEnd -= Math.max(0, shortestItem - (this.end - this.start));
  }

  /** Copies no byte more than twice, however small the pieces are. */
  #joined(pendingBytes: Buffer, bytes: Buffer): Buffer {
    const length = pendingBytes.length + bytes.length;
    const isInPlace = pendingBytes.buffer === this.#memory.buffer && this.start === 0;
    if (length > this.#memory.length) {
      const memory = Buffer.allocUnsafeSlow(2 * length);
      pendingBytes.copy(memory);
      this.#memory = memory;
    } else if (!isInPlace) pendingBytes.copy(this.#memory);
    bytes.copy(this.#memory, pendingBytes.length);
    return this.#memory.subarray(0, length);
  }
}

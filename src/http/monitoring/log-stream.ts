import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** A reader that takes nothing, such as a stopped terminal, may cost this much memory; what is beyond it is left out, and counted. */
const mostWaiting = 16 * 1024 * 1024;
/** A pipe whose reader is slow is tried again after this time. */
const againMs = 100;
/** The last lines wait for a slow reader for this long. */
const mostLastMs = 2000;

/**
 * Standard output or error as the destination of a log: it is written without waiting, so that a slow reader delays no
 * request. An error, such as a pipe without a reader or a full disk, is thrown and ends the process.
 */
export class LogStream implements DestinationStream {
  readonly #fd: number;
  readonly #onLeftOut: (pieces: number) => void;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #leftOut = 0;
  /** What is being written or, unless `#isSending`, will be tried again. */
  #writing: Buffer = Buffer.alloc(0);
  #isSending = false;
  #isBroken = false;

  /** `onLeftOut` receives the number of dropped pieces, once the reader takes something again. */
  constructor(fd: number, onLeftOut: (pieces: number) => void) {
    this.#fd = fd;
    this.#onLeftOut = onLeftOut;
  }

  write(lines: string): void {
    if (this.#bytes > mostWaiting) {
      this.#leftOut++;
      return;
    }
    const bytes = Buffer.from(lines);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#writing.length === 0) this.#writeNext();
  }

  /** Writes the rest before the process exits, unless nothing reads the log. */
  close(): void {
    const untilMs = performance.now() + mostLastMs;
    let rest = this.#isSending ? this.#take() : Buffer.concat([this.#writing, this.#take()]);
    while (rest.length > 0 && !this.#isBroken) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (thrown) {
        this.#isBroken = !isFull(thrown) || performance.now() > untilMs;
        if (!this.#isBroken) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  }

  #writeNext(): void {
    this.#writing = this.#take();
    if (this.#writing.length > 0) this.#send();
  }

  #send(): void {
    this.#isSending = true;
    write(this.#fd, this.#writing, (thrown, written) => {
      this.#isSending = false;
      this.#isBroken = thrown !== null && !isFull(thrown);
      if (this.#isBroken) throw thrown;
      this.#writing = this.#writing.subarray(written);
      if (this.#writing.length > 0) {
        setTimeout(() => this.#send(), thrown ? againMs : 0);
        return;
      }
      const leftOut = this.#leftOut;
      this.#leftOut = 0;
      this.#writeNext();
      if (leftOut > 0) this.#onLeftOut(leftOut);
    });
  }

  #take(): Buffer {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    return bytes;
  }
}

function isFull(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN';
}

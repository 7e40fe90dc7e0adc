import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** A reader that takes nothing, such as a stopped terminal, may cost this much memory; what is beyond it is left out, and counted. */
const mostWaiting = 16 * 1024 * 1024;
/** A pipe whose reader is slow is tried again after this time. */
const againMs = 100;
/** The last lines wait for a slow reader for this long. */
const mostLastMs = 2000;

export interface LogStream extends DestinationStream {
  /** Writes the rest before the process exits, unless nothing reads the log. */
  close(): void;
}

/**
 * Standard output or error as the destination of a log: it is written without waiting, so that a slow reader delays no request.
 * `onLeftOut` receives the number of dropped pieces, once the reader takes something again. An error, such as a pipe without a
 * reader or a full disk, is thrown and ends the process.
 */
export function createLogStream(fd: number, onLeftOut: (pieces: number) => void): LogStream {
  let waiting: Buffer[] = [];
  let bytesWaiting = 0;
  let leftOut = 0;
  /** What is being written or, unless `isSending`, will be tried again. */
  let writing: Buffer = Buffer.alloc(0);
  let isSending = false;
  let isBroken = false;

  function take(): Buffer {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    bytesWaiting = 0;
    return bytes;
  }

  function writeNext(): void {
    writing = take();
    if (writing.length > 0) send();
  }

  function send(): void {
    isSending = true;
    write(fd, writing, (thrown, written) => {
      isSending = false;
      isBroken = thrown !== null && !isFull(thrown);
      if (isBroken) throw thrown;
      writing = writing.subarray(written);
      if (writing.length > 0) {
        setTimeout(send, thrown ? againMs : 0);
        return;
      }
      const pieces = leftOut;
      leftOut = 0;
      writeNext();
      if (pieces > 0) onLeftOut(pieces);
    });
  }

  return {
    write(lines) {
      if (bytesWaiting > mostWaiting) {
        leftOut++;
        return;
      }
      const bytes = Buffer.from(lines);
      waiting.push(bytes);
      bytesWaiting += bytes.length;
      if (writing.length === 0) writeNext();
    },
    close() {
      const untilMs = performance.now() + mostLastMs;
      let rest = isSending ? take() : Buffer.concat([writing, take()]);
      while (rest.length > 0 && !isBroken) {
        try {
          rest = rest.subarray(writeSync(fd, rest));
        } catch (thrown) {
          isBroken = !isFull(thrown) || performance.now() > untilMs;
          if (!isBroken) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        }
      }
    },
  };
}

function isFull(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN';
}

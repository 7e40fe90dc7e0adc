import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of a body that are read in one event-loop iteration: Node by itself reads up to 2 MiB of each connection. */
const stepBytes = 64 * 1024;
/** The pause after so many bytes of a body that is refused: 6 MB a second leave most of the processor to others. */
const discardPauseMs = 10;
/** A chunk of a single byte takes two microseconds, as long as four kilobytes in one piece: 20 ms for what is read at once. */
const manyPieces = 1024;
const smallPiece = 512;

/**
 * Reads bodies in steps, by the flow control of their streams, so that no connection fills an iteration: sixty connections with
 * bodies that are refused would make iterations of 69 ms in place of 17.
 */
export class BodyPace {
  readonly #onManyPieces: (socket: Socket) => void;

  /** `onManyPieces` is called for every {@link manyPieces} small pieces of a body. */
  constructor(onManyPieces: (socket: Socket) => void) {
    this.#onManyPieces = onManyPieces;
  }

  /** Paces a body, which other listeners take. */
  readInSteps(req: IncomingMessage): void {
    this.#inSteps(req, (resume) => setImmediate(resume));
  }

  /**
   * Drops the rest of a body whose answer is known. Node by itself reads it as fast as it comes, which lets any client, even
   * without a key, keep the daemon busy with bodies that are refused.
   */
  discard(req: IncomingMessage): void {
    this.#inSteps(req, (resume) => setTimeout(resume, discardPauseMs));
  }

  #inSteps(req: IncomingMessage, schedule: (resume: () => void) => unknown): void {
    let bytesInStep = 0;
    let smallPieces = 0;
    req.on('data', ({ length }: Buffer) => {
      if (length < smallPiece && ++smallPieces % manyPieces === 0) this.#onManyPieces(req.socket);
      bytesInStep += length;
      if (bytesInStep < stepBytes) return;
      bytesInStep = 0;
      req.pause();
      schedule(() => req.resume());
    });
  }
}

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FairQueue } from '../../core/sharing/fair-queue.ts';
import { clientOfSocket } from '../net/connections/table.ts';
import type { Iterations, Job } from './iterations.ts';

/** Bytes of a body that are read in one event-loop iteration: Node by itself reads up to 2 MiB of each connection. */
const stepBytes = 64 * 1024;
/** Bodies of which a step is read in one iteration. With all of 120 at once iterations take 50 ms. */
const stepsAtOnce = 8;
/** A chunk of a single byte takes two microseconds, as long as four kilobytes in one piece: 20 ms for what is read at once. */
const manyPieces = 1024;
const smallPiece = 512;

/**
 * Reads bodies in steps, by the flow control of their streams, some of all bodies in one iteration: so neither one connection nor
 * hundreds fill it.
 */
export class BodyPace {
  readonly #onManyPieces: (socket: Socket) => void;
  /** Bodies that wait for their next step, round-robin by client. */
  readonly #wanted = new FairQueue<IncomingMessage, unknown>();
  readonly #refused = new FairQueue<IncomingMessage, unknown>();
  readonly #reading: Job;
  readonly #discarding: Job;

  /** `onManyPieces` is called for every {@link manyPieces} small pieces of a body. */
  constructor(iterations: Iterations, onManyPieces: (socket: Socket) => void) {
    this.#onManyPieces = onManyPieces;
    this.#reading = iterations.job(() => {
      for (let step = 0; step < stepsAtOnce; step++) this.#wanted.take()?.resume();
      if (this.#wanted.size > 0) this.#reading.soon();
    });
    // 32 MB a second of all refused bodies together leave most of the processor to others.
    this.#discarding = iterations.job(() => {
      this.#refused.take()?.resume();
      if (this.#refused.size > 0) this.#discarding.later();
    });
  }

  /** Paces a body, which other listeners take. */
  readInSteps(req: IncomingMessage): void {
    this.#inSteps(req, this.#wanted, () => this.#reading.soon());
  }

  /**
   * Drops the rest of a body whose answer is known. Node by itself reads it as fast as it comes: any client, even without
   * a key, could keep the daemon busy with refused bodies.
   */
  discard(req: IncomingMessage): void {
    this.#inSteps(req, this.#refused, () => this.#discarding.later());
  }

  #inSteps(
    req: IncomingMessage,
    waiting: FairQueue<IncomingMessage, unknown>,
    schedule: () => void,
  ): void {
    let bytesInStep = 0;
    let smallPieces = 0;
    req.on('data', ({ length }: Buffer) => {
      if (length < smallPiece && ++smallPieces % manyPieces === 0) this.#onManyPieces(req.socket);
      bytesInStep += length;
      if (bytesInStep < stepBytes) return;
      bytesInStep = 0;
      req.pause();
      waiting.add(clientOfSocket(req.socket), req);
      schedule();
    });
  }
}

import type { Socket } from 'node:net';
import type { FlowControl } from '../request/batches.ts';

/** The bytes of bodies that are read in one event-loop iteration; copying more would hold up other requests. */
const mostBytes = 512 * 1024;
/** The connections that are read from again in the next iteration, those that wait longest first: 64 KiB of each. */
const releasedAtOnce = 8;

/**
 * Paces the bodies that arrive together: Node reads up to 2 MiB from each connection in one event-loop iteration, which for
 * sixty connections takes a tenth of a second. Once {@link mostBytes} were read, a connection is not read from again before
 * the next iteration, and where many wait, a few of them in each.
 */
export class BodyPace {
  readonly #flow: Pick<FlowControl<Socket>, 'hold' | 'release'>;
  #read = 0;
  #isScheduled = false;
  readonly #held = new Set<Socket>();

  constructor(flow: Pick<FlowControl<Socket>, 'hold' | 'release'>) {
    this.#flow = flow;
  }

  /** Counts bytes of a body that were just read from a connection. */
  count(socket: Socket, bytes: number): void {
    this.#schedule();
    this.#read += bytes;
    if (this.#read < mostBytes || this.#held.has(socket)) return;
    this.#held.add(socket);
    this.#flow.hold(socket);
  }

  #nextIteration(): void {
    this.#isScheduled = false;
    this.#read = 0;
    let released = 0;
    for (const socket of this.#held) {
      this.#held.delete(socket);
      this.#flow.release(socket);
      if (++released === releasedAtOnce) break;
    }
    if (this.#held.size > 0) this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextIteration());
  }
}

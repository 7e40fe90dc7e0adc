import type { Socket } from 'node:net';
import type { Brakes } from '../request/batches.ts';

/** The bytes of bodies that are read in one event-loop iteration; copying more would hold up other requests. */
const mostBytes = 2 * 1024 * 1024;

/**
 * Paces the bodies that arrive together: Node reads up to 2 MiB from each connection in one event-loop iteration, which for
 * sixty connections takes a tenth of a second. Once {@link mostBytes} were read, each further connection is read from once
 * and then not before the next iteration.
 */
export class BodyPace {
  readonly #brakes: Pick<Brakes<Socket>, 'hold' | 'release'>;
  #read = 0;
  #isScheduled = false;
  readonly #held = new Set<Socket>();

  constructor(brakes: Pick<Brakes<Socket>, 'hold' | 'release'>) {
    this.#brakes = brakes;
  }

  /** Counts bytes of a body that were just read from a connection. */
  count(socket: Socket, bytes: number): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#nextIteration());
    }
    this.#read += bytes;
    if (this.#read < mostBytes || this.#held.has(socket)) return;
    this.#held.add(socket);
    this.#brakes.hold(socket);
  }

  #nextIteration(): void {
    this.#isScheduled = false;
    this.#read = 0;
    const held = [...this.#held];
    this.#held.clear();
    for (const socket of held) this.#brakes.release(socket);
  }
}

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { holdReading, releaseReading } from '../net/connections/reading.ts';
import { Iterations } from './iterations.ts';

/** How fast bodies are read, all connections together. */
interface Pace {
  bytes: number;
  /** The connections that are read from again in the next round, those that wait longest first: up to 64 KiB of each. */
  released: number;
  pauses: boolean;
}

/** A chunk of a single byte takes two microseconds, as long as four kilobytes in one piece: 20 ms for what is read at once. */
export const manyPieces = 1024;
const smallPiece = 512;

/** Bodies that are wanted: in each event-loop iteration as much as can be copied without holding up other requests. */
const wantedPace: Pace = { bytes: 256 * 1024, released: 4, pauses: false };
/** Bodies that are refused: 32 MiB a second, so that they leave most of the processor to others. */
const discardedPace: Pace = { bytes: 64 * 1024, released: 1, pauses: true };

/**
 * Paces the bodies that arrive together: Node reads up to 2 MiB from each connection in one event-loop iteration, which for
 * sixty connections takes a tenth of a second. Once enough was read in a round, a connection is not read from again before
 * the next one, and if many wait, a few of them in each.
 */
export class BodyPace {
  readonly #onManyPieces: (socket: Socket) => void;
  readonly #countWanted: ReturnType<typeof createRounds>;
  readonly #countDiscarded: ReturnType<typeof createRounds>;
  #lastSocket: Socket | undefined;
  #piecesInARow = 0;

  /** `onManyPieces` is called for every {@link manyPieces} small pieces of bodies that a connection has brought in a row. */
  constructor(onManyPieces: (socket: Socket) => void, iterations = new Iterations()) {
    this.#onManyPieces = onManyPieces;
    this.#countWanted = createRounds(wantedPace, iterations);
    this.#countDiscarded = createRounds(discardedPace, iterations);
  }

  count(socket: Socket, bytes: number): void {
    this.#countPiece(socket, bytes);
    this.#countWanted(socket, bytes);
  }

  /**
   * Drops the rest of a body whose answer is known. Node by itself reads it as fast as it comes, which lets any client, even
   * without a key, keep the daemon busy with bodies that are refused.
   */
  discard(req: IncomingMessage): void {
    req.on('data', ({ length }: Buffer) => {
      this.#countPiece(req.socket, length);
      this.drop(req.socket, length);
    });
  }

  drop(socket: Socket, bytes: number): void {
    this.#countDiscarded(socket, bytes);
  }

  #countPiece(socket: Socket, bytes: number): void {
    if (bytes >= smallPiece) return;
    if (socket !== this.#lastSocket) this.#piecesInARow = 0;
    this.#lastSocket = socket;
    if (++this.#piecesInARow % manyPieces === 0) this.#onManyPieces(socket);
  }
}

/** Builds the function that counts bytes of a connection, and holds it until a later round once enough was read. */
function createRounds({ bytes: maxBytes, released, pauses }: Pace, iterations: Iterations) {
  const pausedSockets = new Set<Socket>();
  let bytesInRound = 0;
  const nextRound = iterations.job(() => {
    bytesInRound = 0;
    let remaining = released;
    for (const socket of pausedSockets) {
      pausedSockets.delete(socket);
      releaseReading(socket);
      if (--remaining === 0) break;
    }
    if (pausedSockets.size > 0) schedule();
  });
  const schedule = (): void => (pauses ? nextRound.later() : nextRound.soon());
  return (socket: Socket, bytes: number): void => {
    schedule();
    bytesInRound += bytes;
    if (bytesInRound < maxBytes || pausedSockets.has(socket)) return;
    pausedSockets.add(socket);
    holdReading(socket);
  };
}

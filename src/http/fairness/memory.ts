import type { Socket } from 'node:net';
import type { Exchange } from '../request/exchange.ts';
import { ApiError } from '../request/problem.ts';
import type { Answer } from '../request/response.ts';

const MiB = 1024 * 1024;

/** How much may be held in memory at once for those who are slow, or who ask for much; beyond it a request is 503. */
export const memoryLimits = {
  /** Answers, from the time that a large one is begun until it is taken. */
  answerBytes: 256 * MiB,
  /** Bodies, as they came and decompressed, until they are answered. */
  bodyBytes: 128 * MiB,
  /** So long a request waits for room. */
  waitMs: 2_000,
} as const;

export type MemoryLimits = { [name in keyof typeof memoryLimits]: number };

/** What the requests of a daemon may hold, and hold. */
export interface Memory {
  answers: Budget;
  bodies: Budget;
  /**
   * Settles what an exchange holds once its answer is known: its body goes, a large answer stays until it is taken. Throws
   * `too_many_requests` for one that was not reserved where its key has not taken others that are its share.
   */
  settle(exchange: Exchange, answer: Answer): void;
}

/** Builds the two budgets. */
export function createMemory({ answerBytes, bodyBytes, waitMs }: MemoryLimits): Memory {
  const [answers, bodies] = [new Budget(answerBytes, waitMs), new Budget(bodyBytes, waitMs)];
  /** Rooms of answers by their connection. */
  const open = new WeakMap<Socket, Set<Reservation>>();

  const reservationsOf = (socket: Socket): Set<Reservation> => {
    const known = open.get(socket);
    if (known) return known;
    const reservations = new Set<Reservation>();
    open.set(socket, reservations);
    socket.once('close', () => {
      for (const reservation of reservations) reservation.release();
    });
    return reservations;
  };

  /** An answer that waits behind another is not told when its connection is closed: the connection is asked itself. */
  const releaseWhenGone = ({ req, res }: NonNullable<Exchange['node']>, reservation: Reservation): void => {
    if (req.socket.destroyed) {
      reservation.release();
      return;
    }
    const reservations = reservationsOf(req.socket).add(reservation);
    res.once('close', () => {
      reservations.delete(reservation);
      reservation.release();
    });
  };

  return {
    answers,
    bodies,
    settle(exchange, { body }) {
      exchange.bodyReservation?.release();
      const bytes = body === null || exchange.method === 'HEAD' ? 0 : body.length;
      if (exchange.node === undefined || bytes < countedBytes) {
        exchange.answerReservation?.release();
        return;
      }
      exchange.answerReservation ??= answers.holdShare(bytes, exchange.keyPrefix);
      exchange.answerReservation.resize(bytes);
      releaseWhenGone(exchange.node, exchange.answerReservation);
    },
  };
}

/** Answers smaller than this are not worth counting: Node and the system hold as much for any connection. */
const countedBytes = 64 * 1024;

/**
 * Bytes that many requests share; a request that finds no room waits a while in line. A holder, which is a key, may hold as
 * much as it leaves free: one alone takes half, two take a third each, and a part is always left for the next one.
 */
export class Budget {
  readonly #bytes: number;
  readonly #waitMs: number;
  readonly #waiting = new Set<Waiting>();
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(bytes: number, waitMs: number) {
    this.#bytes = bytes;
    this.#waitMs = waitMs;
  }

  get held(): number {
    return this.#held;
  }

  /** Less than half is left: whoever is slow has to go. */
  get isTight(): boolean {
    return this.#held > this.#bytes / 2;
  }

  /**
   * Room for a request; rejects where none becomes free in time: with `unavailable`, or with `too_many_requests` where it
   * is the holder's own share that is used up. Those that hold least come first.
   */
  async reserve(bytes: number, holder?: string): Promise<Reservation> {
    if (this.#fits(bytes, holder)) return this.hold(bytes, holder);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(one);
        reject(this.#fitsShare(bytes, holder) ? tooMuch() : tooMuchOfOne());
        this.#wake();
      }, this.#waitMs);
      const one: Waiting = {
        bytes,
        holder,
        goOn: () => {
          clearTimeout(late);
          this.#waiting.delete(one);
          resolve(this.hold(bytes, holder));
        },
      };
      this.#waiting.add(one);
      this.#wake();
    });
  }

  /** Room for what is there already, whether it fits or not. */
  hold(bytes: number, holder?: string): Reservation {
    return new Reservation(bytes, holder, (change) => this.#change(change, holder));
  }

  /** The same, but not beyond the holder's share: `too_many_requests`. */
  holdShare(bytes: number, holder?: string): Reservation {
    if (!this.#fitsShare(bytes, holder)) throw tooMuchOfOne();
    return this.hold(bytes, holder);
  }

  /** Makes a room larger; false, and nothing changed, where there is not as much left. */
  grow(reservation: Reservation, bytes: number): boolean {
    if (!this.#fits(bytes, reservation.holder)) return false;
    reservation.resize(reservation.bytes + bytes);
    return true;
  }

  #change(bytes: number, holder: string | undefined): void {
    this.#held += bytes;
    if (holder !== undefined) {
      const held = this.#holds(holder) + bytes;
      if (held === 0) this.#heldBy.delete(holder);
      else this.#heldBy.set(holder, held);
    }
    if (bytes < 0) this.#wake();
  }

  #holds(holder: string | undefined): number {
    return holder === undefined ? 0 : (this.#heldBy.get(holder) ?? 0);
  }

  #wake(): void {
    if (this.#waiting.size === 0) return;
    // Sorting keeps the order in which those came that hold as much.
    const inOrder = [...this.#waiting].sort((a, b) => this.#holds(a.holder) - this.#holds(b.holder));
    for (const one of inOrder) if (this.#fits(one.bytes, one.holder)) one.goOn();
  }

  /** A single request is never too large for an empty budget. */
  #fits(bytes: number, holder: string | undefined): boolean {
    return this.#held === 0 || (this.#held + bytes <= this.#bytes && this.#fitsShare(bytes, holder));
  }

  /** A holder leaves at least as much free as it holds; one that holds nothing has its share. */
  #fitsShare(bytes: number, holder: string | undefined): boolean {
    const held = this.#holds(holder);
    return held === 0 || held + bytes <= this.#bytes - this.#held;
  }
}

interface Waiting {
  bytes: number;
  holder: string | undefined;
  goOn: () => void;
}

/** What one request holds of a budget. */
export class Reservation {
  #bytes = 0;
  /** The key that it counts for. */
  readonly holder: string | undefined;
  readonly #tell: (change: number) => void;

  constructor(bytes: number, holder: string | undefined, tell: (change: number) => void) {
    this.holder = holder;
    this.#tell = tell;
    this.resize(bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  resize(bytes: number): void {
    const change = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#tell(change);
  }

  /** Gives all of it back; doing so twice does no harm. */
  release(): void {
    this.resize(0);
  }
}

/** What a request is told that finds no room. */
export function tooMuch(): ApiError {
  return new ApiError('unavailable', 'Too much is being read or sent at the moment. Try again in a few seconds.');
}

/** What an owner is told whose own share is used up. */
function tooMuchOfOne(): ApiError {
  return new ApiError(
    'too_many_requests',
    'This API key asks for too much at once. Take answers before asking for more.',
    {
      headers: ['Retry-After', '1'],
    },
  );
}

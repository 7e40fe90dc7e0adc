import { ApiError } from '../answers/problem.ts';

/**
 * Bytes that many requests share; a request that does not fit waits in line for a while. A holder, which is a key, may hold
 * as much as it leaves free: one alone takes half, two take a third each, and a part is always left for the next one. Our own,
 * since the semaphores of libraries have no such shares.
 */
export class Budget {
  readonly #totalBytes: number;
  readonly #waitMs: number;
  readonly #waiting = new Set<Waiting>();
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(totalBytes: number, waitMs: number) {
    this.#totalBytes = totalBytes;
    this.#waitMs = waitMs;
  }

  get held(): number {
    return this.#held;
  }

  /** Less than half is left: slow clients are cut off sooner. */
  get isTight(): boolean {
    return this.#held > this.#totalBytes / 2;
  }

  /**
   * Reserves memory for a request. Rejects if none becomes free in time: with `unavailable`, or with `too_many_requests`
   * if the holder's own share is used up. The holders with the least memory come first.
   */
  reserve(bytes: number, holder?: string): Promise<Reservation> {
    // Waiting requests do not fit, and checking all of them would be work for each request of others.
    if (this.#fits(bytes, holder)) return Promise.resolve(this.hold(bytes, holder));
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timeout);
        this.#waiting.delete(entry);
      };
      const proceed = (): void => {
        finish();
        resolve(this.hold(bytes, holder));
      };
      const timeout = setTimeout(() => {
        finish();
        reject(this.#fitsShare(bytes, holder) ? tooMuch : tooMuchForKey);
      }, this.#waitMs);
      const entry = { bytes, holder, proceed };
      this.#waiting.add(entry);
      this.#wake();
    });
  }

  /** Counts memory that is in use already, whether it fits or not. */
  hold(bytes: number, holder?: string): Reservation {
    const reservation: Reservation = {
      bytes: 0,
      holder,
      resize: (newBytes) => {
        const change = newBytes - reservation.bytes;
        reservation.bytes = newBytes;
        this.#held += change;
        if (holder !== undefined) {
          const heldBytes = this.#heldOf(holder) + change;
          if (heldBytes === 0) this.#heldBy.delete(holder);
          else this.#heldBy.set(holder, heldBytes);
        }
        if (change < 0) this.#wake();
      },
      release: () => reservation.resize(0),
    };
    reservation.resize(bytes);
    return reservation;
  }

  /** Counts memory that is in use already; throws `too_many_requests` if it is beyond the holder's share. */
  holdShare(bytes: number, holder?: string): Reservation {
    if (!this.#fitsShare(bytes, holder)) throw tooMuchForKey;
    return this.hold(bytes, holder);
  }

  /** Enlarges a reservation by some bytes; returns false, and changes nothing, if they do not fit. */
  grow(reservation: Reservation, bytes: number): boolean {
    const canGrow = this.#fits(bytes, reservation.holder);
    if (canGrow) reservation.resize(reservation.bytes + bytes);
    return canGrow;
  }

  #heldOf(holder: string | undefined): number {
    return holder === undefined ? 0 : (this.#heldBy.get(holder) ?? 0);
  }

  #wake(): void {
    if (this.#waiting.size === 0) return;
    // The sort is stable: of holders with equally much memory the first to come stays first.
    const leastHeldFirst = [...this.#waiting].sort(
      (left, right) => this.#heldOf(left.holder) - this.#heldOf(right.holder),
    );
    for (const entry of leastHeldFirst) {
      if (this.#fits(entry.bytes, entry.holder)) entry.proceed();
    }
  }

  /** An empty budget takes any single request, however large. */
  #fits(bytes: number, holder: string | undefined): boolean {
    if (this.#held === 0) return true;
    return this.#held + bytes <= this.#totalBytes && this.#fitsShare(bytes, holder);
  }

  /** A holder leaves at least as much free as it holds; one that holds nothing is always within its share. */
  #fitsShare(bytes: number, holder: string | undefined): boolean {
    const heldBytes = this.#heldOf(holder);
    return heldBytes === 0 || heldBytes + bytes <= this.#totalBytes - this.#held;
  }
}

interface Waiting {
  bytes: number;
  holder: string | undefined;
  proceed(): void;
}

/** The error for a request for which the daemon has no memory at the moment. */
export const tooMuch = new ApiError(
  'unavailable',
  'Too much is being read or sent at the moment. Try again in a few seconds.',
);

/** The error for a key whose own share is used up. */
const tooMuchForKey = new ApiError(
  'too_many_requests',
  'This API key asks for too much at once. Take answers before asking for more.',
  { headers: ['Retry-After', '1'] },
);

/** Bytes that one request holds of a budget. */
export interface Reservation {
  bytes: number;
  /** The key that it counts against. */
  readonly holder: string | undefined;
  resize(newBytes: number): void;
  /** Gives all of it back; a second call has no effect. */
  release(): void;
}

import { HkctlError } from '../../../core/errors.ts';
import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type { Database } from '../connection/database.ts';
import { unreachable } from '../errors/errors.ts';

interface Row {
  keys: number | null;
  records: number | null;
  nowMs: number;
}

/**
 * The generations of keys and records, which grow in the transaction of each change, and the database's clock. They are read
 * from the primary only, in one statement, once for each batch of requests.
 */
export class Generations {
  readonly #database: Database;
  readonly #machineClock: () => number;
  /** The version of each reported state: a number that only grows, since after a failover a generation may be smaller. */
  #keys = { of: '', version: 0 };
  #records = { of: '', version: 0 };
  /** By how much the database's clock is ahead of `performance.now()`, which cannot be set. */
  #aheadMs = Number.NaN;
  /** Until when (`performance.now()`) this daemon may let requests in; undefined in a command. */
  #leaseEndsAt: number | undefined;

  constructor(database: Database, machineClock: () => number) {
    this.#database = database;
    this.#machineClock = machineClock;
  }

  /** The clock of the database, as its last answer showed it; that of the machine before the first one. */
  get nowMs(): number {
    return Number.isNaN(this.#aheadMs) ? this.#machineClock() : Math.floor(performance.now() + this.#aheadMs);
  }

  /** The version of records that came with the last answer about keys. */
  get lastRecords(): number {
    return this.#records.version;
  }

  /** Rejects with `store_unreachable` if this daemon has not committed anything within the last 2 s. */
  async keys(): Promise<number> {
    await this.#read();
    if (this.#leaseEndsAt !== undefined && performance.now() > this.#leaseEndsAt) {
      throw unreachable(this.#database.location.shown, 'it has confirmed no write of this daemon for 2 s');
    }
    return this.#keys.version;
  }

  async records(): Promise<number> {
    await this.#read();
    return this.#records.version;
  }

  /** In a daemon every request has asked for the version of keys before, which brought that of records. */
  recordsSinceGate(): MaybePromise<number> {
    return this.#leaseEndsAt === undefined ? this.records() : this.#records.version;
  }

  /** Lets requests in until `endsAt` (`performance.now()`), and no longer unless called again. */
  lease(endsAt: number): void {
    this.#leaseEndsAt = endsAt;
  }

  endLease(): void {
    this.#leaseEndsAt = undefined;
  }

  async #read(): Promise<void> {
    const sentAtMs = performance.now();
    const [row] = await this.#database.query<Row>(readAll);
    const { epoch, location } = this.#database;
    if (row === undefined || row.keys === null || row.records === null || !Number.isFinite(row.nowMs)) {
      throw new HkctlError('store_corrupt', `The store ${location.shown} has lost its generations.`, {
        hint: 'Go back to a backup: hkctl restore FILE',
      });
    }
    this.#aheadMs = nextAhead(this.#aheadMs, row.nowMs, sentAtMs, performance.now());
    this.#keys = next(this.#keys, `${epoch} ${row.keys}`);
    this.#records = next(this.#records, `${epoch} ${row.records}`);
  }
}

const readAll = `select max(value) filter (where name = 'keys') as keys, max(value) filter (where name = 'records') as records,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs" from generations`;

function next(before: { of: string; version: number }, of: string) {
  return before.of === of ? before : { of, version: before.version + 1 };
}

/** The answer is from some moment between sending and receiving: a difference that explains it stays as it is. */
function nextAhead(aheadMs: number, databaseMs: number, sentAtMs: number, receivedAtMs: number): number {
  const least = databaseMs - receivedAtMs;
  const most = databaseMs - sentAtMs;
  return aheadMs >= least && aheadMs <= most ? aheadMs : (least + most) / 2;
}

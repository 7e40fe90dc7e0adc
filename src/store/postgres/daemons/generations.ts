import { HkctlError } from '../../../core/errors.ts';
import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type { Database } from '../connection/database.ts';
import { unreachable } from '../connection/errors.ts';

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
  #skewMs = 0;
  /** Until when (`performance.now()`) this daemon may let requests in; undefined in a command. */
  #leaseEndsAt: number | undefined;

  constructor(database: Database, machineClock: () => number) {
    this.#database = database;
    this.#machineClock = machineClock;
  }

  /** How many milliseconds the clock of the database is ahead of this machine's, as last seen. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** The version of records that came with the last answer about keys. */
  get lastRecords(): number {
    return this.#records.version;
  }

  /** Rejects with `store_unreachable` where this daemon has not committed anything within the last 2 s. */
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
    const sentAtMs = this.#machineClock();
    const [row] = await this.#database.query<Row>('generations.read', readAll);
    const { epoch, location } = this.#database;
    if (row === undefined || row.keys === null || row.records === null || !Number.isFinite(row.nowMs)) {
      throw new HkctlError('store_corrupt', `The store ${location.shown} has lost its generations.`, {
        hint: 'Go back to a backup: hkctl restore FILE',
      });
    }
    this.#skewMs = nextSkew(this.#skewMs, row.nowMs, sentAtMs, this.#machineClock());
    this.#keys = next(this.#keys, `${epoch} ${row.keys}`);
    this.#records = next(this.#records, `${epoch} ${row.records}`);
  }
}

const readAll = `select max(value) filter (where name = 'keys') as keys, max(value) filter (where name = 'records') as records,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs" from generations`;

function next(before: { of: string; version: number }, of: string) {
  return before.of === of ? before : { of, version: before.version + 1 };
}

/** The answer is from some moment between sending and receiving: a skew that explains it stays as it is. */
function nextSkew(skewMs: number, databaseMs: number, sentAtMs: number, receivedAtMs: number): number {
  const least = databaseMs - receivedAtMs;
  const most = databaseMs - sentAtMs;
  return skewMs < least || skewMs > most ? Math.round((least + most) / 2) : skewMs;
}

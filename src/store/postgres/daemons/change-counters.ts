import { HkctlError } from '../../../core/errors.ts';
import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type { Database } from '../connection/database.ts';
import { unreachable } from '../errors/errors.ts';

interface Row {
  keys: number | null;
  records: number | null;
  nowMs: number;
}

/** A number that grows with each new value of a change counter, which may be smaller after a failover. */
interface Counter {
  of: string;
  number: number;
}

export type ChangeCounters = ReturnType<typeof createChangeCounters>;

/**
 * The change counters of keys and records (table `generations`), which grow in the transaction of each change, and the database's clock. They are read
 * from the primary only, in one statement, once for each batch of requests.
 */
export function createChangeCounters(database: Database, machineClock: () => number) {
  const { shown: shownAddress } = database.location;
  let keys: Counter = { of: '', number: 0 };
  let records = keys;
  /** By how much the database's clock is ahead of `performance.now()`, which cannot be set. */
  let aheadMs = Number.NaN;
  /** Until when (`performance.now()`) this daemon may let requests in; undefined in a command. */
  let leaseEndsAt: number | undefined;

  const readCounters = async (): Promise<void> => {
    const sentAtMs = performance.now();
    const [counterRow] = await database.query<Row>(countersSql, [], 'gate');
    if (
      counterRow === undefined ||
      counterRow.keys === null ||
      counterRow.records === null ||
      !Number.isFinite(counterRow.nowMs)
    ) {
      throw new HkctlError(
        'store_corrupt',
        `The store ${shownAddress} lacks a row of its table generations.`,
        {
          hint: 'Go back to a backup: hkctl restore FILE',
        },
      );
    }
    aheadMs = nextAheadMs(aheadMs, counterRow.nowMs, sentAtMs, performance.now());
    keys = nextCounter(keys, `${database.serverNumber} ${counterRow.keys}`);
    records = nextCounter(records, `${database.serverNumber} ${counterRow.records}`);
  };

  return {
    /** The clock of the database, as its last answer showed it; before the first answer, the clock of the machine. */
    nowMs() {
      if (Number.isNaN(aheadMs)) return machineClock();
      return Math.floor(performance.now() + aheadMs);
    },
    /** The change counter of records that came with the last answer about keys. */
    lastRecords: () => records.number,
    /** Rejects with `store_unreachable` if this daemon has not committed anything within the last 2 s. */
    async keys(): Promise<number> {
      await readCounters();
      if (leaseEndsAt !== undefined && performance.now() > leaseEndsAt) {
        throw unreachable(shownAddress, 'it has confirmed no write of this daemon for 2 s');
      }
      return keys.number;
    },
    records: () => readCounters().then(() => records.number),
    /** In a daemon every request has asked for the change counter of keys before, which brought that of records. */
    recordsSinceGate(): MaybePromise<number> {
      return leaseEndsAt === undefined ? this.records() : records.number;
    },
    /** Lets requests in until `endsAt` (`performance.now()`), and no longer unless called again; undefined ends that. */
    lease(endsAt: number | undefined): void {
      leaseEndsAt = endsAt;
    },
  };
}

/** Statements that every change of keys, users and entities, and every change of records, makes in its transaction. */
export const advanceCounter = {
  keys: "update generations set value = value + 1 where name = 'keys'",
  records: "update generations set value = value + 1 where name = 'records'",
} as const;

const countersSql = `select max(value) filter (where name = 'keys') as keys,
  max(value) filter (where name = 'records') as records,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs" from generations`;

function nextCounter(before: Counter, of: string): Counter {
  if (before.of === of) return before;
  return { of, number: before.number + 1 };
}

/** The answer is from some moment between sending and receiving: a difference that explains it stays as it is. */
function nextAheadMs(
  aheadMs: number,
  databaseMs: number,
  sentAtMs: number,
  receivedAtMs: number,
): number {
  const minAheadMs = databaseMs - receivedAtMs;
  const maxAheadMs = databaseMs - sentAtMs;
  const isExplained = aheadMs >= minAheadMs && aheadMs <= maxAheadMs;
  return isExplained ? aheadMs : (minAheadMs + maxAheadMs) / 2;
}

import type { Domain } from '../../core/domain/domain.ts';
import { keptDays } from '../../core/keys/usage.ts';
import type { Credential, KeyStore, KeyUse } from '../../core/port/keys.ts';
import type { Log } from '../monitoring/log.ts';
import { Repetition } from '../monitoring/repetition.ts';
import { type AddWaiting, createDays, type DayTally, KeyTally } from '../request/key-tally.ts';

/** Well under the 2 s after which a time of last use must be on disk, and the 10 s of usage. */
const mergeMs = 1000;
/** Keys in one merge, which holds up others that write for some milliseconds. */
const mergedAtOnce = 1000;
/** Keys that wait while the store cannot be written; what further ones do meanwhile is not counted. */
const mostWaiting = 100_000;

/** Gathers what keys do and merges it into the store once a second: a request costs no write of its own. */
export class UsageRecorder {
  /** The tallies of keys that were used since the last merge. */
  readonly #waiting: DayTally[] = [];
  readonly #merging = new Repetition(mergeMs, () => this.#mergeAll());
  readonly #keys: Pick<KeyStore, 'recordUse'>;
  readonly #steady: Domain['steady'];
  readonly #log: Log;
  readonly #most: number;
  readonly #dayOf = createDays();

  constructor({ store, steady }: Pick<Domain, 'store' | 'steady'>, log: Log, most = mostWaiting) {
    this.#keys = store.keys;
    this.#steady = steady;
    this.#log = log;
    this.#most = most;
  }

  readonly tallyOf = (credential: Credential): KeyTally => new KeyTally(credential, this.#dayOf, this.#add);

  start(): void {
    this.#merging.start();
  }

  async stop(): Promise<void> {
    await this.#merging.stop();
    await this.#mergeAll();
  }

  readonly #add: AddWaiting = (tally) => {
    const isTaken = this.#waiting.length < this.#most;
    if (isTaken) this.#waiting.push(tally);
    return isTaken;
  };

  async #mergeAll(): Promise<void> {
    for (let left = this.#waiting.length; left > 0; left -= mergedAtOnce) {
      const tallies = this.#waiting.splice(0, Math.min(left, mergedAtOnce));
      try {
        await this.#merge(tallies);
      } catch (thrown) {
        // A full or locked disk may recover: a later merge includes these.
        this.#log.warn({ err: thrown }, 'last uses and usage of keys were not written; trying again');
        for (const tally of tallies) if (!tally.isWaiting) tally.isWaiting = this.#add(tally);
        return;
      }
    }
  }

  async #merge(tallies: readonly DayTally[]): Promise<void> {
    const uses = new Map<string, KeyUse>();
    for (const { keyId, use, isUsed } of tallies) {
      if (isUsed && use.atMs >= (uses.get(keyId)?.atMs ?? 0)) uses.set(keyId, { ...use });
    }
    const counters = tallies.flatMap((tally) => tally.counters());
    const counts = counters.map((counter) => ({ ...counter }));
    const used = tallies.filter(({ isUsed }) => isUsed);
    for (const tally of tallies) {
      // What happens from now on waits for the next merge.
      tally.isWaiting = false;
      tally.isUsed = false;
    }
    try {
      await this.#keys.recordUse(uses, { counts, kept: keptDays(this.#steady()) });
    } catch (thrown) {
      for (const tally of used) tally.isUsed = true;
      throw thrown;
    }
    for (const [index, counter] of counters.entries()) counter.count -= counts[index]?.count ?? 0;
  }
}

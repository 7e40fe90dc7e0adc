import type { Domain } from '../../core/domain/domain.ts';
import { keptDays } from '../../core/keys/usage.ts';
import type { Credential, KeyStore, KeyUse } from '../../core/port/keys.ts';
import type { Log } from '../monitoring/log.ts';
import { Repetition } from '../monitoring/repetition.ts';
import { type AddWaiting, createKeyTally, type DayTally, type KeyTally } from '../request/key-tally.ts';

/** Well under the 2 s after which a time of last use must be on disk, and the 10 s of usage. */
const mergeMs = 1000;
/** Keys in one merge, which holds up others that write for some milliseconds. */
const mergedAtOnce = 1000;
/** Keys that wait while the store cannot be written; what further ones do meanwhile is not counted. */
const mostWaiting = 100_000;

/** Gathers what keys do and merges it into the store once a second: a request costs no write of its own. */
export class UsageRecorder extends Repetition {
  /** The tallies of keys that were used since the last merge. */
  readonly #waiting: DayTally[] = [];
  readonly #keys: Pick<KeyStore, 'recordUse'>;
  readonly #steady: Domain['steady'];
  readonly #most: number;

  constructor({ store, steady }: Pick<Domain, 'store' | 'steady'>, log: Log, most = mostWaiting) {
    super(mergeMs, log, 'last uses and usage of keys were not written; trying again');
    this.#keys = store.keys;
    this.#steady = steady;
    this.#most = most;
  }

  readonly tallyOf = (credential: Credential): KeyTally => createKeyTally(credential, this.#add);

  override async stop(): Promise<void> {
    await super.stop();
    await this.run();
  }

  readonly #add: AddWaiting = (tally) => {
    const isTaken = this.#waiting.length < this.#most;
    if (isTaken) this.#waiting.push(tally);
    return isTaken;
  };

  protected async work(): Promise<void> {
    for (let left = this.#waiting.length; left > 0; left -= mergedAtOnce) {
      await this.#merge(this.#waiting.splice(0, Math.min(left, mergedAtOnce)));
    }
  }

  async #merge(tallies: readonly DayTally[]): Promise<void> {
    const uses = new Map<string, KeyUse>();
    for (const { keyId, use, mergedAtMs } of tallies) {
      if (use.atMs !== mergedAtMs && use.atMs >= (uses.get(keyId)?.atMs ?? 0)) uses.set(keyId, { ...use });
    }
    const counters = tallies.flatMap((tally) => tally.counters());
    const counts = counters.map((counter) => ({ ...counter }));
    const usedAtMs = tallies.map(({ use }) => use.atMs);
    // What happens from now on waits for the next merge.
    for (const tally of tallies) tally.isWaiting = false;
    try {
      await this.#keys.recordUse(uses, { counts, kept: keptDays(this.#steady()) });
    } catch (thrown) {
      for (const tally of tallies) if (!tally.isWaiting) tally.isWaiting = this.#add(tally);
      throw thrown;
    }
    for (const [index, counter] of counters.entries()) counter.count -= counts[index]?.count ?? 0;
    for (const [index, tally] of tallies.entries()) tally.mergedAtMs = usedAtMs[index] ?? 0;
  }
}

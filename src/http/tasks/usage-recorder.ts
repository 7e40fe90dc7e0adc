import type { Domain } from '../../core/domain/domain.ts';
import { keptDays } from '../../core/keys/usage.ts';
import type { Credential, KeyUse } from '../../core/port/keys.ts';
import type { Log } from '../monitoring/log.ts';
import {
  type AddWaiting,
  createKeyTally,
  type DayTally,
  type KeyTally,
} from '../request/key-tally.ts';
import { createRepetition } from './repetition.ts';

/** Well under the 2 s after which a time of last use must be on disk, and the 10 s of usage. */
const mergeMs = 1000;
/** Keys in one merge, which holds up other writers for some milliseconds. */
const keysPerMerge = 1000;
/** Keys that wait while the store cannot be written; the usage of further keys is not counted meanwhile. */
const defaultMaxWaiting = 100_000;

/** Gathers the usage of keys and merges it into the store once a second: a request costs no write of its own. */
export function createUsageRecorder(
  { store, steady }: Pick<Domain, 'store' | 'steady'>,
  log: Log,
  maxWaiting = defaultMaxWaiting,
) {
  /** The tallies of keys that were used since the last merge. */
  const waitingTallies: DayTally[] = [];

  const addWaiting: AddWaiting = (tally) => {
    const isTaken = waitingTallies.length < maxWaiting;
    if (isTaken) waitingTallies.push(tally);
    return isTaken;
  };

  async function mergeAll(): Promise<void> {
    for (let remaining = waitingTallies.length; remaining > 0; remaining -= keysPerMerge) {
      await merge(waitingTallies.splice(0, Math.min(remaining, keysPerMerge)));
    }
  }

  async function merge(tallies: readonly DayTally[]): Promise<void> {
    const lastUses = new Map<string, KeyUse>();
    for (const { keyId, use, mergedAtMs } of tallies) {
      const isUnmerged = use.atMs !== mergedAtMs;
      const isLatest = use.atMs >= (lastUses.get(keyId)?.atMs ?? 0);
      if (isUnmerged && isLatest) lastUses.set(keyId, { ...use });
    }

    const counters = tallies.flatMap((tally) => tally.counters());
    const counts = counters.map((counter) => ({ ...counter }));
    const usedAtMs = tallies.map(({ use }) => use.atMs);

    // Usage from now on waits for the next merge.
    for (const tally of tallies) tally.isWaiting = false;
    try {
      await store.keys.recordUse(lastUses, { counts, kept: keptDays(steady()) });
    } catch (thrown) {
      for (const tally of tallies) if (!tally.isWaiting) tally.isWaiting = addWaiting(tally);
      throw thrown;
    }

    for (const [index, counter] of counters.entries()) counter.count -= counts[index]?.count ?? 0;
    for (const [index, tally] of tallies.entries()) tally.mergedAtMs = usedAtMs[index] ?? 0;
  }

  return {
    ...createRepetition({
      everyMs: mergeMs,
      log,
      failure: 'last uses and usage of keys were not written; trying again',
      work: mergeAll,
      atEnd: mergeAll,
    }),
    tallyOf: (credential: Pick<Credential, 'keyId' | 'entity'>): KeyTally =>
      createKeyTally(credential, addWaiting),
  };
}

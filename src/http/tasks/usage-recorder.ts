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
/** Keys in one merge, which holds up others that write for some milliseconds. */
const mergedAtOnce = 1000;
/** Keys that wait while the store cannot be written; what further ones do meanwhile is not counted. */
const mostWaiting = 100_000;

/** Gathers what keys do and merges it into the store once a second: a request costs no write of its own. */
export function createUsageRecorder(
  { store, steady }: Pick<Domain, 'store' | 'steady'>,
  log: Log,
  maxWaiting = mostWaiting,
) {
  /** The tallies of keys that were used since the last merge. */
  const waiting: DayTally[] = [];

  const add: AddWaiting = (tally) => {
    const isTaken = waiting.length < maxWaiting;
    if (isTaken) waiting.push(tally);
    return isTaken;
  };

  async function mergeAll(): Promise<void> {
    for (let remaining = waiting.length; remaining > 0; remaining -= mergedAtOnce) {
      await merge(waiting.splice(0, Math.min(remaining, mergedAtOnce)));
    }
  }

  async function merge(tallies: readonly DayTally[]): Promise<void> {
    const uses = new Map<string, KeyUse>();
    for (const { keyId, use, mergedAtMs } of tallies) {
      if (use.atMs !== mergedAtMs && use.atMs >= (uses.get(keyId)?.atMs ?? 0))
        uses.set(keyId, { ...use });
    }
    const counters = tallies.flatMap((tally) => tally.counters());
    const counts = counters.map((counter) => ({ ...counter }));
    const usedAtMs = tallies.map(({ use }) => use.atMs);
    // Usage from now on waits for the next merge.
    for (const tally of tallies) tally.isWaiting = false;
    try {
      await store.keys.recordUse(uses, { counts, kept: keptDays(steady()) });
    } catch (thrown) {
      for (const tally of tallies) if (!tally.isWaiting) tally.isWaiting = add(tally);
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
      createKeyTally(credential, add),
  };
}

export type UsageRecorder = ReturnType<typeof createUsageRecorder>;

import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { type StateEntry, stateLine, withdrawnStateLine } from '../../journal-lines.ts';
import type { Registry } from '../registry/registry.ts';
import { appendLines, withLines } from './journal.ts';

/**
 * A change of a user or an entity with its entries in the journal. An entry that stops something is written before the
 * commit: stopped without an entry, it could come back with an old copy of the store. An entry that starts something is
 * written after the commit: without that commit it would let in what is stopped.
 */
interface JournaledChange<T> {
  stops: readonly StateEntry[];
  starts: readonly StateEntry[];
  /** The change itself, inside the transaction. */
  commit(): T;
  /** Whether `starts` still holds when its entries are written: another process may have stopped it in between. */
  stillHolds(): boolean;
}

/**
 * Makes a change in one transaction, with its journal entries. `plan` runs inside the transaction and reads what is to be
 * changed; where it returns undefined nothing is changed, and undefined is returned.
 */
export function changeWithJournal<T>(
  registry: Registry,
  { journal, kind }: { journal: string; kind: 'change' | 'stop' },
  plan: () => JournaledChange<T> | undefined,
): T | undefined {
  let starts: readonly StateEntry[] = [];
  let stillHolds = () => false;
  const result = registry[kind](() => {
    const planned = plan();
    if (!planned) return undefined;
    ({ starts, stillHolds } = planned);
    const { stops } = planned;
    return withLines(journal, stops.map(stateLine), stops.map(withdrawnStateLine), planned.commit);
  });
  if (starts.length > 0) recordStarts(registry, journal, starts, stillHolds);
  return result;
}

function recordStarts(
  registry: Registry,
  journal: string,
  starts: readonly StateEntry[],
  stillHolds: () => boolean,
): void {
  try {
    registry.change(() => {
      if (stillHolds()) appendLines(journal, starts.map(stateLine));
    });
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    const names = starts.map(({ name }) => name).join(', ');
    throw new HkctlError(
      thrown.code,
      `The change of ${names} stands, but the journal ${journal} could not note it: a restore of an older backup would undo it.`,
      { hint: 'Put that right and give the same command again.', cause: thrown },
    );
  }
}

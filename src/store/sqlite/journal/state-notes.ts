import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import type { Registry } from '../registry/registry.ts';
import { appendLines, withLines } from './journal.ts';
import { type StateNote, stateLine, withdrawnStateLine } from './journal-lines.ts';

/**
 * A change of a profile or a site with its notes in the journal beside the store. What stops something is noted before the
 * commit: stopped without a note, it could come back with an old copy of the store. What starts something is noted after
 * the commit: noted without one, it would let something in that is stopped.
 */
export interface NotedChange<T> {
  stops: readonly StateNote[];
  starts: readonly StateNote[];
  /** The change itself, inside the transaction. */
  commit(): T;
  /** Whether what was started still is so, when it is noted: another process may have stopped it meanwhile. */
  stillHolds(): boolean;
}

/**
 * Makes a change in one transaction, with its notes. `plan` reads what the change
 * is inside the transaction; undefined means that nothing is changed, and is given back.
 */
export function changeWithNotes<T>(
  registry: Registry,
  journal: string,
  plan: () => NotedChange<T> | undefined,
): T | undefined {
  let starts: readonly StateNote[] = [];
  let stillHolds = () => false;
  const result = registry.change(() => {
    const planned = plan();
    if (!planned) return undefined;
    ({ starts, stillHolds } = planned);
    const { stops } = planned;
    return withLines(journal, stops.map(stateLine), stops.map(withdrawnStateLine), planned.commit);
  });
  if (starts.length > 0) noteStarts(registry, journal, starts, stillHolds);
  return result;
}

function noteStarts(
  registry: Registry,
  journal: string,
  starts: readonly StateNote[],
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

import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { type StateEntry, stateLine } from '../../journal-lines.ts';
import { appendLines } from '../journal/journal.ts';
import type { Registry } from './registry.ts';

/** Notes in the journal what a change stops and starts. */
interface Notes {
  /** Before the commit: stopped without an entry, it could come back with an old copy of the store. A change that fails withdraws the lines. */
  stop(lines: readonly string[], withdrawn: readonly string[]): void;
  /**
   * After the commit, without which the entries would let in what is stopped; and only if they still hold: another process may
   * have stopped it in between.
   */
  start(entries: readonly StateEntry[], stillHold: () => boolean): void;
}

/** Makes a change in one transaction, with its entries in the journal. */
export function changeWithJournal<T>(
  registry: Registry,
  { journal, kind }: { journal: string; kind: 'change' | 'stop' },
  work: (notes: Notes) => T,
): T {
  let starts: readonly StateEntry[] = [];
  let stillHold = () => false;
  const result = registry[kind](() => {
    let withdrawal: readonly string[] = [];
    try {
      return work({
        stop(lines, withdrawn) {
          appendLines(journal, lines);
          withdrawal = withdrawn;
        },
        start(entries, hold) {
          starts = entries;
          stillHold = hold;
        },
      });
    } catch (thrown) {
      appendLines(journal, withdrawal);
      throw thrown;
    }
  });
  if (starts.length > 0) recordStarts(registry, journal, starts, stillHold);
  return result;
}

function recordStarts(
  registry: Registry,
  journal: string,
  starts: readonly StateEntry[],
  stillHold: () => boolean,
): void {
  try {
    registry.change(() => {
      if (stillHold()) appendLines(journal, starts.map(stateLine));
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

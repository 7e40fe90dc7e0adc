import { HkctlError, isHkctlError } from '../../core/errors.ts';
import { draftOfStop, stopText } from '../../core/operations/stops.ts';
import type { Stop } from '../../core/port/stops.ts';
import { firstFew } from '../../core/text/shown-text.ts';
import type { StoreOptions } from '../shared/options.ts';
import {
  applyStops,
  lastLeadersAmong,
  linesMissingIn,
  readStates,
  type State,
  stopsMissingIn,
} from '../shared/registry/stops.ts';
import {
  idsIn,
  type JournalSummary,
  readJournal,
  startOfLastChange,
} from '../shared/revocation-journal.ts';
import { filesOf, pause, sizeOf } from './connection/files.ts';
import type { Registry } from './registry/registry.ts';
import {
  appendLines,
  markedJournalBytes,
  markJournal,
  readJournalFile,
  uncomparedBytes,
} from './registry/revocation-journal.ts';
import { createRunner, runStatement, type SqliteRunner } from './registry/statements.ts';

interface ReplayOptions extends Pick<StoreOptions, 'clock' | 'osAccount'> {
  /** Whether SQLite's log was next to the registry before this process opened it. */
  hadLog: boolean;
}

/** Time for another process that has just opened a copy without a log. */
const retries = 4;
const retryMs = 50;

/**
 * Stops the keys, users and entities again that the journal names as stopped and the registry does not. A store that was copied
 * without its log (`-wal`) would revive them. Costs a comparison of two numbers, unless they differ. Returns the stopped ones;
 * throws if the registry cannot take the change, since it would let stopped keys in.
 */
export function stopAgain(
  registry: Registry,
  storePath: string,
  options: ReplayOptions,
): readonly Stop[] {
  const journal = filesOf(storePath).revocations;
  const isCurrent = () => {
    const markedBytes = registry.read(() => markedJournalBytes(registry.connection));
    return markedBytes === sizeOf(journal);
  };
  if (isCurrent()) return [];

  // With a log, the last change may have been cut off before its commit, and its command is given again. The log may also belong
  // to another process, which opened a copy without one and is stopping everything right now.
  if (options.hadLog) {
    for (let remaining = retries; remaining > 0; remaining--) {
      pause(retryMs);
      if (isCurrent()) return [];
    }
  }

  const replayContext = { storePath, journal, ...options };
  const runner = createRunner(registry, journal);
  try {
    return registry.stop(() => replay(registry, runner, replayContext));
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    const stillMissing = registry.read(() => missingStops(registry, runner, replayContext));
    // All is stopped; only the length of the journal could not be noted, as in a store that cannot be written.
    if (stillMissing.length === 0) return [];
    throw notStopped(storePath, stillMissing, thrown);
  }
}

/**
 * Notes the length of the journal before a process closes the store. A change of another process may have been cut off between the
 * journal and its commit meanwhile; it is left to the command that is given again. The log may go with this process, and then
 * that change would look like one that a copy without a log has lost.
 */
export function completeJournal(
  registry: Registry,
  storePath: string,
  options: Omit<ReplayOptions, 'hadLog'>,
): void {
  stopAgain(registry, storePath, { ...options, hadLog: true });
}

interface ReplayContext extends ReplayOptions {
  storePath: string;
  journal: string;
}

function replay(
  registry: Registry,
  runner: SqliteRunner,
  replayContext: ReplayContext,
): readonly Stop[] {
  const { journal, clock, osAccount = 'unknown' } = replayContext;
  const stopped = missingStops(registry, runner, replayContext);
  runStatement(applyStops(runner, stopped));

  const stoppedBy = { actor: null, osAccount, atMs: clock() };
  for (const stoppedItem of stopped) runner.append(draftOfStop(stoppedItem, stoppedBy));
  if (markedJournalBytes(registry.connection) === uncomparedBytes) {
    const states = runStatement(readStates(runner));
    appendLines(journal, linesMissingIn(readJournalFile(journal) ?? '', states, clock()));
  }
  markJournal(registry.connection, journal);
  return stopped;
}

function missingStops(
  { connection }: Registry,
  runner: SqliteRunner,
  { storePath, journal, hadLog }: ReplayContext,
): readonly Stop[] {
  const states = runStatement(readStates(runner));
  const journalText = readJournalFile(journal) ?? '';
  const markedBytes = markedJournalBytes(connection);
  const missingSummary = missingIn(journalText, { from: markedBytes, hadLog });
  const stopped = stopsMissingIn(states, missingSummary);
  requireLeaders(storePath, states, stopped);
  return stopped;
}

/** The entries of a journal about the keys, users and entities that its lines after `from` name. */
function missingIn(
  journal: string,
  { from, hadLog }: { from: number; hadLog: boolean },
): JournalSummary {
  const journalBytes = Buffer.from(journal);
  // A shorter journal is another one.
  const isCompared = from !== uncomparedBytes && from <= journalBytes.length;
  const missingFrom = isCompared ? from : 0;
  const missingLines = journalBytes.subarray(missingFrom).toString();
  const namedIds = idsIn(missingLines);

  const knownLines = hadLog ? journal.slice(0, startOfLastChange(journal)) : journal;
  const { events, roles, entities, torn } = readJournal(knownLines);
  const onlyNamed = <T>(entries: ReadonlyMap<string, T>) =>
    new Map([...entries].filter(([id]) => namedIds.has(id)));
  return {
    events: onlyNamed(events),
    roles: onlyNamed(roles),
    entities: onlyNamed(entities),
    torn,
  };
}

function requireLeaders(
  storePath: string,
  states: readonly State[],
  stopped: readonly Stop[],
): void {
  const lostLeaders = lastLeadersAmong(states, stopped);
  if (lostLeaders === undefined) return;
  throw new HkctlError(
    'store_corrupt',
    `The store ${storePath} lacks changes that its journal names: its Super users were stopped (${lostLeaders.logins}), and nobody could act in ${lostLeaders.organizations}.`,
    {
      hint: 'Copy the store again with the files -wal next to its databases, or restore the last backup: hkctl restore FILE',
    },
  );
}

function notStopped(storePath: string, stopped: readonly Stop[], cause: HkctlError): HkctlError {
  const names = firstFew(stopped.map(stopText)).join(', ');
  return new HkctlError(
    cause.code,
    `The journal of the store ${storePath} names what the store does not have as stopped (${names}), and it could not be stopped again: ${cause.message}`,
    { hint: cause.hint, cause },
  );
}

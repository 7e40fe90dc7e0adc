import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { selectMark, setMark } from '../../shared/registry/statements.ts';
import { type JournalEntry, linesOf } from '../../shared/revocation-journal.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import { translating } from '../../sqlite-file/errors.ts';
import { sizeOf } from '../connection/files.ts';
import { createExecutor, dialect, type Registry } from './registry.ts';

/** The text of a journal; undefined if nothing was ever stopped. */
export function readJournalFile(journal: string): string | undefined {
  return translating(journal, () => {
    if (!existsSync(journal)) return undefined;
    return readFileSync(journal, 'utf8');
  });
}

/** Appends lines to a journal, synced, all or none. The registry's write lock must be held, so that no other process appends. */
export function appendLines(journal: string, lines: readonly string[]): void {
  append(journal, lines, fsyncSync);
}

/** Appends lines without which more is stopped than intended, never less: they need no sync, and a disk that fails keeps them. */
function appendWithdrawals(journal: string, entries: readonly JournalEntry[]): void {
  append(journal, linesOf(entries, true), () => {});
}

function append(journal: string, lines: readonly string[], sync: (fd: number) => void): void {
  if (lines.length === 0) return;
  translating(journal, () => {
    const fd = openSync(journal, 'a+', 0o600);
    try {
      const sizeBefore = fstatSync(fd).size;
      try {
        writeLines(fd, sizeBefore, lines.join(''));
        sync(fd);
      } catch (thrown) {
        ftruncateSync(fd, sizeBefore);
        throw thrown;
      }
    } finally {
      closeSync(fd);
    }
  });
}

/** Ends a line that a power cut tore: the next line would be lost. */
function writeLines(fd: number, sizeBefore: number, appendedText: string): void {
  const lastByte = Buffer.alloc(1);
  const isTorn =
    sizeBefore > 0 &&
    readSync(fd, lastByte, 0, 1, sizeBefore - 1) === 1 &&
    lastByte.toString() !== '\n';

  let unwritten = Buffer.from(isTorn ? `\n${appendedText}` : appendedText);
  while (unwritten.length > 0) {
    const writtenBytes = writeSync(fd, unwritten);
    unwritten = unwritten.subarray(writtenBytes);
  }
}

/** The mark with the length of the journal up to which the registry has every line. */
const journalMark = 'journal_bytes';

/** Notes in the registry, within a change, that it has every line of the journal. */
export function markJournal(registry: Connection, journal: string): void {
  setJournalBytes(registry, sizeOf(journal));
}

/** Notes in a restored registry that it was not compared with the journal yet, which may lack stops that came with the backup. */
export function markUncompared(registry: Connection): void {
  setJournalBytes(registry, uncomparedBytes);
}

export const uncomparedBytes = -1;

/** How much of its journal a registry has; 0 if that was never noted. */
export function markedJournalBytes(registry: Connection): number {
  const mark = executorOf(registry).first(readJournalMark, { name: journalMark });
  return mark?.value ?? 0;
}

function setJournalBytes(registry: Connection, value: number): void {
  executorOf(registry).query(setJournalMark, { name: journalMark, value });
}

const setJournalMark = setMark(dialect);
const readJournalMark = selectMark(dialect);

function executorOf(connection: Connection) {
  return createExecutor({ connection, read: (work) => work() });
}

interface Notes {
  /** Before the commit: without an entry, an old copy of the store could revive a stopped key. A change that fails withdraws the entries. */
  stop(entries: readonly JournalEntry[]): void;
  /** After the commit, and only if no other process has stopped the keys meanwhile: earlier entries would let stopped keys in. */
  start(entries: readonly JournalEntry[], stillHold: () => boolean): void;
}

interface JournalledChange {
  journal: string;
  kind: 'change' | 'stop' | 'sample';
}

export function changeWithJournal<T>(
  registry: Registry,
  { journal, kind }: JournalledChange,
  change: (notes: Notes) => T,
): T {
  let notedStops: readonly JournalEntry[] = [];
  let notedUntil = 0;
  let pendingStarts: readonly JournalEntry[] = [];
  let stillHold = () => false;
  const notes: Notes = {
    stop(entries) {
      appendLines(journal, linesOf(entries));
      notedStops = entries;
      notedUntil = sizeOf(journal);
      if (entries.length > 0) markJournal(registry.connection, journal);
    },
    start(entries, holdsStill) {
      pendingStarts = entries;
      stillHold = holdsStill;
    },
  };

  let changeResult: T;
  try {
    changeResult = registry[kind](() => change(notes));
  } catch (thrown) {
    if (notedStops.length > 0) withdraw(registry, journal, { notedStops, notedUntil });
    throw thrown;
  }
  if (pendingStarts.length > 0) noteStarts(registry, journal, { pendingStarts, stillHold });
  return changeResult;
}

interface FailedStops {
  notedStops: readonly JournalEntry[];
  /** The length of the journal with their lines. */
  notedUntil: number;
}

/** Withdraws the lines of a change that failed, also at its commit: the next process would make the stops. */
function withdraw(
  registry: Registry,
  journal: string,
  { notedStops, notedUntil }: FailedStops,
): void {
  try {
    registry.alone(() => {
      // Another process may have noted that the registry has the lines, and made the stops.
      const isUnseen = markedJournalBytes(registry.connection) < notedUntil;
      if (isUnseen) appendWithdrawals(journal, notedStops);
    });
  } catch (thrown) {
    // The failure of the change is reported, and hkctl doctor names keys that the journal has as stopped.
    if (!isHkctlError(thrown)) throw thrown;
  }
}

interface Starts {
  pendingStarts: readonly JournalEntry[];
  stillHold(): boolean;
}

function noteStarts(
  registry: Registry,
  journal: string,
  { pendingStarts, stillHold }: Starts,
): void {
  try {
    registry.change(() => {
      if (!stillHold()) return;
      appendLines(journal, linesOf(pendingStarts));
      markJournal(registry.connection, journal);
    });
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    const names = pendingStarts.map(({ name }) => name).join(', ');
    throw new HkctlError(
      thrown.code,
      `The change of ${names} is committed, but the journal ${journal} could not record it: a restore of an older backup would undo it.`,
      { hint: 'Put that right and give the same command again.', cause: thrown },
    );
  }
}

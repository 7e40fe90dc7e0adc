import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { translating } from '../connection/errors.ts';
import { openSmallFile } from '../connection/safe-files.ts';
import { type KeyEvent, keyLine, type Revocation } from './journal-lines.ts';

/**
 * Notes revocations in an append-only file beside the store, synced, so that restoring an old copy revives no key. Runs
 * `commit` after the note: a key revoked without one could come back. Where the commit fails the note is taken back.
 */
export function withJournal<T>(file: string, revocations: readonly Revocation[], commit: () => T): T {
  const lines = (event: KeyEvent) => revocations.map((revocation) => keyLine(event, revocation));
  return withLines(file, lines('revoked'), lines('withdrawn'), commit);
}

/** The same with any lines of the journal, and those that take them back. The registry's write lock must be held. */
export function withLines<T>(file: string, made: readonly string[], withdrawn: readonly string[], commit: () => T): T {
  if (made.length === 0) return commit();
  appendLines(file, made);
  try {
    return commit();
  } catch (thrown) {
    appendLines(file, withdrawn);
    throw thrown;
  }
}

/** Appends lines to a journal, synced, all or none. The registry's write lock must be held: nobody else appends meanwhile. */
export function appendLines(file: string, lines: readonly string[]): void {
  translating(file, () => {
    const fd = openSmallFile(file, 'append');
    try {
      appendWhole(fd, lines.join(''));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/**
 * All or nothing: a disk that gets full takes the first half of a line, and the next one would be lost behind it; so would
 * one behind the half that a power cut left. Nobody else appends meanwhile: notes are made under the registry's write lock.
 */
function appendWhole(fd: number, lines: string): void {
  const before = fstatSync(fd).size;
  const last = Buffer.alloc(1);
  const isTorn = before > 0 && readSync(fd, last, 0, 1, before - 1) === 1 && last.toString() !== '\n';
  try {
    for (let rest = Buffer.from(isTorn ? `\n${lines}` : lines); rest.length > 0; ) {
      rest = rest.subarray(writeSync(fd, rest));
    }
  } catch (thrown) {
    ftruncateSync(fd, before);
    throw thrown;
  }
}

import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { translating } from './errors.ts';
import { openSmallFile } from './safe-files.ts';

/** A key that is about to be revoked, as the journal names it. */
export interface Revocation {
  atMs: number;
  keyId: string;
  prefix: string;
  secretHash: string;
}

/**
 * Notes revocations in an append-only file beside the store, synced, so that restoring an old copy revives no key. Runs
 * `commit` after the note: a key revoked without one could come back. Where the commit fails the note is taken back.
 */
export function withJournal<T>(file: string | null, revocations: readonly Revocation[], commit: () => T): T {
  if (file === null || revocations.length === 0) return commit();
  appendLines(
    file,
    revocations.map((revocation) => toLine('revoked', revocation)),
  );
  try {
    return commit();
  } catch (thrown) {
    appendLines(
      file,
      revocations.map((revocation) => toLine('withdrawn', revocation)),
    );
    throw thrown;
  }
}

/** Ids of the keys that a journal says are revoked, with the time; a note that was withdrawn does not count. */
export function revokedIn(journal: string): Map<string, number> {
  const revoked = new Map<string, number>();
  for (const line of journal.split('\n')) {
    const [at = '', event, keyId = ''] = line.split(' ');
    // A line that a power cut left in half names no time or no whole key.
    if (!wholeLine.test(line)) continue;
    if (event === 'revoked') revoked.set(keyId, Date.parse(at));
    else revoked.delete(keyId);
  }
  return revoked;
}

/** How many lines of a journal a power cut left in half. */
export function tornLinesIn(journal: string): number {
  return journal.split('\n').filter((line) => line !== '' && !wholeLine.test(line)).length;
}

const wholeLine = /^\S+Z (?:revoked|withdrawn) \S{36} hk_\w{5} \S{43}$/;

function toLine(event: 'revoked' | 'withdrawn', { atMs, keyId, prefix, secretHash }: Revocation): string {
  return `${new Date(atMs).toISOString()} ${event} ${keyId} ${prefix} ${secretHash}\n`;
}

function appendLines(file: string, lines: readonly string[]): void {
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

import { closeSync, fstatSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { translating } from './errors.ts';
import { giveToFolderOwner } from './files.ts';

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

function toLine(event: 'revoked' | 'withdrawn', { atMs, keyId, prefix, secretHash }: Revocation): string {
  return `${new Date(atMs).toISOString()} ${event} ${keyId} ${prefix} ${secretHash}\n`;
}

function appendLines(file: string, lines: readonly string[]): void {
  translating(file, () => {
    const fd = openSync(file, 'a', 0o600);
    try {
      if (fstatSync(fd).size === 0) giveToFolderOwner(file);
      writeSync(fd, lines.join(''));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

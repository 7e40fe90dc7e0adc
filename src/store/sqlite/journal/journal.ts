import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { translating } from '../../sqlite-database/errors.ts';
import { openSmallFile } from '../connection/safe-files.ts';

/** Appends lines to a journal, synced, all or none. The registry's write lock must be held, so that no other process appends. */
export function appendLines(file: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
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
 * All or nothing: a disk that gets full takes a part of a line, and the next line would be lost behind it; so would one
 * behind the part that a power cut left, which gets a line break first.
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

import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { BackupDigest } from '../../core/operations/backups.ts';

/**
 * A backup ends with a line such as `sha256:9f86…`: the digest of every byte before it, and so of all rows and of the schema.
 * SQLite ignores the line, since the header of a database counts its pages.
 */
export const digestLineBytes = 'sha256:'.length + 64 + 1;

const digestPattern = /^sha256:[0-9a-f]{64}$/;

export function isDigest(text: string): boolean {
  return digestPattern.test(text);
}

/** The digest that the last bytes of a file state; undefined if they are no such line. */
export function digestIn(lastBytes: Buffer): BackupDigest | undefined {
  const line = lastBytes.toString('latin1');
  return line.endsWith('\n') && isDigest(line.slice(0, -1)) ? line.slice(0, -1) : undefined;
}

/** Computes the digest of bytes as they pass by. */
export function createDigest() {
  const hash = createHash('sha256');
  return {
    update: (bytes: Uint8Array) => void hash.update(bytes),
    end: (): BackupDigest => `sha256:${hash.digest('hex')}`,
  };
}

const pieceBytes = 2 ** 20;

/** Writes all bytes of an open file and the line of their digest, which is returned. */
export function copyWithDigest(fd: number, write: (bytes: Uint8Array) => void): BackupDigest {
  const digest = createDigest();
  const piece = Buffer.allocUnsafe(pieceBytes);
  for (let at = 0; ; ) {
    const length = readSync(fd, piece, 0, piece.length, at);
    if (length === 0) break;
    at += length;
    const bytes = piece.subarray(0, length);
    digest.update(bytes);
    write(bytes);
  }

  const ofContent = digest.end();
  write(Buffer.from(`${ofContent}\n`, 'latin1'));
  return ofContent;
}

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
  const digestLine = lastBytes.toString('latin1');
  const digest = digestLine.slice(0, -1);
  return digestLine.endsWith('\n') && isDigest(digest) ? digest : undefined;
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
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (let offset = 0; ; ) {
    const length = readSync(fd, buffer, 0, buffer.length, offset);
    if (length === 0) break;
    offset += length;
    const piece = buffer.subarray(0, length);
    digest.update(piece);
    write(piece);
  }

  const contentDigest = digest.end();
  write(Buffer.from(`${contentDigest}\n`, 'latin1'));
  return contentDigest;
}

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isHkctlError } from '../../src/core/errors.ts';
import { digestIn, digestLineBytes, openBackup } from '../../src/store/backup-file/format.ts';
import { receiveAndOpen } from '../../src/store/backup-file/restoring.ts';
import { verifyBackup } from '../../src/store/backup-file/verification.ts';
import { storeOptions } from './stores.ts';

/** A backup without the line of its digest. */
export function contentOf(file: string): Buffer {
  const bytes = readFileSync(file);
  return digestIn(bytes.subarray(-digestLineBytes)) ? bytes.subarray(0, -digestLineBytes) : bytes;
}

/** Gives a backup that was changed the digest of what it holds now, as its author could. */
export function reseal(file: string): void {
  const content = contentOf(file);
  const digest = createHash('sha256').update(content).digest('hex');
  writeFileSync(file, Buffer.concat([content, Buffer.from(`sha256:${digest}\n`)]));
}

/** Checks the rows of a backup, whatever its digest is. */
export async function verify(file: string): Promise<void> {
  const backup = openBackup(file, file, storeOptions.migrationsFolder);
  try {
    await verifyBackup(backup, file);
  } finally {
    backup.connection.close();
  }
}

/** The code of the error with which bytes are refused as a backup; undefined if they are received. */
export async function refusalOf(bytes: Uint8Array, copy: string): Promise<string | undefined> {
  try {
    const source = { origin: piecesOf(bytes), expected: undefined };
    const backup = await receiveAndOpen(source, copy, storeOptions);
    backup.discard();
    return undefined;
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return thrown.code;
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

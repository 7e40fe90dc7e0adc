import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { openBackup } from '../../src/store/archive/format.ts';
import { verifyBackup } from '../../src/store/archive/verification.ts';
import { storeOptions } from './stores.ts';

/** Offsets of the size of a page and of the number of pages in the header of a database. */
const [pageSizeAt, pagesAt] = [16, 28];

/** The database in a backup, without the line of its digest. */
export function contentOf(file: string): Buffer {
  const bytes = readFileSync(file);
  const pageSize = bytes.readUInt16BE(pageSizeAt);
  return bytes.subarray(0, (pageSize === 1 ? 65_536 : pageSize) * bytes.readUInt32BE(pagesAt));
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

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { translating } from '../sqlite-file/errors.ts';

/** Runs something with a new folder that only this account can enter, for a store that has no folder of its own. */
export async function inPrivateFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = translating(tmpdir(), () => mkdtempSync(join(tmpdir(), 'hkctl-backup-')));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

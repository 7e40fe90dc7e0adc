import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { translating } from '../sqlite-file/errors.ts';

/** Runs something with a new folder that only this account can enter, for a store that has no folder of its own. */
export async function inPrivateFolder<T>(useFolder: (folder: string) => Promise<T>): Promise<T> {
  const prefix = join(tmpdir(), 'hkctl-backup-');
  const folder = translating(tmpdir(), () => mkdtempSync(prefix));
  try {
    return await useFolder(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

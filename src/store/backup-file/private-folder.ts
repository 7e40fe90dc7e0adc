import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { translating } from '../sqlite-file/errors.ts';

/** Makes a folder that only this account can enter, for a store that has none of its own; the caller removes it. */
export function makePrivateFolder(): string {
  return translating(tmpdir(), () => mkdtempSync(join(tmpdir(), 'hkctl-backup-')));
}

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Small stores as earlier versions of hkctl left them, with a backup of each; never written anew. */
const frozenFolder = join(__dirname, 'frozen');

/** The last version before 0.2.0, the first whose stores are kept compatible. */
export const frozenVersion = 'version-0.1';

export const frozenVersions = readdirSync(frozenFolder);

/** Writes a copy of a frozen store, and of its backup, into a folder. */
export function thaw(version: string, folder: string): { store: string; backup: string } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const file of readdirSync(join(frozenFolder, version))) {
    const bytes = readFileSync(join(frozenFolder, version, file));
    const content = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    writeFileSync(join(folder, basename(file, '.gz')), content, { mode: 0o600 });
  }
  return { store: join(folder, 'hkctl.db'), backup: join(folder, 'plant.backup') };
}

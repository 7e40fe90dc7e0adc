import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isHkctlError } from '../../core/errors.ts';
import { compactInstant } from '../../core/operations/backups.ts';
import { removeLeftover, translatingTarget } from './backup-target.ts';

/**
 * The path of a backup before a migration of a store, with a number where it is taken: that one may hold the only copy of the older
 * store. Removes what earlier migrations of the store left in the folder when they were killed while they wrote theirs.
 */
export function beforeMigration(folder: string, name: string, atMs: number): string {
  const stem = `${name}${marker}`;
  removeLeftovers(folder, stem);
  const path = join(folder, `${stem}${compactInstant(atMs)}`);
  const isTaken = (file: string) => lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  let target = `${path}.backup`;
  for (let count = 2; isTaken(target); count++) target = `${path}-${count}.backup`;
  return target;
}

const marker = '.before-migrate-';
/** What follows the marker in the name of a file that is not complete. */
const unfinished = /^\d{8}T\d{6}Z(?:-\d+)?\.backup\.new$/;

function removeLeftovers(folder: string, stem: string): void {
  const names = translatingTarget(folder, () => readdirSync(folder));
  for (const name of names) {
    if (!name.startsWith(stem) || !unfinished.test(name.slice(stem.length))) continue;
    try {
      removeLeftover(join(folder, name));
    } catch (thrown) {
      // The file of somebody else, or of a migration that is under way.
      if (!isHkctlError(thrown) || thrown.code !== 'state_forbids') throw thrown;
    }
  }
}

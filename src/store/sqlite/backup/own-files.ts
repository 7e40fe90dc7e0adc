import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { HkctlError } from '../../../core/errors.ts';
import { translatingTarget } from '../../backup-file/backup-target.ts';
import { filesOf } from '../connection/files.ts';
import { rebuiltPath } from '../migration/rebuilt-readings.ts';
import { preparedPath } from '../restore/prepared.ts';

/** Refuses a file of the store at a path, since a backup in its place would destroy both. Throws `bad_input`. */
export function requireElsewhere(target: string, path: string): void {
  const isOwn = translatingTarget(target, () => {
    const place = placeOf(target);
    return ownFiles(path).some((file) => resolve(file) === target || (place !== undefined && placeOf(file) === place));
  });
  if (!isOwn) return;
  throw new HkctlError('bad_input', `${target} is a file of the store itself; nothing was written.`, {
    hint: 'Give another name, best on another disk.',
  });
}

/** Identifies a file by device and inode, whatever its name. */
function placeOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}

/** Every file that a store has or may have, those of a restore under way among them. */
function ownFiles(path: string): string[] {
  const prepared = preparedPath(path);
  const bases = [path, prepared.store].flatMap((store) => Object.values(filesOf(store)));
  const sidecars = ['', '-wal', '-shm', '-journal'];
  return [prepared.ready, prepared.lock, rebuiltPath(path), ...bases].flatMap((file) =>
    sidecars.map((end) => file + end),
  );
}

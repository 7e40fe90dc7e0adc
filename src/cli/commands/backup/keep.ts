import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Domain } from '../../../core/domain/domain.ts';
import { HkctlError } from '../../../core/errors.ts';
import { unwritable } from '../../../core/files.ts';
import { backupName, storeIdOf } from '../../../core/operations/backups.ts';
import type { Context } from '../../command/context.ts';

/** Parses how many backups to keep. Throws `usage`. */
export function parseKeep(given: string): number {
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given);
  throw new HkctlError('usage', `"${given}" is not a number of backups: give one from 1 to 9999.`);
}

interface NextBackup {
  target: string;
  storeId: string;
  /** By which the series is ordered: the time in a name is only as right as the clock was. */
  number: number;
}

/** The next backup of this store's series in a folder. Throws `usage` for another path. */
export async function nextInSeries(
  folder: string,
  { store }: Pick<Domain, 'store'>,
  { io: { clock }, services }: Pick<Context, 'io' | 'services'>,
): Promise<NextBackup> {
  if (!isFolder(folder)) {
    throw new HkctlError('usage', `${folder} is not a folder that exists.`, {
      hint: 'Make it first. Backups in a folder get names of their own, by the time and the store.',
    });
  }
  const storeId = await storeIdOf(store);
  // The machine's clock, right or wrong: the store's stands still while that one is behind, and names must differ.
  const target = join(folder, backupName(clock(), storeId));
  return { target, storeId, number: await services.nextBackupNumber({ folder, storeId }) };
}

/** Whether a path leads to a folder. Throws what {@link unwritable} says of one that cannot be seen. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (thrown) {
    throw unwritable(path, thrown) ?? thrown;
  }
}

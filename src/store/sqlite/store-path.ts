import { statSync } from 'node:fs';
import { HkctlError } from '../../core/errors.ts';
import { translating } from './errors.ts';

/**
 * Refuses a path at which no database can be, whatever the account may do: a folder, a device, a circle of links. Throws
 * `store_unreadable` (exit 6).
 */
export function requireStorePath(path: string): void {
  const found = translating(path, () => statSync(path, { throwIfNoEntry: false }));
  if (!found || found.isFile()) return;
  const what = found.isDirectory() ? 'a folder' : 'no ordinary file';
  throw new HkctlError('store_unreadable', `${path} is ${what}, and so no store.`, {
    hint: 'Name the file of the store with --store PATH or HKCTL_STORE.',
  });
}

import { type Stats, statSync } from 'node:fs';
import { HkctlError } from '../../../core/errors.ts';
import { translating } from '../../sqlite-database/errors.ts';
import { isCode } from './files.ts';

/**
 * Refuses a path that cannot hold a database for any account, such as a folder, a device or a loop of links:
 * `store_unreadable` (exit 6).
 */
export function requireStorePath(path: string): void {
  const found = translating(path, () => find(path));
  if (!found || found.isFile()) return;
  const what = found.isDirectory() ? 'a folder' : 'no ordinary file';
  throw new HkctlError('store_unreadable', `${path} is ${what}, which cannot be a store.`, {
    hint: 'Name the file of the store with --store PATH or HKCTL_STORE.',
  });
}

/** From version 24 on, `throwIfNoEntry: false` also hides ENOTDIR, a file in place of a folder. */
function find(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (thrown) {
    if (isCode(thrown, 'ENOENT')) return undefined;
    throw thrown;
  }
}

import { accessSync, constants, statSync } from 'node:fs';
import { errnoOf } from '../core/errno.ts';
import { loginOf } from './sudo.ts';

export interface ClosedFolder {
  folder: string;
  /** Its login, or `#` and its number if this machine's file of accounts has none; sudo accepts both. */
  account: string;
}

/** The folder if this account may not enter it; undefined if it may, or if there is none. */
export function closedFolder(folder: string): ClosedFolder | undefined {
  try {
    accessSync(folder, constants.X_OK);
    return undefined;
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EACCES') return undefined;
  }
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
  return owner === undefined ? undefined : { folder, account: loginOf(owner) ?? `#${owner}` };
}

import { accessSync, constants, statSync } from 'node:fs';
import { errnoOf } from '../core/errno.ts';
import { HkctlError } from '../core/errors.ts';
import { walkPath } from '../core/files/named-path.ts';
import { modeText } from '../core/files/path-faults.ts';
import { shellWord } from '../core/text/quoting.ts';
import { loginOf } from './sudo.ts';

export interface Account {
  uid: number;
  gid: number;
}

/**
 * The account that decides what is in a folder: the first other than root that owns a folder or a link on the path to it, or the
 * folder itself; undefined if all of them are root's. Throws `store_unreadable` (exit 6) for a folder of root in which other
 * accounts can replace any entry, since then any of them decides where the path leads.
 */
export function accountOf(folder: string): Account | undefined {
  try {
    for (const { path, stats } of walkPath(folder)) {
      if (stats === undefined) return undefined;
      const { uid, gid, mode } = stats;
      if (uid !== 0) return { uid, gid };
      if (!stats.isDirectory()) continue;
      const isGroupWritable = gid !== 0 && (mode & 0o020) !== 0;
      const isOpen = isGroupWritable || (mode & 0o002) !== 0;
      // In a sticky folder such as /tmp only its owner and the owner of an entry can replace that entry.
      if (isOpen && (mode & 0o1000) === 0) throw openToOthers(path, mode);
    }
  } catch (thrown) {
    // The code that opens the store reports a path that leads nowhere.
    if (errnoOf(thrown) === undefined) throw thrown;
  }
  return undefined;
}

function openToOthers(folder: string, mode: number): HkctlError {
  const message = `Accounts other than root can write the folder ${folder} (mode ${modeText(mode)}).`;
  return new HkctlError('store_unreadable', `${message} Root does not work on a store there.`, {
    hint: `Close the folder: chmod go-w ${shellWord(folder)}`,
  });
}

/** The folder if this account may not enter it, with the login of its owner, or `#` and its number, as sudo accepts it. */
export function folderOfAnother(folder: string): { folder: string; account: string } | undefined {
  try {
    accessSync(folder, constants.X_OK);
    return undefined;
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EACCES') return undefined;
  }

  const ownerUid = statSync(folder, { throwIfNoEntry: false })?.uid;
  if (ownerUid === undefined) return undefined;
  return { folder, account: loginOf(ownerUid) ?? `#${ownerUid}` };
}

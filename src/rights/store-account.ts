import { accessSync, constants, lstatSync, readlinkSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { errnoOf } from '../core/errno.ts';
import { HkctlError } from '../core/errors.ts';
import { modeText } from '../core/files.ts';
import { shellWord } from '../core/text/quoting.ts';
import { loginOf } from './sudo.ts';

export interface Account {
  uid: number;
  gid: number;
}

/** The longest chain of links to follow, as in Linux. */
const linksAtMost = 40;

/**
 * The account that decides what is in a folder: the first other than root that owns a folder or a link on the path to it, or the
 * folder itself; undefined if all of them are root's. Throws `store_unreadable` (exit 6) for a folder of root in which other
 * accounts can replace any entry, since then any of them decides where the path leads.
 */
export function accountOf(folder: string): Account | undefined {
  const remainingParts = resolve(folder).split(sep).filter(Boolean).reverse();
  let here: string = sep;
  for (
    let links = 0, name = remainingParts.pop();
    name !== undefined;
    name = remainingParts.pop()
  ) {
    const next = join(here, name);
    const stats = lstatSync(next, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { uid, gid, mode } = stats;
    if (uid !== 0) return { uid, gid };
    if (stats.isSymbolicLink()) {
      if (++links > linksAtMost) return undefined;
      const target = readlinkSync(next);
      remainingParts.push(...target.split(sep).filter(Boolean).reverse());
      if (target.startsWith(sep)) here = sep;
      continue;
    }
    // The code that opens the store reports this.
    if (!stats.isDirectory()) return undefined;
    const isOpen = (mode & 0o002) !== 0 || (gid !== 0 && (mode & 0o020) !== 0);
    // In a sticky folder such as /tmp only its owner and the owner of an entry can replace that entry.
    if (isOpen && (mode & 0o1000) === 0) throw openToOthers(next, mode);
    here = next;
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
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
  return owner === undefined ? undefined : { folder, account: loginOf(owner) ?? `#${owner}` };
}

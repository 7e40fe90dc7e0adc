import { lstatSync, mkdirSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { errnoOf } from '../core/errno.ts';
import { HkctlError } from '../core/errors.ts';
import { modeText } from '../core/text/file-mode.ts';

/** The account that a folder belongs to. */
export interface FolderOwner {
  uid: number;
  gid: number;
}

/** The longest chain of links to follow, as in Linux. */
const linksAtMost = 40;

/**
 * The account with whose rights root may work in a folder: its owner or, where it does not exist yet, the owner of the
 * nearest folder above it. Checks every folder on the way, links included, since an account that can write one of them decides
 * where the path leads. Throws `store_unreadable` (exit 6) where an account other than that owner and root can do so.
 */
export function ownerOfFolder(folder: string): FolderOwner {
  const rest = resolve(folder).split(sep).filter(Boolean).reverse();
  let here: string = sep;
  let stats = lstatSync(here);
  const deciders = new Map<number, string>();
  for (let links = 0, name = rest.pop(); name !== undefined; name = rest.pop()) {
    noteDecider(deciders, here, stats);
    const next = join(here, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) break;
    // In a sticky folder only its owner and the owner of an entry can replace that entry.
    if (isOpenToOthers(stats)) noteDecider(deciders, next, found);
    if (found.isSymbolicLink()) {
      if (++links > linksAtMost) throw notSafe(`The links on the way to ${folder} run in a circle.`, folder);
      const target = readlinkSync(next);
      rest.push(...target.split(sep).filter(Boolean).reverse());
      if (!target.startsWith(sep)) continue;
      here = sep;
      stats = lstatSync(here);
    } else {
      here = next;
      stats = found;
    }
  }
  requireClosed(here, stats);
  for (const [uid, place] of deciders) {
    if (uid === 0 || uid === stats.uid) continue;
    throw notSafe(
      `The way to the store ${folder} leads through ${place}, which the account ${uid} can replace.`,
      folder,
    );
  }
  return { uid: stats.uid, gid: stats.gid };
}

/**
 * Makes a folder where there is none, as root. Returns false where another account created one of them first: then the
 * path must be checked again. Any other error is reported by the code that then misses the folder.
 */
export function makeRootFolder(folder: string): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return true;
  if (!makeRootFolder(dirname(folder))) return false;
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (thrown) {
    return errnoOf(thrown) !== 'EEXIST';
  }
}

function noteDecider(deciders: Map<number, string>, place: string, stats: Stats): void {
  if (stats.isDirectory()) requireClosed(place, stats);
  if (!deciders.has(stats.uid)) deciders.set(stats.uid, place);
}

/** Refuses a folder in which other accounts can rename any entry, and so decide where the path leads. */
function requireClosed(place: string, stats: Stats): void {
  const isSticky = (stats.mode & 0o1000) !== 0;
  if (!isOpenToOthers(stats) || isSticky) return;
  const mode = modeText(stats.mode);
  throw notSafe(`Accounts other than its owner can write the folder ${place} (mode ${mode}).`, place);
}

/** Whether accounts beside the owner can write. Root's group counts as root; another owner trusts the owner's group. */
function isOpenToOthers({ mode, uid, gid }: Stats): boolean {
  return (mode & 0o002) !== 0 || (uid === 0 && gid !== 0 && (mode & 0o020) !== 0);
}

function notSafe(message: string, place: string): HkctlError {
  return new HkctlError('store_unreadable', `${message} Root does not work on a store there.`, {
    hint: `Run hkctl as the account that owns the store (sudo -u ACCOUNT hkctl …), or close the folder: chmod go-w ${place}`,
  });
}

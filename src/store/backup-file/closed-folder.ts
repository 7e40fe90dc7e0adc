import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';
import { modeText } from '../../core/files.ts';

/** The longest chain of links to follow, as in Linux. */
const linksAtMost = 40;

/**
 * The path of a file whose folder has no links in it. Refuses a folder in which another account could exchange the file
 * between two steps (`bad_input`); `hint` says what works instead. Root and the acting account are trusted.
 */
export function closedPath(file: string, hint: string): string {
  const absolute = resolve(file);
  // Windows has no accounts of this kind.
  if (process.geteuid === undefined) return absolute;
  return join(closedFolder(dirname(absolute), hint), basename(absolute));
}

/** The same for a folder. Throws the error of the system if it does not exist or is no folder. */
export function closedFolder(folder: string, hint: string): string {
  const trusted = trustedAccounts();
  const names = resolve(folder).split(sep).filter(Boolean).reverse();
  let here: string = sep;
  for (let links = 0, name = names.pop(); name !== undefined; name = names.pop()) {
    const next = join(here, name);
    const stats = lstatSync(next);
    if (!trusted.has(stats.uid)) throw ofAnotherAccount(next, stats.uid, hint);

    if (stats.isSymbolicLink()) {
      if (++links > linksAtMost) throw Object.assign(new Error(next), { code: 'ELOOP' });
      const target = readlinkSync(next);
      names.push(...target.split(sep).filter(Boolean).reverse());
      if (target.startsWith(sep)) here = sep;
      continue;
    }

    if (!stats.isDirectory()) throw Object.assign(new Error(next), { code: 'ENOTDIR' });
    if (isOpenToOthers(stats, trusted)) throw openToOthers(next, stats.mode, hint);
    here = next;
  }
  return here;
}

/** The path of a file itself, behind the links that lead to it. Throws the error of the system if there is none. */
export function closedFile(file: string, hint: string): string {
  let path = closedPath(file, hint);
  for (let links = 0; ; links++) {
    const stats = lstatSync(path);
    if (!stats.isSymbolicLink()) return path;
    requireTrustedOwner(path, stats, hint);
    if (links === linksAtMost) throw Object.assign(new Error(path), { code: 'ELOOP' });
    path = closedPath(resolve(dirname(path), readlinkSync(path)), hint);
  }
}

/** Refuses a file of another account: its owner can exchange it even in a sticky folder such as /tmp. */
export function requireTrustedOwner(file: string, { uid }: Stats, hint: string): void {
  if (process.geteuid === undefined || trustedAccounts().has(uid)) return;
  const isSticky = (lstatSync(dirname(file)).mode & 0o1000) !== 0;
  if (isSticky) throw ofAnotherAccount(file, uid, hint);
}

/** Root, this account, and in a container the number that stands for the accounts outside, root among them. */
function trustedAccounts(): ReadonlySet<number> {
  return new Set([0, process.geteuid?.() ?? 0, lstatSync(sep).uid]);
}

function isOpenToOthers({ mode, gid }: Stats, trusted: ReadonlySet<number>): boolean {
  // In a sticky folder no account can rename or remove the files of others.
  if ((mode & 0o1000) !== 0) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isGroupOf(gid, trusted));
}

/** Whether a group has no other account in it, as the group that many systems make for each user. */
function isGroupOf(gid: number, trusted: ReadonlySet<number>): boolean {
  if (gid === 0) return true;
  const accounts = entriesOf('/etc/passwd');
  const group = entriesOf('/etc/group').find((fields) => Number(fields[2]) === gid);
  // The members of a group are unknown if a directory service knows them.
  if (group === undefined || !accounts.some((fields) => Number(fields[2]) === process.geteuid?.()))
    return false;
  const members = new Set(group[3]?.split(',').filter(Boolean));
  return accounts
    .filter(([login = '', , , ownGroup]) => members.has(login) || Number(ownGroup) === gid)
    .every(([, , uid]) => trusted.has(Number(uid)));
}

function entriesOf(file: string): string[][] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch (thrown) {
    if (errnoOf(thrown) === undefined) throw thrown;
    return [];
  }
}

function ofAnotherAccount(path: string, uid: number, hint: string): HkctlError {
  return new HkctlError(
    'bad_input',
    `${path} belongs to another account (uid ${uid}), which could exchange the file meanwhile.`,
    { hint },
  );
}

function openToOthers(folder: string, mode: number, hint: string): HkctlError {
  return new HkctlError(
    'bad_input',
    `Other accounts can write the folder ${folder} (mode ${modeText(mode)}) and exchange the file meanwhile.`,
    { hint },
  );
}

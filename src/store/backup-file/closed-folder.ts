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
  const folder = closedFolder(dirname(absolute), hint);
  return join(folder, basename(absolute));
}

/** The path of a folder, resolved and checked like {@link closedPath}. Throws the system's error if it is missing or no folder. */
export function closedFolder(folder: string, hint: string): string {
  const trustedUids = trustedAccounts();
  const pendingNames = namesOf(resolve(folder)).reverse();
  let closedPart: string = sep;
  let links = 0;

  for (let name = pendingNames.pop(); name !== undefined; name = pendingNames.pop()) {
    const nextPath = join(closedPart, name);
    const stats = lstatSync(nextPath);
    if (!trustedUids.has(stats.uid)) throw anotherAccountError(nextPath, stats.uid, hint);

    if (stats.isSymbolicLink()) {
      if (++links > linksAtMost) throw systemError(nextPath, 'ELOOP');
      const linkTarget = readlinkSync(nextPath);
      pendingNames.push(...namesOf(linkTarget).reverse());
      if (linkTarget.startsWith(sep)) closedPart = sep;
      continue;
    }

    if (!stats.isDirectory()) throw systemError(nextPath, 'ENOTDIR');
    if (isOpenToOthers(stats, trustedUids)) throw openFolderError(nextPath, stats.mode, hint);
    closedPart = nextPath;
  }
  return closedPart;
}

function namesOf(path: string): string[] {
  return path.split(sep).filter(Boolean);
}

function systemError(path: string, code: string): Error {
  return Object.assign(new Error(path), { code });
}

/** The path of a file itself, behind the links that lead to it. Throws the error of the system if there is none. */
export function closedFile(file: string, hint: string): string {
  let filePath = closedPath(file, hint);
  for (let links = 0; ; links++) {
    const stats = lstatSync(filePath);
    if (!stats.isSymbolicLink()) return filePath;
    requireTrustedOwner(filePath, stats, hint);
    if (links === linksAtMost) throw systemError(filePath, 'ELOOP');
    const linkTarget = resolve(dirname(filePath), readlinkSync(filePath));
    filePath = closedPath(linkTarget, hint);
  }
}

/** Refuses a file of another account: its owner can exchange it even in a sticky folder such as /tmp. */
export function requireTrustedOwner(file: string, { uid }: Stats, hint: string): void {
  if (process.geteuid === undefined || trustedAccounts().has(uid)) return;
  const folderStats = lstatSync(dirname(file));
  const isSticky = (folderStats.mode & 0o1000) !== 0;
  if (isSticky) throw anotherAccountError(file, uid, hint);
}

/** Root, this account, and in a container the number that stands for the accounts outside, root among them. */
function trustedAccounts(): ReadonlySet<number> {
  const ownUid = process.geteuid?.() ?? 0;
  const outsideUid = lstatSync(sep).uid;
  return new Set([0, ownUid, outsideUid]);
}

function isOpenToOthers({ mode, gid }: Stats, trustedUids: ReadonlySet<number>): boolean {
  // In a sticky folder no account can rename or remove the files of others.
  if ((mode & 0o1000) !== 0) return false;
  if ((mode & 0o002) !== 0) return true;
  return (mode & 0o020) !== 0 && !isGroupOf(gid, trustedUids);
}

/** Whether a group has no other account in it, as the group that many systems make for each user. */
function isGroupOf(gid: number, trustedUids: ReadonlySet<number>): boolean {
  if (gid === 0) return true;
  const accounts = entriesOf('/etc/passwd').map(([login = '', , accountUid, accountGid]) => ({
    login,
    uid: Number(accountUid),
    ownGid: Number(accountGid),
  }));
  const groups = entriesOf('/etc/group');
  const groupEntry = groups.find((fields) => Number(fields[2]) === gid);
  const ownUid = process.geteuid?.();
  const isLocalAccount = accounts.some((account) => account.uid === ownUid);
  // The members of a group are unknown if a directory service knows them.
  if (groupEntry === undefined || !isLocalAccount) return false;

  const members = new Set(groupEntry[3]?.split(',').filter(Boolean));
  return accounts
    .filter(({ login, ownGid }) => members.has(login) || ownGid === gid)
    .every(({ uid }) => trustedUids.has(uid));
}

function entriesOf(accountsFile: string): string[][] {
  try {
    return readFileSync(accountsFile, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch (thrown) {
    if (errnoOf(thrown) === undefined) throw thrown;
    return [];
  }
}

function anotherAccountError(path: string, uid: number, hint: string): HkctlError {
  return new HkctlError(
    'bad_input',
    `${path} belongs to another account (uid ${uid}), which could exchange the file meanwhile.`,
    { hint },
  );
}

function openFolderError(folder: string, mode: number, hint: string): HkctlError {
  return new HkctlError(
    'bad_input',
    `Other accounts can write the folder ${folder} (mode ${modeText(mode)}) and exchange the file meanwhile.`,
    { hint },
  );
}

import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { errnoOf, HkctlError } from '../errors.ts';
import { modeText } from './path-faults.ts';

/** A folder, a link or the file at the end of a path, as the system passes it. */
interface PathPart {
  /** Its own path, without links. */
  path: string;
  /** Undefined if nothing is there, which only the last part may be. */
  stats: Stats | undefined;
  isLast: boolean;
}

/** As many links on a path as Linux follows. */
const linkLimit = 40;

/**
 * Walks a path from the root, through the working folder if it is relative. The target of a link follows the link; `followsLast`:
 * also if the last part is one. Throws the error of the system for a folder that is missing or may not be entered.
 */
export function* walkPath(
  typedPath: string,
  { followsLast = true } = {},
): Generator<PathPart, void> {
  const startNames = isAbsolute(typedPath) ? [] : namesIn(process.cwd());
  const pendingNames = [...startNames, ...namesIn(typedPath)].reverse();
  let folder: string = sep;
  let linkCount = 0;
  yield { path: sep, stats: lstatSync(sep), isLast: pendingNames.length === 0 };

  for (let name = pendingNames.pop(); name !== undefined; name = pendingNames.pop()) {
    const path = name === '..' ? dirname(folder) : join(folder, name);
    const isLast = pendingNames.length === 0;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    yield { path, stats, isLast };

    if (stats === undefined) {
      if (isLast) return;
      throw systemError(path, 'ENOENT');
    }
    if (stats.isSymbolicLink() && (followsLast || !isLast)) {
      linkCount++;
      if (linkCount > linkLimit) throw systemError(path, 'ELOOP');
      const linkTarget = readlinkSync(path);
      pendingNames.push(...namesIn(linkTarget).reverse());
      if (isAbsolute(linkTarget)) folder = sep;
      continue;
    }
    const mustBeFolder = !isLast || (typedPath.endsWith(sep) && followsLast);
    if (mustBeFolder && !stats.isDirectory()) throw systemError(path, 'ENOTDIR');
    folder = path;
  }
}

function namesIn(path: string): string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.');
}

function systemError(path: string, code: string): Error {
  return Object.assign(new Error(path), { code });
}

/** The end of a path. */
export interface NamedPath {
  /** The path without links. */
  path: string;
  /** The entry there; undefined if there is none. */
  stats: Stats | undefined;
  /** Whether a link in the place of the file itself led here. */
  isBehindLink: boolean;
  /** Who else could exchange the file; undefined if only root and this account can. */
  openness: string | undefined;
}

/** Resolves a path and finds out who could exchange what is there; see {@link walkPath}. */
export function resolvePath(typedPath: string, options?: { followsLast: boolean }): NamedPath {
  const trustedUids = trustedAccounts();
  let isBehindLink = false;
  let isInSharedFolder = false;
  let openness: string | undefined;
  let lastPart: PathPart = { path: sep, stats: undefined, isLast: true };

  for (const part of walkPath(typedPath, options)) {
    const { stats, isLast } = part;
    if (stats && trustedUids) openness ??= opennessOf(part, isInSharedFolder, trustedUids);
    if (stats?.isSymbolicLink()) isBehindLink ||= isLast;
    else if (!isLast) isInSharedFolder = stats !== undefined && isShared(stats);
    lastPart = part;
  }
  const { path, stats } = lastPart;
  return { path, stats, isBehindLink: isBehindLink && !stats?.isSymbolicLink(), openness };
}

/** The path without links; the path itself if its folder does not exist. */
export function canonicalPath(path: string): string {
  try {
    return resolvePath(path).path;
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    return path;
  }
}

/**
 * Refuses a file that an account other than root could exchange between two steps (`bad_input`), as StrictModes of OpenSSH does;
 * `hint` says what works.
 */
export function requireClosed({ openness }: NamedPath, hint: string): void {
  if (openness === undefined) return;
  throw new HkctlError('bad_input', `${openness} and could exchange the file meanwhile.`, { hint });
}

/** Whether a folder is as `/tmp`: all can make entries, and only the owner of one can rename or remove it. */
function isShared({ mode }: Stats): boolean {
  return (mode & 0o1000) !== 0 && (mode & 0o022) !== 0;
}

function opennessOf(
  { path, stats, isLast }: PathPart,
  isInSharedFolder: boolean,
  trustedUids: ReadonlySet<number>,
): string | undefined {
  if (stats === undefined) return undefined;
  const { uid, mode } = stats;
  const isLink = stats.isSymbolicLink();
  const isFile = isLast && !isLink;
  // In a closed folder no owner of a file can exchange it.
  const needsTrustedOwner = !isFile || isInSharedFolder;
  if (needsTrustedOwner && !trustedUids.has(uid)) {
    const kind = isLink ? `the link ${path}` : path;
    return `Another account (uid ${uid}) owns ${kind}`;
  }
  if (isFile || isLink || isShared(stats)) return undefined;
  if (!isOpenToOthers(path, stats, trustedUids)) return undefined;
  return `Other accounts can write the folder ${path} (mode ${modeText(mode)})`;
}

/**
 * Root, this account, and in a container the number that stands for the accounts outside, root among them; undefined on Windows,
 * which has no accounts of this kind.
 */
function trustedAccounts(): ReadonlySet<number> | undefined {
  const ownUid = process.geteuid?.();
  return ownUid === undefined ? undefined : new Set([0, ownUid, lstatSync(sep).uid]);
}

function isOpenToOthers(
  folder: string,
  { mode, gid }: Stats,
  trustedUids: ReadonlySet<number>,
): boolean {
  if ((mode & 0o002) !== 0) return true;
  if ((mode & 0o020) === 0) return false;
  return !isGroupOf(gid, trustedUids) || hasAcl(folder);
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

/**
 * Whether a folder has an access control list. With one, the group's rights in its mode may be those of any account
 * in the list. Node reads no lists; ls(1) marks their owners with a `+`.
 */
function hasAcl(folder: string): boolean {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout } = spawnSync('ls', ['-ldn', '--', folder], { encoding: 'utf8' });
  return /^\S{10}\+/.test(stdout ?? '');
}

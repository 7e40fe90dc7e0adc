import { constants, type Stats } from 'node:fs';
import { errnoOf } from '../errno.ts';
import { HkctlError } from '../errors.ts';
import { type FileName, Folder } from './folder.ts';

/** The target of a path: an open folder, to be closed by the caller, and the name of an entry in it, which need not exist. */
export interface Place {
  folder: Folder;
  name: FileName;
  /** Whether the entry is a link of /proc, which leads to an open file and not to a path. */
  isKernelLink: boolean;
  /** Whether a link in the place of the file itself led here. */
  isBehindLink: boolean;
  /** The folders on the way as they were passed, the last one included. */
  way: readonly Stats[];
}

/** As many links on a path as Linux follows. */
const linkLimit = 40;

/**
 * Walks a path from folder to folder, each through the descriptor of the one before. A link is followed only if root or the
 * acting account made it: any other account could lead the path elsewhere between two uses (`bad_input`). `followsLast`: also
 * one in the place of the file itself. Throws the error of the system for a folder that is missing or closed.
 */
export function locate(path: FileName, { followsLast }: { followsLast: boolean }): Place {
  const pathBytes = Buffer.from(path);
  const remainingParts = partsOf(pathBytes).reverse();
  let folder = Folder.start(isAbsolute(pathBytes) ? '/' : '.');
  let way = [folder.stats()];
  let linkCount = 0;
  let isBehindLink = false;
  const moveTo = (nextFolder: Folder) => {
    folder.close();
    folder = nextFolder;
  };

  try {
    for (;;) {
      const name = remainingParts.pop() ?? dotName;
      const isLast = remainingParts.length === 0;
      const place = {
        folder,
        name,
        isKernelLink: false,
        isBehindLink,
        way,
      };
      if (isLast && !followsLast) return place;

      const stats = folder.statOf(name);
      if (stats?.isSymbolicLink()) {
        const isKernelLink = folder.isInProc();
        const linkTarget = trustedTarget(folder, name, stats);
        if (isKernelLink && isLast) return { ...place, isKernelLink };

        linkCount++;
        isBehindLink ||= isLast;
        if (linkCount > linkLimit) {
          throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
        }
        if (isKernelLink) moveTo(folder.enter(name, { follow: true }));
        else {
          remainingParts.push(...partsOf(linkTarget).reverse());
          if (isAbsolute(linkTarget)) moveTo(Folder.start('/'));
        }
      } else if (isLast) return place;
      else moveTo(folder.enter(name));
      way = [...way, folder.stats()];
    }
  } catch (thrown) {
    folder.close();
    throw thrown;
  }
}

/** Opens a file that the command line names, with `flags`, by default for reading; see {@link locate}. */
export function openNamedFile(path: FileName, flags = constants.O_RDONLY): number {
  const { folder, name, isKernelLink } = locate(path, { followsLast: true });
  try {
    return isKernelLink ? folder.openBehind(name, flags) : folder.open(name, flags);
  } finally {
    folder.close();
  }
}

/** A path without links, if its folder exists; otherwise the path as it is. */
export function canonicalPath(path: string): string {
  let place: Place;
  try {
    place = locate(path, { followsLast: true });
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    return path;
  }

  const { folder, name } = place;
  const isDotName = /^\.\.?$/.test(name.toString());
  try {
    return isDotName ? pathOfFolder(folder, name) : folder.pathOf(name);
  } finally {
    folder.close();
  }
}

function pathOfFolder(parent: Folder, name: FileName): string {
  const folder = parent.enter(name);
  try {
    return folder.path;
  } finally {
    folder.close();
  }
}

/**
 * The first folder on the way to a place in which an account other than root and those named could exchange an entry of others;
 * undefined if there is none. In a sticky folder such as /tmp nobody can exchange what belongs to others.
 */
export function exchangeableFolder(
  way: readonly Stats[],
  trusted: readonly number[],
): Stats | undefined {
  return way.find(({ uid, mode }, index) => {
    if (uid !== 0 && !trusted.includes(uid)) return true;
    const isOpen = (mode & 0o022) !== 0;
    const isSticky = (mode & 0o1000) !== 0;
    const isLast = index === way.length - 1;
    // In the last folder somebody else may have made the file itself, sticky or not.
    return isOpen && (isLast || !isSticky);
  });
}

/** The target of a link that root or the acting account made, and that is the same before and after it is read. */
function trustedTarget(folder: Folder, name: FileName, stats: Stats): Buffer {
  requireTrustedLink(folder.pathOf(name), stats);
  const linkTarget = folder.linkTarget(name);
  const statsAfter = folder.statOf(name);
  const isUnchanged = statsAfter?.ino === stats.ino && statsAfter.ctimeMs === stats.ctimeMs;
  if (isUnchanged) return linkTarget;
  throw new HkctlError('bad_input', `The link ${folder.pathOf(name)} is changing right now.`, {
    hint: 'Give the path that it leads to.',
  });
}

/** Refuses a link that neither root nor the acting account made: `bad_input`. */
function requireTrustedLink(linkPath: string, { uid }: Stats): void {
  const effectiveUid = process.geteuid?.();
  const isTrusted = effectiveUid === undefined || uid === effectiveUid || uid === 0;
  if (isTrusted) return;

  throw new HkctlError('bad_input', `${linkPath} is a link that the account ${uid} made.`, {
    hint: 'Give the path that it leads to, if that is what you mean.',
  });
}

const slashByte = 0x2f;
const dotName = Buffer.from('.');

function partsOf(pathBytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let partStart = 0; partStart <= pathBytes.length; ) {
    const slashIndex = pathBytes.indexOf(slashByte, partStart);
    const partEnd = slashIndex === -1 ? pathBytes.length : slashIndex;
    const part = pathBytes.subarray(partStart, partEnd);
    const isEmpty = part.length === 0 || part.equals(dotName);
    if (!isEmpty) parts.push(part);
    partStart = partEnd + 1;
  }

  // A slash at its end says that it is a folder.
  if (pathBytes.at(-1) === slashByte) {
    parts.push(dotName);
  }
  return parts;
}

function isAbsolute(pathBytes: Buffer): boolean {
  return pathBytes[0] === slashByte;
}

import { closeSync, constants, fstatSync, readSync } from 'node:fs';
import { errnoOf } from '../../../../core/errno.ts';
import { isHkctlError } from '../../../../core/errors.ts';
import type { FileName, Folder } from '../../../../core/files/folder.ts';
import { locate, openNamedFile } from '../../../../core/files/place.ts';
import { scanOverlap, secretsIn } from '../../../../core/keys/leak-scan.ts';
import { type ShownPath, shownPath } from './shown-path.ts';

/** A secret and its place: line and column from 1; a column counts bytes. */
export interface Occurrence extends ShownPath {
  line: number;
  column: number;
  secret: string;
}

/** A step of a scan: the secrets of a chunk; undefined at the end of a file, and at an unreadable path. */
export type ScanStep = readonly Occurrence[] | undefined;

/** The files read so far, and the skipped ones: the number of paths, and the first of them. */
export interface ScanReport {
  files: number;
  bytes: number;
  links: number;
  others: number;
  skipped: (ShownPath & { reason: string })[];
}

export const unreadableReason = 'may not be read by this account';

export const linkReason = 'is a link, not followed';

/** For a link at the end of a path of the command line, or on the way to it. */
const foreignLinkReason = 'is behind a link that another account made';

/** The largest number of findings, and of skipped paths, that a report lists: its size must not grow with the scanned files. */
export const mostListed = 10_000;

const otherReason = 'is not a regular file';

/** Larger chunks keep Node from freeing the secrets found in a log with a key on each line: twice the memory. */
const chunkBytes = 1 << 18;

/**
 * Looks for secrets in files and folders, also in hidden, binary and ignored files; and for `-` in a stream. Links in folders
 * are not followed, and files that cannot be read are skipped; the report names both. Every folder is read, and every file in it
 * opened, by the descriptor of the one above, so that a path that another account swaps meanwhile is not followed.
 */
export async function* scanForSecrets(
  paths: readonly FileName[],
  stdin: NodeJS.ReadableStream,
  report: ScanReport,
): AsyncGenerator<ScanStep, void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (const typedPath of paths) {
    if (typedPath === '-') continue;
    const path = Buffer.from(typedPath);
    yield* guarded(report, path, function* () {
      const folder = folderAt(path);
      if (folder) yield* scanTree(folder, path, buffer, report);
      else yield* scanOpened(openNamedFile(path), path, buffer, report);
    });
  }

  if (!paths.includes('-')) return;
  const search = createSearch({ path: '-' }, report);
  for await (const chunk of stdin) yield search(Buffer.from(chunk));
  report.files++;
  yield undefined;
}

/** Creates the search of bytes that arrive in chunks. A pipe is read only once, so that lines are counted while they pass. */
function createSearch(scannedPath: ShownPath, report: ScanReport): (chunk: Buffer) => Occurrence[] {
  let carriedBytes: Buffer = Buffer.alloc(0);
  let line = 1;
  let column = 1;
  return (chunk) => {
    report.bytes += chunk.length;
    const searchedBytes = Buffer.concat([carriedBytes, chunk]);
    let readOffset = 0;
    const advance = (newOffset: number) => {
      let lineStart = readOffset - column + 1;
      for (
        let lineEnd = searchedBytes.indexOf(10, readOffset);
        lineEnd !== -1 && lineEnd < newOffset;
        lineEnd = searchedBytes.indexOf(10, lineEnd + 1)
      ) {
        line++;
        lineStart = lineEnd + 1;
      }
      column = newOffset - lineStart + 1;
      readOffset = newOffset;
    };
    const occurrences = secretsIn(searchedBytes, carriedBytes.length).map(({ offset, secret }) => {
      advance(offset);
      return { ...scannedPath, line, column, secret };
    });
    advance(Math.max(readOffset, searchedBytes.length - scanOverlap));
    carriedBytes = searchedBytes.subarray(readOffset);
    return occurrences;
  };
}

/** The folder at a path, to be closed by the caller; undefined if it is no folder. */
function folderAt(path: FileName): Folder | undefined {
  const { folder, name, isKernelLink } = locate(path, { followsLast: true });
  try {
    const isFolder = folder.statOf(name)?.isDirectory() && !isKernelLink;
    return isFolder ? folder.enter(name) : undefined;
  } finally {
    folder.close();
  }
}

/** A folder in progress; the folders in it come after its files. */
interface FolderLevel {
  folder: Folder;
  path: Buffer;
  folderNames: Buffer[];
}

/** Scans a folder and all folders in it, and closes it. */
function* scanTree(
  root: Folder,
  path: Buffer,
  buffer: Buffer,
  report: ScanReport,
): Generator<ScanStep, void> {
  const levels: FolderLevel[] = [];
  const openLevel = (folder: Folder, folderPath: Buffer) => {
    const level: FolderLevel = { folder, path: folderPath, folderNames: [] };
    levels.push(level);
    return guarded(report, folderPath, () => scanEntries(level, buffer, report));
  };

  try {
    yield* openLevel(root, path);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const { folder, folderNames } = level;
      const folderName = folderNames.pop();
      if (folderName === undefined) {
        folder.close();
        levels.pop();
        continue;
      }
      const folderPath = within(level.path, folderName);
      yield* guarded(report, folderPath, () => openLevel(folder.enter(folderName), folderPath));
    }
  } finally {
    for (const { folder } of levels) folder.close();
  }
}

/** Scans the files of a folder, and notes its folders. */
function* scanEntries(
  { folder, path, folderNames }: FolderLevel,
  buffer: Buffer,
  report: ScanReport,
): Generator<ScanStep, void> {
  for (const { name, kind } of folder.entries()) {
    const entryPath = within(path, name);
    if (kind === 'folder') folderNames.push(name);
    else if (kind === 'file') {
      yield* guarded(report, entryPath, () =>
        // The file may be a FIFO by now, which must not block the scan.
        scanOpened(folder.open(name, constants.O_NONBLOCK), entryPath, buffer, report, true),
      );
    } else skip(report, entryPath, kind === 'link' ? linkReason : otherReason);
  }
}

/** Scans an open file, and closes it; `mustBeRegular` skips any other file. */
function* scanOpened(
  fd: number,
  path: Buffer,
  buffer: Buffer,
  report: ScanReport,
  mustBeRegular = false,
): Generator<ScanStep, void> {
  try {
    if (mustBeRegular && !fstatSync(fd).isFile()) {
      skip(report, path, otherReason);
      return;
    }
    const search = createSearch(shownPath(path), report);
    for (let readBytes = readSync(fd, buffer); readBytes > 0; readBytes = readSync(fd, buffer)) {
      const occurrences = search(buffer.subarray(0, readBytes));
      if (occurrences.length > 0) yield occurrences;
    }
    report.files++;
  } finally {
    closeSync(fd);
  }
  yield undefined;
}

function within(folder: Buffer, entryName: Buffer): Buffer {
  const separator = folder.at(-1) === slashByte ? [] : [Buffer.from('/')];
  return Buffer.concat([folder, ...separator, entryName]);
}

const slashByte = 0x2f;

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: unreadableReason,
  EPERM: unreadableReason,
  EISDIR: 'is a folder',
  ELOOP: 'is a link that runs in a circle',
  ENOTDIR: 'has a file for a folder',
  ENAMETOOLONG: 'has too long a name',
  EMFILE: 'is nested too deeply',
};

/** An unreadable file must not hide the findings in others. */
function* guarded(
  report: ScanReport,
  path: Buffer,
  scanPath: () => Generator<ScanStep, void>,
): Generator<ScanStep, void> {
  try {
    yield* scanPath();
  } catch (thrown) {
    skip(report, path, reasonOf(thrown));
    yield undefined;
  }
}

/** Why a file cannot be read; throws every other error again. */
function reasonOf(thrown: unknown): string {
  const errno = errnoOf(thrown);
  if (errno !== undefined) return reasons[errno] ?? `cannot be read (${errno})`;
  if (isHkctlError(thrown) && thrown.code === 'bad_input') return foreignLinkReason;
  throw thrown;
}

function skip(report: ScanReport, path: Buffer, reason: string): void {
  if (reason === linkReason) report.links++;
  else report.others++;
  if (report.skipped.length < mostListed) report.skipped.push({ ...shownPath(path), reason });
}

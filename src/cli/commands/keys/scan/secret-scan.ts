import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { errnoOf } from '../../../../core/errors.ts';
import { scanOverlap, secretsIn } from '../../../../core/keys/leak-scan.ts';

/** A secret and its place: line and column from 1; a column counts bytes. */
export interface Occurrence extends ShownPath {
  line: number;
  column: number;
  secret: string;
}

/** A step of a scan: the secrets of a chunk; undefined at the end of a file, and at an unreadable path. */
type ScanStep = readonly Occurrence[] | undefined;

/** The files read so far, and the skipped ones: the number of paths, and the first of them. */
export interface ScanReport {
  files: number;
  bytes: number;
  /** Searched as they are, since they are not unpacked. */
  compressed: number;
  links: number;
  others: number;
  skipped: (ShownPath & { reason: string })[];
}

export const unreadableReason = 'may not be read by this account';

export const linkReason = 'is a link, not followed';

export const compressedReason = 'is compressed, not unpacked';

/** The first bytes of gzip, zip, xz, bzip2, Zstandard and 7z, as hexadecimal digits. */
const compressedHeads = ['1f8b', '504b0304', 'fd377a585a00', '425a68', '28b52ffd', '377abcaf271c'];

const exchangedReason = 'was exchanged for a link meanwhile';

/** The largest number of findings, and of skipped paths, that a report lists: its size must not grow with the scanned files. */
export const mostListed = 10_000;

const otherReason = 'is not a regular file';

/** Larger chunks keep Node from freeing the secrets found in a log with a key on each line: twice the memory. */
const chunkBytes = 1 << 18;

/**
 * Looks for secrets in files and folders, also in hidden, binary and ignored files; and for `-` in a stream. Links in folders
 * are not followed, and files that cannot be read are skipped; the report names both.
 */
export async function* scanForSecrets(
  paths: readonly (string | Buffer)[],
  stdin: NodeJS.ReadableStream,
  report: ScanReport,
): AsyncGenerator<ScanStep, void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (const typedPath of paths) {
    if (typedPath === '-') continue;
    const path = Buffer.from(typedPath);
    yield* guarded(report, path, function* () {
      if (statSync(path).isDirectory()) yield* scanTree(path, buffer, report);
      else yield* scanOpened(openSync(path, 'r'), path, buffer, report);
    });
  }

  if (!paths.includes('-')) return;
  const search = createSearch(Buffer.from('-'), report);
  for await (const chunk of stdin) yield search(Buffer.from(chunk));
  report.files++;
  yield undefined;
}

/** Creates the search of bytes that arrive in chunks. A pipe is read only once, so that lines are counted while they pass. */
function createSearch(path: Buffer, report: ScanReport): (chunk: Buffer) => Occurrence[] {
  const scannedPath = shownPath(path);
  let isAtStart = true;
  let carriedBytes: Buffer = Buffer.alloc(0);
  let line = 1;
  let column = 1;
  return (chunk) => {
    if (isAtStart && isCompressed(chunk)) skip(report, path, compressedReason);
    isAtStart = false;
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

function isCompressed(firstChunk: Buffer): boolean {
  const head = firstChunk.toString('hex', 0, 6);
  return compressedHeads.some((compressedHead) => head.startsWith(compressedHead));
}

/** Scans a folder and all folders in it: the files of each before its folders. */
function* scanTree(root: Buffer, buffer: Buffer, report: ScanReport): Generator<ScanStep, void> {
  const realRoot = realpathSync(root, { encoding: 'buffer' });
  const pendingFolders = [root];
  for (let folder = pendingFolders.pop(); folder !== undefined; folder = pendingFolders.pop()) {
    const folderPath = folder;
    yield* guarded(report, folderPath, function* () {
      for (const entry of entriesOf(folderPath)) {
        const path = within(folderPath, entry.name);
        if (entry.isDirectory()) pendingFolders.push(path);
        else if (entry.isFile()) {
          yield* guarded(report, path, () => scanFileBelow(realRoot, path, buffer, report));
        } else skip(report, path, entry.isSymbolicLink() ? linkReason : otherReason);
      }
    });
  }
}

/** Lists the entries of a folder one by one, since a folder may hold millions; their names as bytes. */
function* entriesOf(folder: Buffer): Generator<Dirent<Buffer>, void> {
  // The declarations leave out that names can be read as bytes.
  const openFolder = opendirSync(folder, { encoding: 'buffer' as BufferEncoding });
  try {
    let entry: unknown = openFolder.readSync();
    while (entry !== null) {
      yield entry as Dirent<Buffer>;
      entry = openFolder.readSync();
    }
  } finally {
    openFolder.closeSync();
  }
}

/** Scans a file in a folder unless it is another one by now: a FIFO, or what another account has put a link to in its way. */
function* scanFileBelow(
  realRoot: Buffer,
  path: Buffer,
  buffer: Buffer,
  report: ScanReport,
): Generator<ScanStep, void> {
  // A FIFO must not block the scan.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (isBelow(realRoot, fd)) yield* scanOpened(fd, path, buffer, report, true);
  else {
    closeSync(fd);
    skip(report, path, exchangedReason);
  }
}

/** Whether an open file is in a folder, by its path in /proc; true on systems that have none. */
function isBelow(realRoot: Buffer, fd: number): boolean {
  try {
    const realPath = readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' });
    const pathStart = within(realRoot, Buffer.alloc(0));
    return realPath.subarray(0, pathStart.length).equals(pathStart);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    return true;
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
    const search = createSearch(path, report);
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
  throw thrown;
}

function skip(report: ScanReport, path: Buffer, reason: string): void {
  if (reason === compressedReason) report.compressed++;
  else if (reason === linkReason) report.links++;
  else report.others++;
  if (report.skipped.length < mostListed) report.skipped.push({ ...shownPath(path), reason });
}

/** A path as a text; if its bytes are no UTF-8, also these. */
interface ShownPath {
  path: string;
  bytes?: Buffer;
}

/** A character of UTF-8 (RFC 3629), or any other byte, in a text with one character for each byte. */
const characters =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

/** A path of any bytes: those that are no UTF-8 are shown as `\xff`. */
export function shownPath(pathBytes: Buffer): ShownPath {
  const pathText = pathBytes.toString();
  if (Buffer.from(pathText).equals(pathBytes)) return { path: pathText };

  const shownText = pathBytes
    .toString('latin1')
    .replace(characters, (character) =>
      character.length === 1 && character > '\x7f'
        ? `\\x${character.charCodeAt(0).toString(16)}`
        : Buffer.from(character, 'latin1').toString(),
    );
  // A copy: names share the memory of a whole listing.
  return { path: shownText, bytes: Buffer.from(pathBytes) };
}

/** A path in JSON: `path_base64` has the bytes of one that is no text. */
export function pathJson({ path, bytes }: ShownPath): Record<string, string> {
  return bytes === undefined ? { path } : { path, path_base64: bytes.toString('base64') };
}

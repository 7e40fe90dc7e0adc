import { closeSync, constants, type Dirent, fstatSync, lstatSync, opendirSync, openSync, readSync } from 'node:fs';
import { errnoOf } from '../../../../core/errno.ts';
import { type FoundSecret, scanOverlap, secretsIn } from '../../../../core/keys/leak-scan.ts';

/** Line and column, from 1; a column counts bytes. */
export interface Place {
  line: number;
  column: number;
}

export interface Piece {
  path: string;
  found: readonly FoundSecret[];
  /** The place of one of them; each call names one that follows that of the call before. */
  placeOf(found: FoundSecret): Place;
}

/** What a scan comes to: a piece with secrets; the end of a file or of much else without any. */
export type ScanStep = Piece | undefined;

/** What was read so far, and what was skipped: the number of paths, and the first of them. */
export interface ScanReport {
  files: number;
  bytes: number;
  links: number;
  others: number;
  skipped: { path: string; reason: string }[];
}

/** Why a file was skipped that the account may not read. */
export const unreadableReason = 'may not be read by this account';

/** Why a link in a folder was skipped. */
export const linkReason = 'is a link, not followed';

/** The largest number of findings, and of skipped paths, that a report lists: its size must not grow with what is scanned. */
export const mostListed = 10_000;

const otherReason = 'is not a regular file';

/** Of a log with a key on each line, larger pieces keep Node from collecting what was found in them: twice the memory. */
const pieceBytes = 1 << 18;

/**
 * Looks for secrets in files and folders, everything in them: hidden, binary, ignored by git. Links in folders are not
 * followed, and files that cannot be read are skipped; the report names both.
 */
export function* scanPaths(paths: readonly string[], report: ScanReport): Generator<ScanStep, void> {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (const path of paths) {
    yield* guarded(report, path, function* () {
      if (lstatSync(path).isDirectory()) yield* scanFolder(path, buffer, report);
      else yield* scanFile(path, buffer, report, false);
    });
  }
}

/** Looks for secrets in a stream, in pieces. */
export async function* scanStream(
  stream: NodeJS.ReadableStream,
  path: string,
  report: ScanReport,
): AsyncGenerator<ScanStep, void> {
  const scan = createStreamScan(path, report);
  for await (const chunk of stream) yield scan(Buffer.from(chunk));
  report.files++;
  yield undefined;
}

/** Looks for secrets in bytes that are read only once: their places are counted while they pass. */
function createStreamScan(path: string, report: ScanReport): (chunk: Buffer) => Piece {
  const place = { line: 1, column: 1 };
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = Buffer.concat([rest, chunk]);
    report.bytes += chunk.length;
    const found = secretsIn(bytes, bytes.length);
    const keptFrom = Math.max(0, bytes.length - scanOverlap);
    const atStart = { ...place };
    let from = 0;
    advance(place, bytes, 0, keptFrom);
    rest = Buffer.from(bytes.subarray(keptFrom));
    const placeOf = ({ offset }: FoundSecret) => {
      advance(atStart, bytes, from, offset);
      from = offset;
      return { ...atStart };
    };
    return { path, found, placeOf };
  };
}

function* scanFolder(folder: string, buffer: Buffer, report: ScanReport): Generator<ScanStep, void> {
  const folders = [folder];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const here = path;
    yield* guarded(report, here, function* () {
      for (const entry of entriesOf(here)) {
        const inner = here.endsWith('/') ? here + entry.name : `${here}/${entry.name}`;
        if (entry.isFile()) yield* guarded(report, inner, () => scanFile(inner, buffer, report, true));
        else if (entry.isDirectory()) folders.push(inner);
        else skip(report, inner, kindOf(entry));
      }
    });
  }
}

/** The entries of a folder one by one, since it may hold millions. */
function* entriesOf(folder: string): Generator<Dirent, void> {
  const opened = opendirSync(folder);
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}

function kindOf(entry: Dirent): string {
  return entry.isSymbolicLink() ? linkReason : otherReason;
}

function* scanFile(path: string, buffer: Buffer, report: ScanReport, plain: boolean): Generator<ScanStep, void> {
  // What was a regular file when its folder was listed may be a link or a FIFO by now, which the command line does not name.
  const fd = openSync(path, plain ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK : 'r');
  try {
    const isFile = fstatSync(fd).isFile();
    if (plain && !isFile) {
      skip(report, path, otherReason);
      return;
    }
    // What cannot be read again, such as a pipe, is counted through as it comes.
    if (isFile) yield* scanOpened(fd, path, buffer, report, plain);
    else yield* scanOnce(fd, path, report);
    report.files++;
  } finally {
    closeSync(fd);
  }
  yield undefined;
}

function* scanOpened(
  fd: number,
  path: string,
  buffer: Buffer,
  report: ScanReport,
  plain: boolean,
): Generator<ScanStep, void> {
  const placeAt = createPlaces(fd);
  let kept = 0;
  let start = 0;
  for (;;) {
    const read = readSync(fd, buffer, kept, buffer.length - kept, null);
    if (read === 0) break;
    report.bytes += read;
    const end = kept + read;
    const from = start;
    const found = secretsIn(buffer, end);
    // Shorter than a secret, so that none is found twice.
    kept = Math.min(scanOverlap, end);
    buffer.copyWithin(0, end - kept, end);
    start += end - kept;
    if (found.length > 0) yield { path, found, placeOf: ({ offset }) => placeAt(from + offset) };
    // A short read means the end only in a regular file.
    if (plain && end < buffer.length) break;
  }
}

function* scanOnce(fd: number, path: string, report: ScanReport): Generator<ScanStep, void> {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  const scan = createStreamScan(path, report);
  for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) yield scan(buffer.subarray(0, read));
}

/** Counts lines only up to what was found, by reading the file a second time; each byte once, however much is found. */
function createPlaces(fd: number): (target: number) => Place {
  let buffer: Buffer | undefined;
  const place = { line: 1, column: 1 };
  let at = 0;
  return (target) => {
    buffer ??= Buffer.allocUnsafe(pieceBytes);
    while (at < target) {
      const read = readSync(fd, buffer, 0, Math.min(buffer.length, target - at), at);
      // A file that shrank meanwhile: the place is as good as it can be.
      if (read === 0) break;
      advance(place, buffer, 0, read);
      at += read;
    }
    return { ...place };
  };
}

function advance(place: { line: number; column: number }, bytes: Buffer, from: number, to: number): void {
  let lineStart = -1;
  for (let i = bytes.indexOf(10, from); i !== -1 && i < to; i = bytes.indexOf(10, i + 1)) {
    place.line++;
    lineStart = i + 1;
  }
  place.column = lineStart === -1 ? place.column + to - from : to - lineStart + 1;
}

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: unreadableReason,
  EPERM: unreadableReason,
  EISDIR: 'is a folder',
  ELOOP: 'is a link that runs in a circle',
};

/** One unreadable file must not hide the findings in others. */
function* guarded(report: ScanReport, path: string, work: () => Generator<ScanStep, void>): Generator<ScanStep, void> {
  try {
    yield* work();
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === undefined) throw thrown;
    skip(report, path, reasons[code] ?? `cannot be read (${code})`);
    yield undefined;
  }
}

function skip(report: ScanReport, path: string, reason: string): void {
  if (reason === linkReason) report.links++;
  else report.others++;
  if (report.skipped.length < mostListed) report.skipped.push({ path, reason });
}

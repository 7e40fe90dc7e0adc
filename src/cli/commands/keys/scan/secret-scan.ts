import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
} from 'node:fs';
import { errnoOf } from '../../../../core/errno.ts';
import { scanOverlap, secretsIn } from '../../../../core/keys/leak-scan.ts';

/** A secret and its place: line and column from 1; a column counts bytes. */
export interface Occurrence {
  path: string;
  line: number;
  column: number;
  secret: string;
}

/** What a scan comes to: the secrets of a piece; the end of a file or of much else without any. */
export type ScanStep = readonly Occurrence[] | undefined;

/** What was read so far, and what was skipped: the number of paths, and the first of them. */
export interface ScanReport {
  files: number;
  bytes: number;
  links: number;
  others: number;
  skipped: { path: string; reason: string }[];
}

export const unreadableReason = 'may not be read by this account';

export const linkReason = 'is a link, not followed';

/** The largest number of findings, and of skipped paths, that a report lists: its size must not grow with what is scanned. */
export const mostListed = 10_000;

const otherReason = 'is not a regular file';

/** Of a log with a key on each line, larger pieces keep Node from collecting what was found in them: twice the memory. */
const pieceBytes = 1 << 18;

/**
 * Looks for secrets in files and folders, everything in them: hidden, binary, ignored by git; and for `-` in a stream. Links in folders
 * are not followed, and files that cannot be read are skipped; the report names both.
 */
export async function* scan(
  paths: readonly string[],
  stdin: NodeJS.ReadableStream,
  report: ScanReport,
): AsyncGenerator<ScanStep, void> {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (const path of paths) {
    if (path === '-') continue;
    yield* guarded(report, path, () =>
      lstatSync(path).isDirectory()
        ? scanFolder(path, buffer, report)
        : scanFile(path, buffer, report, false),
    );
  }
  if (!paths.includes('-')) return;
  const search = createSearch('-', report);
  for await (const chunk of stdin) yield search(Buffer.from(chunk));
  report.files++;
  yield undefined;
}

/** Creates the search of bytes that come piece by piece. A pipe is read only once, so that lines are counted while they pass. */
function createSearch(path: string, report: ScanReport): (piece: Buffer) => Occurrence[] {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  let column = 1;
  return (piece) => {
    report.bytes += piece.length;
    const bytes = Buffer.concat([rest, piece]);
    let at = 0;
    const advance = (to: number) => {
      let lineStart = at - column + 1;
      for (
        let end = bytes.indexOf(10, at);
        end !== -1 && end < to;
        end = bytes.indexOf(10, end + 1)
      ) {
        line++;
        lineStart = end + 1;
      }
      column = to - lineStart + 1;
      at = to;
    };
    const found = secretsIn(bytes).map(({ offset, secret }) => {
      advance(offset);
      return { path, line, column, secret };
    });
    // What is kept is shorter than a secret, so that none is found twice.
    advance(Math.max(0, bytes.length - scanOverlap));
    rest = bytes.subarray(at);
    return found;
  };
}

function* scanFolder(
  folder: string,
  buffer: Buffer,
  report: ScanReport,
): Generator<ScanStep, void> {
  const folders = [folder];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const here = path;
    yield* guarded(report, here, function* () {
      // One by one, since a folder may hold millions.
      const opened = opendirSync(here);
      try {
        for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
          const inner = here.endsWith('/') ? here + entry.name : `${here}/${entry.name}`;
          if (entry.isFile())
            yield* guarded(report, inner, () => scanFile(inner, buffer, report, true));
          else if (entry.isDirectory()) folders.push(inner);
          else skip(report, inner, entry.isSymbolicLink() ? linkReason : otherReason);
        }
      } finally {
        opened.closeSync();
      }
    });
  }
}

function* scanFile(
  path: string,
  buffer: Buffer,
  report: ScanReport,
  plain: boolean,
): Generator<ScanStep, void> {
  // What was a regular file when its folder was listed may be a link or a FIFO by now, which the command line does not name.
  const fd = openSync(
    path,
    plain ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK : 'r',
  );
  try {
    if (plain && !fstatSync(fd).isFile()) {
      skip(report, path, otherReason);
      return;
    }
    const search = createSearch(path, report);
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
      const found = search(buffer.subarray(0, read));
      if (found.length > 0) yield found;
    }
    report.files++;
  } finally {
    closeSync(fd);
  }
  yield undefined;
}

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: unreadableReason,
  EPERM: unreadableReason,
  EISDIR: 'is a folder',
  ELOOP: 'is a link that runs in a circle',
  ENOTDIR: 'has a file for a folder',
  ENAMETOOLONG: 'has too long a name',
};

/** One unreadable file must not hide the findings in others. */
function* guarded(
  report: ScanReport,
  path: string,
  work: () => Generator<ScanStep, void>,
): Generator<ScanStep, void> {
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

import { closeSync, constants, type Dirent, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { errnoOf } from '../../../../core/errno.ts';
import { type FoundSecret, scanOverlap, secretsIn } from '../../../../core/keys/leak-scan.ts';

/** A secret in a file, with its place. */
export interface Finding {
  path: string;
  line: number;
  column: number;
  secret: string;
}

/** The findings, how much was read, and the skipped paths. */
export interface ScanReport {
  findings: Finding[];
  files: number;
  bytes: number;
  skipped: { path: string; reason: string }[];
}

/** Why a link in a folder was skipped. */
export const linkReason = 'is a link, not followed';

const otherReason = 'is not a regular file';

const pieceBytes = 1 << 20;

/**
 * Looks for secrets in files and folders, everything in them: hidden, binary, ignored by git. Links in folders are not
 * followed, and files that cannot be read are skipped; the report names both.
 */
export function scanPaths(paths: readonly string[]): ScanReport {
  const report: ScanReport = { findings: [], files: 0, bytes: 0, skipped: [] };
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (const path of paths) {
    guarded(report, path, () => {
      if (lstatSync(path).isDirectory()) scanFolder(path, buffer, report);
      else scanFile(path, buffer, report, false);
    });
  }
  return report;
}

/** Looks for secrets in a stream, in pieces. */
export async function scanStream(stream: NodeJS.ReadableStream, path: string, report: ScanReport): Promise<void> {
  const place = { line: 1, column: 1 };
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    const bytes = Buffer.concat([rest, Buffer.from(chunk)]);
    report.bytes += bytes.length - rest.length;
    rest = scanPiece(bytes, place, path, report);
  }
  report.files++;
}

function scanPiece(bytes: Buffer, place: { line: number; column: number }, path: string, report: ScanReport): Buffer {
  let from = 0;
  for (const { offset, secret } of secretsIn(bytes, bytes.length)) {
    advance(place, bytes, from, offset);
    report.findings.push({ path, ...place, secret });
    from = offset;
  }
  const kept = Math.max(0, bytes.length - scanOverlap);
  advance(place, bytes, from, kept);
  return Buffer.from(bytes.subarray(kept));
}

function scanFolder(folder: string, buffer: Buffer, report: ScanReport): void {
  const folders = [folder];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const here = path;
    guarded(report, here, () => {
      for (const entry of readdirSync(here, { withFileTypes: true })) {
        const inner = here.endsWith('/') ? here + entry.name : `${here}/${entry.name}`;
        if (entry.isFile()) guarded(report, inner, () => scanFile(inner, buffer, report, true));
        else if (entry.isDirectory()) folders.push(inner);
        else report.skipped.push({ path: inner, reason: kindOf(entry) });
      }
    });
  }
}

function kindOf(entry: Dirent): string {
  return entry.isSymbolicLink() ? linkReason : otherReason;
}

function scanFile(path: string, buffer: Buffer, report: ScanReport, plain: boolean): void {
  // What was a regular file when its folder was listed may be a link or a FIFO by now, which the command line does not name.
  const fd = openSync(path, plain ? constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK : 'r');
  try {
    const isFile = fstatSync(fd).isFile();
    if (plain && !isFile) {
      report.skipped.push({ path, reason: otherReason });
      return;
    }
    // What cannot be read again, such as a pipe, is counted through as it comes.
    if (!isFile) {
      scanOnce(fd, path, report);
      return;
    }
    let kept = 0;
    let start = 0;
    for (;;) {
      const read = readSync(fd, buffer, kept, buffer.length - kept, null);
      if (read === 0) break;
      report.bytes += read;
      const end = kept + read;
      const found = secretsIn(buffer, end);
      if (found.length > 0) report.findings.push(...placed(fd, path, start, found));
      // Shorter than a secret, so that none is found twice.
      kept = Math.min(scanOverlap, end);
      buffer.copyWithin(0, end - kept, end);
      start += end - kept;
      // Only a regular file ends where a read comes back short.
      if (plain && end < buffer.length) break;
    }
    report.files++;
  } finally {
    closeSync(fd);
  }
}

function scanOnce(fd: number, path: string, report: ScanReport): void {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  const place = { line: 1, column: 1 };
  let rest: Buffer = Buffer.alloc(0);
  for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
    report.bytes += read;
    rest = scanPiece(Buffer.concat([rest, buffer.subarray(0, read)]), place, path, report);
  }
  report.files++;
}

/** Lines are counted only where something was found, by reading the file once more. */
function placed(fd: number, path: string, start: number, found: readonly FoundSecret[]): Finding[] {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  const place = { line: 1, column: 1 };
  let at = 0;
  return found.map(({ offset, secret }) => {
    for (const target = start + offset; at < target; ) {
      const read = readSync(fd, buffer, 0, Math.min(buffer.length, target - at), at);
      // A file that shrank meanwhile: the place is as good as it can be.
      if (read === 0) break;
      advance(place, buffer, 0, read);
      at += read;
    }
    return { path, ...place, secret };
  });
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
  EACCES: 'may not be read by this account',
  EPERM: 'may not be read by this account',
  EISDIR: 'is a folder',
  ELOOP: 'is a link that runs in a circle',
};

/** One file that cannot be read must not hide what stands in the others. */
function guarded(report: ScanReport, path: string, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === undefined) throw thrown;
    report.skipped.push({ path, reason: reasons[code] ?? `cannot be read (${code})` });
  }
}

import { HkctlError } from '../core/errors.ts';

/** A file that is no text of records: its description, and a hint how it becomes one. */
interface ForeignFile {
  description: string;
  hint: string;
}

/** The number of bytes at the beginning of a file that show its kind. */
export const recognisedBytes = 4096;

/** Throws `bad_input` if a file begins like a workbook, an archive, a page or another kind that no import reads. */
export function requireReadable(head: Buffer): void {
  const foreignFile = foreignFileOf(head);
  if (foreignFile === undefined) return;
  const { description, hint } = foreignFile;
  throw new HkctlError('bad_input', `The file is ${description}, not CSV, JSON or NDJSON.`, {
    hint,
  });
}

function foreignFileOf(head: Buffer): ForeignFile | undefined {
  const bytes = head.toString('latin1');
  const isAtStart = ([beginning]: Beginning) => bytes.startsWith(beginning);
  const [, beginningFile] = beginnings.find(isAtStart) ?? [];
  if (typeof beginningFile === 'function') return beginningFile(bytes);
  if (beginningFile !== undefined) return beginningFile;
  // POSIX: the first header of an archive.
  if (bytes.startsWith('ustar', 257)) return archive('a tar archive');
  return utf16WithoutMark(head) ?? markupOf(bytes);
}

const csvHint = 'Save it as "CSV UTF-8" in the spreadsheet program and import that file.';
const utf8Hint = 'Save it as UTF-8: in Excel as "CSV UTF-8", in an editor by its encoding.';

const workbook = (description: string): ForeignFile => ({ description, hint: csvHint });
const archive = (description: string): ForeignFile => ({
  description,
  hint: 'Unpack it and import the file that it contains; gzip alone needs no unpacking.',
});
const encoded = (description: string): ForeignFile => ({ description, hint: utf8Hint });
const exported = (description: string): ForeignFile => ({
  description,
  hint: 'Export the table itself as CSV, JSON or NDJSON and import that file.',
});

type Beginning = readonly [beginning: string, file: ForeignFile | ((bytes: string) => ForeignFile)];

/** The beginnings of files of other kinds, byte by byte (their specifications, and file(1)). */
const beginnings: readonly Beginning[] = [
  ['PK\x03\x04', zipContent],
  ['PK\x05\x06', archive('an empty zip archive')],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', workbook('an old Excel workbook (xls) or Office document')],
  ['%PDF-', exported('a PDF document')],
  ['{\\rtf', exported('an RTF document')],
  ['\x1f\x8b', archive('a gzip archive inside a gzip archive')],
  ['BZh', archive('a bzip2 archive')],
  ['\xfd7zXZ\0', archive('an xz archive')],
  ['\x28\xb5\x2f\xfd', archive('a zstd archive')],
  ['\x04\x22\x4d\x18', archive('an LZ4 archive')],
  ['7z\xbc\xaf\x27\x1c', archive('a 7z archive')],
  ['Rar!\x1a\x07', archive('a RAR archive')],
  ['PAR1', exported('a Parquet file')],
  ['SQLite format 3\0', exported('an SQLite database')],
  ['\x89PNG\r\n\x1a\n', exported('an image (PNG)')],
  ['\xff\xd8\xff', exported('an image (JPEG)')],
  ['GIF8', exported('an image (GIF)')],
  ['\x7fELF', exported('a program')],
  // UTF-32 begins as UTF-16 does.
  ['\xff\xfe\0\0', encoded('UTF-32 text')],
  ['\0\0\xfe\xff', encoded('UTF-32 text')],
  ['\xff\xfe', encoded('UTF-16 text')],
  ['\xfe\xff', encoded('UTF-16 text')],
];

/** Office documents are zip archives: the names of their first parts show which. */
function zipContent(bytes: string): ForeignFile {
  if (bytes.includes('opendocument.spreadsheet')) {
    return workbook('an OpenDocument spreadsheet (ods)');
  }
  if (/\[Content_Types\]\.xml|_rels\/\.rels|xl\/|docProps\//.test(bytes)) {
    const isDocument = /word\/|ppt\//.test(bytes) && !bytes.includes('xl/');
    return isDocument ? exported('an Office document') : workbook('an Excel workbook (xlsx)');
  }
  return archive('a zip archive');
}

/** The number of characters that show whether every second byte is zero; all of a shorter file. */
const comparedCharacters = 16;

/** The header of a table, or the first bracket and quote, are ASCII: in UTF-16 every second byte of them is zero. */
function utf16WithoutMark(head: Buffer): ForeignFile | undefined {
  const pairCount = Math.min(head.length >> 1, comparedCharacters);
  if (pairCount < 2) return undefined;

  const zeroCounts = [0, 0];
  for (let byteIndex = 0; byteIndex < 2 * pairCount; byteIndex++) {
    const parity = byteIndex % 2;
    if (head[byteIndex] === 0) {
      zeroCounts[parity] = (zeroCounts[parity] ?? 0) + 1;
    }
  }

  const [evenZeros = 0, oddZeros = 0] = zeroCounts;
  const mostZeros = Math.max(evenZeros, oddZeros);
  const fewestZeros = Math.min(evenZeros, oddZeros);
  const isEncoded = mostZeros >= 0.75 * pairCount && fewestZeros === 0;
  return isEncoded ? encoded('UTF-16 text') : undefined;
}

/** A page or an XML document: no CSV has a header that begins with a tag. */
function markupOf(bytes: string): ForeignFile | undefined {
  const markup = bytes.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (/^<(?:!doctype\s+html|!--|html|head|body|meta|title|script|div|p|h1|table)\b/i.test(markup)) {
    return {
      description: 'an HTML page',
      hint: 'It may be the error or login page of a server: download the file again.',
    };
  }
  return /^<[?!a-z]/i.test(markup) ? exported('an XML document') : undefined;
}

import { isUtf8 } from 'node:buffer';
import { HkctlError } from '../core/errors.ts';
import { gunzipped, peek } from '../core/files/gzip.ts';
import { type ImportFormat, importFormats, type ReadOptions } from '../core/records/imports.ts';
import { createCsvReader } from './csv.ts';
import { recognisedBytes, requireReadable } from './foreign-files.ts';
import { createJsonReader, createNdjsonReader } from './json.ts';
import { type FileReader, type TextEvents, tooLongRule } from './reader.ts';

const readers = {
  csv: createCsvReader,
  json: createJsonReader,
  ndjson: createNdjsonReader,
} as const;

/** Gives a file to the reader of its format, which its name or beginning shows; yields the format after each step. */
export async function* readPieces(
  source: AsyncIterable<Uint8Array>,
  options: Pick<ReadOptions, 'format' | 'fileName'>,
  events: TextEvents,
): AsyncGenerator<ImportFormat> {
  const { head, all } = await peek(gunzipped(source, damagedArchive), recognisedBytes);
  const headBytes = head.subarray(0, recognisedBytes);
  requireReadable(headBytes);
  const format =
    options.format ?? formatOfName(options.fileName) ?? formatOfStart(headBytes, events.listName);
  const reader = readers[format](events);
  try {
    for await (const bytes of withoutEndMark(requireUtf8(all))) {
      reader.items.push(bytes);
      yield* readOn(reader, format, events);
    }
    reader.items.finish();
    yield* readOn(reader, format, events);
  } catch (thrown) {
    if (!(thrown instanceof EncodingFault)) throw thrown;
    events.fatal(reader.items.lineReached, thrown.message);
  }
}

/** Takes all items that the bytes so far hold. */
function* readOn(
  { items, take }: FileReader,
  format: ImportFormat,
  { fatal }: TextEvents,
): Generator<ImportFormat> {
  for (let found = items.next(); found !== 'more'; found = items.next()) {
    if (found === 'step') yield format;
    else if (found === 'too long') fatal(items.line, tooLongRule);
    else take(found);
    if (found === 'end') return;
  }
  yield format;
}

/** The format by the extension of a file's name, before any `.gz`; undefined if that names none. */
export function formatOfName(fileName: string | undefined): ImportFormat | undefined {
  const name = fileName?.toLowerCase().replace(/\.gz$/, '') ?? '';
  const extension = /\.([a-z]+)$/.exec(name)?.[1];
  if (extension === 'jsonl') return 'ndjson';
  if (extension === 'tsv' || extension === 'txt') return 'csv';
  return importFormats.find((format) => format === extension);
}

/** The format by the beginning of a file. */
function formatOfStart(head: Buffer, listName: string): ImportFormat {
  const startText = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (startText.startsWith('[')) return 'json';
  if (!startText.startsWith('{')) return 'csv';
  const firstMember = /^\{\s*("[^"]*")?/.exec(startText)?.[1];
  return firstMember === `"${listName}"` ? 'json' : 'ndjson';
}

const endMark = 0x1a;
/** A mark with more than this behind it ends nothing. */
const longestEnd = 64 * 1024;

/** Leaves out the Ctrl-Z (U+001A), perhaps repeated, with which programs of DOS end a text, and blanks after it. */
async function* withoutEndMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let ending: Buffer[] = [];
  let endingLength = 0;
  for await (const chunk of chunks) {
    let trailingStart = chunk.length;
    while (trailingStart > 0 && (chunk[trailingStart - 1] ?? 0) <= 32) trailingStart--;
    if (trailingStart > 0 || endingLength > longestEnd) {
      yield* ending;
      ending = [];
      endingLength = 0;
    }
    const markAt = endingLength > 0 ? 0 : chunk.indexOf(endMark, trailingStart);
    const textEnd = markAt === -1 ? chunk.length : markAt;
    if (textEnd > 0) yield chunk.subarray(0, textEnd);
    if (textEnd === chunk.length) continue;
    ending.push(chunk.subarray(textEnd));
    endingLength += chunk.length - textEnd;
  }
}

function damagedArchive(cause: Error): HkctlError {
  return new HkctlError(
    'bad_input',
    `The file is a damaged or incomplete gzip archive: ${cause.message}.`,
    { hint: 'Compress it again, or import it uncompressed.', cause },
  );
}

/** Bytes that are no UTF-8; its message is the rule that they break. */
class EncodingFault extends Error {}

/** Passes on UTF-8 without its mark, in pieces of whole characters. Throws {@link EncodingFault} behind the last that is UTF-8. */
async function* requireUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let position = 0;
  let incompleteBytes: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes =
      incompleteBytes.length > 0 ? Buffer.concat([incompleteBytes, chunk]) : toBuffer(chunk);
    const wholeBytes = bytes.subarray(0, bytes.length - incompleteLength(bytes));
    yield* checked(wholeBytes, position);
    position += wholeBytes.length;
    incompleteBytes = bytes.subarray(wholeBytes.length);
  }
  yield* checked(incompleteBytes, position);
}

function* checked(bytes: Buffer, position: number): Generator<Buffer> {
  const faultAt = isUtf8(bytes) ? -1 : firstInvalidByte(bytes);
  const textStart = position === 0 && hasByteOrderMark(bytes) ? 3 : 0;
  const textEnd = faultAt === -1 ? bytes.length : Math.max(textStart, faultAt);
  if (textEnd > textStart) yield bytes.subarray(textStart, textEnd);
  if (faultAt !== -1) {
    throw new EncodingFault(ruleFor(position + faultAt, bytes[faultAt] ?? 0));
  }
}

function ruleFor(position: number, byte: number): string {
  const byteText = byte.toString(16).toUpperCase().padStart(2, '0');
  return `UTF-8 text; byte ${position} (0x${byteText}) is not UTF-8. Save the file as UTF-8 (in Excel: "CSV UTF-8")`;
}

function toBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The number of bytes at the end that begin an incomplete character, at most three. */
function incompleteLength(bytes: Buffer): number {
  const lengths = [0, 1, 2, 3];
  const isWithout = (length: number) => isUtf8(bytes.subarray(0, bytes.length - length));
  return lengths.find(isWithout) ?? 0;
}

/** The first byte that is not that of the character at its position. */
function firstInvalidByte(bytes: Buffer): number {
  let characterStart = 0;
  for (const character of bytes.toString()) {
    const encoded = Buffer.from(character);
    if (!encoded.equals(bytes.subarray(characterStart, characterStart + encoded.length))) {
      break;
    }
    characterStart += encoded.length;
  }
  return characterStart;
}

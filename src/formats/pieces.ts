import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errnoOf } from '../core/errno.ts';
import { HkctlError } from '../core/errors.ts';
import { type ImportFormat, importFormats, type ReadOptions } from '../core/records/imports.ts';
import { createCsvReader } from './csv.ts';
import { recognisedBytes, requireReadable } from './foreign-files.ts';
import { createJsonReader, createNdjsonReader } from './json.ts';
import { type FileReader, type TextEvents, tooLongRule } from './reader.ts';
import { EncodingFault, requireUtf8 } from './text.ts';

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
  const { head, all } = await peek(gunzipped(source), recognisedBytes);
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

/** Decompresses gzip (RFC 1952), recognized by its first bytes, and passes on everything else. Throws `bad_input` for a damaged archive. */
async function* gunzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, all } = await peek(source, 2);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  yield* isGzip ? unpack(all) : all;
}

async function* unpack(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // Each of the two ends with the other, and the reader gets the fault of either.
  pipeline(source, gunzip, () => {});
  try {
    yield* gunzip;
  } catch (thrown) {
    const isDamaged = thrown instanceof Error && /^Z_/.test(errnoOf(thrown) ?? '');
    if (!isDamaged) throw thrown;
    throw new HkctlError(
      'bad_input',
      `The file is a damaged or incomplete gzip archive: ${thrown.message}.`,
      { hint: 'Compress it again, or import it uncompressed.', cause: thrown },
    );
  }
}

/** Reads at least `length` bytes, or all if there are fewer; returns them as `head`, and `all` bytes from the start. */
async function peek(
  source: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const headChunks: Uint8Array[] = [];
  let headLength = 0;
  while (headLength < length) {
    const { done, value } = await iterator.next();
    if (done) break;
    headChunks.push(value);
    headLength += value.length;
  }
  return { head: Buffer.concat(headChunks), all: chainChunks(headChunks, iterator) };
}

async function* chainChunks(
  headChunks: readonly Uint8Array[],
  remaining: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* headChunks;
    yield* { [Symbol.asyncIterator]: () => remaining };
  } finally {
    await remaining.return?.();
  }
}

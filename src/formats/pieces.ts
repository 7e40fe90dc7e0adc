import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errnoOf } from '../core/errno.ts';
import { HkctlError } from '../core/errors.ts';
import { isBlank } from '../core/fields/values.ts';
import { type ImportFormat, importFormats, type ReadOptions } from '../core/records/imports.ts';
import { peek } from './chunks.ts';
import { createCsvReader } from './csv.ts';
import { recognisedBytes, requireReadable } from './foreign-files.ts';
import { beginsDocument, createJsonReader, createNdjsonReader } from './json.ts';
import type { TextEvents, TextReader } from './reader.ts';
import { decodeUtf8, EncodingFault } from './text.ts';

const readers = {
  csv: createCsvReader,
  json: createJsonReader,
  ndjson: createNdjsonReader,
} as const;

/** Gives a file to the reader of its format, which its name or first character shows; yields the format for each piece. */
export async function* readPieces(
  source: AsyncIterable<Uint8Array>,
  options: Pick<ReadOptions, 'format' | 'fileName'>,
  events: TextEvents,
): AsyncGenerator<ImportFormat> {
  let bufferedStart = '';
  let reader: TextReader | undefined;
  let format = options.format ?? formatOfName(options.fileName);
  const texts = withoutEndMark(decodeUtf8(readable(gunzipped(source))));
  try {
    for await (const text of texts) {
      if (!reader) {
        bufferedStart += text;
        format ??= formatOfStart(bufferedStart, events.listName);
        if (format === undefined) continue;
        reader = readers[format](events);
      }
      reader.push(bufferedStart || text, false);
      bufferedStart = '';
      if (format) yield format;
    }
    // A text that ends before its format is known: of blanks, or `{` alone.
    const defaultFormat = bufferedStart.trimStart() === '' ? 'csv' : 'ndjson';
    reader ??= readers[format ?? defaultFormat](events);
    reader.push(bufferedStart, true);
  } catch (thrown) {
    if (!(thrown instanceof EncodingFault)) throw thrown;
    events.fatal(reader?.line ?? 1, thrown.message);
  }
}

/** The format by the extension of a file's name, before any `.gz`; undefined if that names none. */
export function formatOfName(fileName: string | undefined): ImportFormat | undefined {
  const name = fileName?.toLowerCase().replace(/\.gz$/, '') ?? '';
  const extension = /\.([a-z]+)$/.exec(name)?.[1];
  if (extension === 'jsonl') return 'ndjson';
  if (extension === 'tsv' || extension === 'txt') return 'csv';
  return importFormats.find((format) => format === extension);
}

/** The format by the beginning of a text; undefined if too little of it is known. */
function formatOfStart(startText: string, listName: string): ImportFormat | undefined {
  const firstCharacter = startText.trimStart()[0];
  if (firstCharacter === undefined) return undefined;
  if (firstCharacter === '[') return 'json';
  if (firstCharacter !== '{') return 'csv';
  const isDocument = beginsDocument(startText, listName);
  if (isDocument === undefined) return undefined;
  return isDocument ? 'json' : 'ndjson';
}

/** Passes on the bytes of a file unless it is of a kind that no import reads (`requireReadable`). */
async function* readable(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, all } = await peek(source, recognisedBytes);
  requireReadable(head.subarray(0, recognisedBytes));
  yield* all;
}

/** Leaves out the Ctrl-Z (U+001A) with which programs of DOS end a text, and blanks after it. */
async function* withoutEndMark(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let pendingText = '';
  for await (const text of texts) {
    const pendingAndText = pendingText + text;
    const endMarkAt = startOfEndMark(pendingAndText);
    pendingText = pendingAndText.slice(endMarkAt);
    if (endMarkAt > 0) yield pendingAndText.slice(0, endMarkAt);
  }
}

const endMark = '\u001a';

/** The index at which the mark, perhaps repeated and between blanks, begins at the end of a text; its length if there is none. */
function startOfEndMark(text: string): number {
  let trailingStart = text.length;
  const isTrailing = (character = '') => character === endMark || isBlank(character);
  while (trailingStart > 0 && isTrailing(text[trailingStart - 1])) {
    trailingStart--;
  }
  const markAt = text.indexOf(endMark, trailingStart);
  return markAt === -1 ? text.length : markAt;
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

import { type ImportFormat, importFormats, type ReadOptions } from '../core/records/imports.ts';
import { gunzipped } from './gzip.ts';
import type { TextReader } from './reader.ts';
import { decodeUtf8, EncodingFault } from './text.ts';

/**
 * Gives a file, also gzipped, to a reader of its format, which its name or its first character tells; without either it is CSV.
 * Yields after each piece. Calls `refuse` with the line if bytes are not UTF-8.
 */
export async function* readPieces(
  source: AsyncIterable<Uint8Array>,
  { format: given, fileName }: Pick<ReadOptions, 'format' | 'fileName'>,
  open: (format: ImportFormat) => TextReader,
  refuse: (line: number, thrown: EncodingFault) => never,
): AsyncGenerator<void> {
  let start = '';
  let reader: TextReader | undefined;
  let format = given ?? formatOfName(fileName);
  try {
    for await (const text of decodeUtf8(gunzipped(source))) {
      if (!reader) {
        start += text;
        format ??= formatOfStart(start);
        if (format === undefined) continue;
        reader = open(format);
      }
      reader.push(start || text, false);
      start = '';
      yield;
    }
    reader ??= open(format ?? 'csv');
    reader.push('', true);
  } catch (thrown) {
    if (!(thrown instanceof EncodingFault)) throw thrown;
    refuse(reader?.line ?? 1, thrown);
  }
}

/** The format by the extension of a file's name, before any `.gz`; undefined if that names none. */
export function formatOfName(fileName: string | undefined): ImportFormat | undefined {
  const extension = /\.([a-z]+)$/.exec(fileName?.toLowerCase().replace(/\.gz$/, '') ?? '')?.[1];
  if (extension === 'jsonl') return 'ndjson';
  if (extension === 'tsv' || extension === 'txt') return 'csv';
  return importFormats.find((format) => format === extension);
}

/** The format by the first character of a text; undefined if there is none yet. */
function formatOfStart(text: string): ImportFormat | undefined {
  const first = text.trimStart()[0];
  if (first === undefined) return undefined;
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
}

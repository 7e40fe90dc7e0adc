import { HkctlError } from '../core/errors.ts';
import { type ReadingReader, type ReadingRows, readingColumns } from '../core/readings/imports.ts';
import { fault } from '../core/readings/rejections.ts';
import type { ImportFormat } from '../core/records/imports.ts';
import { printable } from '../core/text/shown-text.ts';
import { didYouMean, nearest } from '../core/text/words.ts';
import { createCsvReader } from './csv.ts';
import { createJsonReader, createNdjsonReader } from './json.ts';
import { readPieces } from './pieces.ts';
import type { TextReader } from './reader.ts';
import type { EncodingFault } from './text.ts';

/** Readings that are stored at once, in some tens of milliseconds. */
const pieceSize = 20_000;

/** Reads a file of readings: CSV with a header, a JSON array or NDJSON, each also gzipped, in constant memory. */
export const readReadings: ReadingReader = async function* (source, options) {
  const pieces: ReadingRows[] = [];
  const rows = (): ReadingRows => {
    let last = pieces.at(-1);
    if (!last || last.items.length >= pieceSize) {
      last = { items: [], lines: [], faults: [] };
      pieces.push(last);
    }
    return last;
  };
  const add = (item: unknown, line: number) => {
    const piece = rows();
    piece.items.push(item);
    piece.lines.push(line);
  };
  const addFault = (line: number, rule: string) => rows().faults.push({ line, ...fault('invalid_reading', rule) });
  const open = (format: ImportFormat): TextReader => {
    if (format === 'csv') return createCells(options.map ?? {}, add, addFault);
    const events = {
      // A reading is a double, whatever digits were given.
      parse: JSON.parse,
      value: add,
      fault: (line: number, _value: string, rule: string) => addFault(line, `The line is not as expected: ${rule}.`),
      fatal,
    };
    return format === 'json' ? createJsonReader(events) : createNdjsonReader(events);
  };
  const refuse = (line: number, { position }: EncodingFault) =>
    fatal(line, `UTF-8 text; byte ${position} is not UTF-8`);
  try {
    for await (const _ of readPieces(source, options, open, refuse)) {
      while (pieces.length > 1) yield pieces.shift() ?? rows();
    }
  } catch (thrown) {
    // What was read before the fault is stored.
    yield* pieces.splice(0);
    throw thrown;
  }
  yield* pieces;
};

/** Reads CSV: numbers and booleans are such if they look so, and an empty cell is a field that is missing. */
function createCells(
  map: Readonly<Record<string, string>>,
  add: (item: unknown, line: number) => void,
  addFault: (line: number, rule: string) => void,
): TextReader {
  let fields: string[] | undefined;
  return createCsvReader({
    row(cells, line) {
      if (!fields) {
        fields = fieldsOf(
          cells.map((cell) => cell.trim()),
          map,
          line,
        );
        return;
      }
      if (cells.length !== fields.length) {
        addFault(line, `The row has ${cells.length} columns, and the header has ${fields.length}.`);
        return;
      }
      const item: Record<string, unknown> = {};
      for (const [column, field] of fields.entries()) {
        const cell = cells[column] ?? '';
        if (cell !== '' && field !== '-')
          item[field] = field === 'at' || field === 'value' ? fieldValue(field, cell) : cell;
      }
      add(item, line);
    },
    fault: ({ line, rule }) => addFault(line, `The row is not as expected: ${rule}.`),
    fatal,
  });
}

function fieldsOf(header: readonly string[], map: Readonly<Record<string, string>>, line: number): string[] {
  const known = Object.keys(readingColumns);
  const fields = header.map((column) => map[column] ?? column);
  const unknown = fields.find((field) => field !== '-' && !known.includes(field));
  const twice = fields.find((field, at) => field !== '-' && fields.indexOf(field) !== at);
  const missing = known.find((field) => readingColumns[field] && !fields.includes(field));
  if (unknown !== undefined) {
    fatal(
      line,
      `columns among ${known.join(', ')}; "${printable(unknown)}" is none. ${didYouMean(nearest(unknown, known))}`.trim(),
    );
  }
  if (twice !== undefined) fatal(line, `one column for each field; ${twice} has two`);
  if (missing !== undefined) fatal(line, `the column ${missing}`);
  return fields;
}

function fieldValue(field: 'at' | 'value', cell: string): unknown {
  if (field === 'at') return /^\s*-?\d+\s*$/.test(cell) ? Number(cell) : cell.trim();
  // The usual form first.
  if (/^-?\d+(\.\d+)?$/.test(cell)) return Number(cell);
  if (/^\s*(true|false)\s*$/i.test(cell)) return cell.trim().toLowerCase() === 'true';
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(cell) ? Number(cell) : cell;
}

function fatal(line: number, rule: string): never {
  throw new HkctlError('bad_input', `line ${line}: expected ${rule}.`, {
    hint: 'Correct the file and import it again: readings that are stored already are then duplicates.',
  });
}

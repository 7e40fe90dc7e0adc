import { HkctlError } from '../core/errors.ts';
import { type ReadingReader, type ReadingRows, readingColumns } from '../core/readings/imports.ts';
import { fault } from '../core/readings/rejections.ts';
import { printable } from '../core/text/shown-text.ts';
import { didYouMean, nearest } from '../core/text/words.ts';
import { readPieces } from './pieces.ts';
import type { TextEvents } from './reader.ts';

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
  const addFault = (line: number, rule: string) =>
    rows().faults.push({ line, ...fault('invalid_reading', rule) });
  let fields: string[] | undefined;
  const events: TextEvents = {
    row(cells, line) {
      if (!fields) fields = fieldsOf(cells, options.map ?? {}, line);
      else if (cells.length === fields.length) add(itemOf(fields, cells), line);
      else
        addFault(line, `The row has ${cells.length} columns, and the header has ${fields.length}.`);
    },
    value: add,
    // A reading is a double, whatever digits were given.
    parse: JSON.parse,
    fault: ({ line, rule }) => addFault(line, `The line is not as expected: ${rule}.`),
    fatal,
  };
  try {
    for await (const _ of readPieces(source, options, events)) {
      while (pieces.length > 1) yield pieces.shift() ?? rows();
    }
  } catch (thrown) {
    // What was read before the fault is stored.
    yield* pieces.splice(0);
    throw thrown;
  }
  yield* pieces;
};

/** The reading of a row: numbers and booleans are such if they look so, and an empty cell is a field that is missing. */
function itemOf(fields: readonly string[], cells: readonly string[]): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const [column, field] of fields.entries()) {
    const cell = cells[column] ?? '';
    if (cell !== '' && field !== '-')
      item[field] = field === 'at' || field === 'value' ? fieldValue(field, cell) : cell;
  }
  return item;
}

function fieldsOf(
  header: readonly string[],
  map: Readonly<Record<string, string>>,
  line: number,
): string[] {
  const known = Object.keys(readingColumns);
  const fields = header.map((column) => map[column.trim()] ?? column.trim());
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

import { HkctlError } from '../core/errors.ts';
import { withDecimalPoint } from '../core/fields/numbers.ts';
import { isObject, trimmed } from '../core/fields/values.ts';
import { type ReadingReader, type ReadingRows, readingTable } from '../core/readings/imports.ts';
import { fault } from '../core/readings/rejections.ts';
import { createFieldOfColumn, type FieldOfColumn } from '../core/records/columns.ts';
import { readPieces } from './pieces.ts';
import type { TextEvents } from './reader.ts';
import { createTableReader } from './table.ts';

const fieldNames = Object.keys(readingTable.fields);

/** The table of a file all of whose readings are of one sensor. */
const tableWithoutSensor = { ...readingTable, fields: { ...readingTable.fields, sensor: {} } };

const ownSensorRule =
  "no sensor, since --sensor gives one; leave the column out with --map 'sensor=-'";

/** Readings that are stored at once. */
const pieceSize = 20_000;

/** Reads a file of readings: CSV with a header, a JSON array or NDJSON, each also gzipped, in constant memory. */
export const readReadings: ReadingReader = async function* (source, options) {
  const pieces: ReadingRows[] = [];
  const openPiece = (): ReadingRows => {
    let lastPiece = pieces.at(-1);
    if (!lastPiece || lastPiece.items.length >= pieceSize) {
      lastPiece = {
        items: [],
        lines: [],
        faults: [],
      };
      pieces.push(lastPiece);
    }
    return lastPiece;
  };

  const { sensor } = options;
  const addItem = (item: unknown, line: number) => {
    if (sensor !== undefined && isObject(item)) {
      if (item.sensor !== undefined) fatal(line, ownSensorRule);
      item.sensor = sensor;
    }
    const piece = openPiece();
    piece.items.push(item);
    piece.lines.push(line);
  };
  const addTextFault: TextEvents['fault'] = ({ line, column, rule }) => {
    const code = column === null ? 'bad_json' : 'invalid_reading';
    openPiece().faults.push({ line, ...fault(code, `The line is not as expected: ${rule}.`) });
  };

  let hasDecimalCommas = false;
  const expectedTable = sensor === undefined ? readingTable : tableWithoutSensor;
  const table = createTableReader(expectedTable, options.map, {
    row: (cells, columns, line) => addItem(itemOf(cells, columns, hasDecimalCommas), line),
    fault: addTextFault,
  });

  const fieldOf = createFieldOfColumn(readingTable, options.map);
  const events: TextEvents = {
    listName: 'readings',
    separator(separator) {
      hasDecimalCommas = separator === ';';
    },
    row: table.row,
    value(value, line) {
      const item = isObject(value) ? membersOf(value, fieldOf) : value;
      addItem(item, line);
    },
    // A reading is a double, whatever digits were given.
    parse: JSON.parse,
    fault: addTextFault,
    fatal,
  };

  try {
    for await (const _ of readPieces(source, options, events)) {
      while (pieces.length > 1) {
        yield pieces.shift() ?? openPiece();
      }
    }
  } catch (thrown) {
    // Readings before the fault are stored.
    yield* pieces.splice(0);
    throw thrown;
  }
  yield* pieces;
};

/**
 * The reading of a row: numbers and booleans are such if they look so, and an empty cell is a field that is missing. Semicolons
 * separate columns if the comma is the decimal mark, as by a spreadsheet program in German or French.
 */
function itemOf(
  cells: readonly string[],
  columns: Int32Array,
  hasDecimalCommas: boolean,
): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const [index, field] of fieldNames.entries()) {
    const columnIndex = columns[index] ?? -1;
    const cell = trimmed(cells[columnIndex] ?? '');
    if (cell !== '') {
      item[field] = valueOfCell(field, cell, hasDecimalCommas);
    }
  }
  return item;
}

/** The members of a reading by the fields that they mean; an unknown one stays, so that its reading is rejected. */
function membersOf(
  members: Readonly<Record<string, unknown>>,
  fieldOf: FieldOfColumn,
): Record<string, unknown> {
  const item = new Map<string, unknown>();
  for (const [name, member] of Object.entries(members)) {
    const field = fieldOf(name);
    if (field === null) continue;

    const memberName = field === undefined || item.has(field) ? name : field;
    item.set(memberName, typeof member === 'string' ? trimmed(member) : member);
  }
  // Not by assignment: a member may be called `__proto__`.
  return Object.fromEntries(item);
}

function valueOfCell(field: string, cell: string, hasDecimalCommas: boolean): unknown {
  if (field === 'at') {
    return /^-?\d+$/.test(cell) ? Number(cell) : cell;
  }
  if (field !== 'value') return cell;
  // The usual form first.
  if (/^-?\d+(\.\d+)?$/.test(cell)) return Number(cell);
  if (/^(true|false)$/i.test(cell)) {
    return cell.toLowerCase() === 'true';
  }
  const numeral = hasDecimalCommas ? withDecimalPoint(cell) : cell;
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(numeral) ? Number(numeral) : cell;
}

function fatal(line: number, rule: string): never {
  throw new HkctlError('bad_input', `line ${line}: expected ${rule}.`, {
    hint: 'Correct the file and import it again: readings that are stored already are then duplicates.',
  });
}

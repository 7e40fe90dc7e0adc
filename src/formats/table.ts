import { isBlank } from '../core/fields/values.ts';
import { columnPositions, createFieldOfColumn, type ImportTable } from '../core/records/columns.ts';
import type { ReadOptions } from '../core/records/imports.ts';
import { nounFor } from '../core/text/words.ts';
import type { TextEvents } from './reader.ts';
import { formulaRule, isFormula, requireLongTable } from './spreadsheet-habits.ts';

/** The rows of a CSV below its header; every import reads them with this. */
interface Table {
  row: TextEvents['row'];
  /** The name of a column of the header, by its number from 1; undefined for columns that it has not. */
  nameOf(column: number): string | undefined;
  readonly hasHeader: boolean;
}

interface TableEvents {
  /** `columns` has for each field of the table the position of its cell, or -1. */
  row(cells: readonly string[], columns: Int32Array, line: number, plain: boolean): void;
  fault: TextEvents['fault'];
}
/**
 * Creates the reader of a table: its first row is the header, by which it finds the columns of the fields. Columns at the end
 * without a name and content, as spreadsheets add them, do not count.
 */
export function createTableReader(
  table: ImportTable,
  map: ReadOptions['map'],
  events: TableEvents,
): Table {
  let header: string[] = [];
  let columns: Int32Array | undefined;
  return {
    get hasHeader() {
      return columns !== undefined;
    },
    nameOf: (column) => header[column - 1],
    row(cells, line, plain) {
      if (!columns) {
        header = cells.map((cell) => cell.trim());
        while (header.at(-1) === '') {
          header.pop();
        }
        requireLongTable(table, header, createFieldOfColumn(table, map));
        columns = columnPositions(table, header, line, map);
        return;
      }

      const { length } = header;
      const formulaColumn = cells.findIndex(isFormula);
      if (formulaColumn !== -1) {
        const value = cells[formulaColumn] ?? null;
        events.fault({ line, column: formulaColumn + 1, value, rule: formulaRule });
        return;
      }

      const faultColumn = firstFaultColumn(cells, length);
      if (faultColumn === -1) {
        events.row(cells, columns, line, plain);
        return;
      }
      events.fault({
        line,
        column: faultColumn + 1,
        value: cells[faultColumn] ?? null,
        rule: `${length} ${nounFor(length, 'column')} as in the header; this row has ${cells.length}`,
      });
    },
  };
}

/** The index of the first cell that is missing, or that has content behind the last column; -1 if there is none. */
function firstFaultColumn(cells: readonly string[], columnCount: number): number {
  if (cells.length < columnCount) return cells.length;
  return cells.findIndex((cell, column) => column >= columnCount && !isBlank(cell));
}

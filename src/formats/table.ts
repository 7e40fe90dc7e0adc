import { isBlank } from '../core/fields/values.ts';
import { columnPositions, type ImportTable } from '../core/records/columns.ts';
import type { ReadOptions } from '../core/records/imports.ts';
import { nounFor } from '../core/text/words.ts';
import type { TextEvents } from './reader.ts';

/** The rows of a CSV below its header; every import reads them with this. */
export interface Table {
  row: TextEvents['row'];
  /** The name of a column of the header, by its number from 1; undefined for columns that it has not. */
  nameOf(column: number): string | undefined;
  readonly hasHeader: boolean;
}

/**
 * Creates the reader of a table: its first row is the header, by which it finds the columns of the fields. Columns at the end
 * without a name and content, as spreadsheets add them, do not count.
 */
export function createTableReader(
  table: ImportTable,
  map: ReadOptions['map'],
  {
    row,
    fault,
  }: {
    /** `columns` has for each field of the table the position of its cell, or -1. */
    row(cells: readonly string[], columns: Int32Array, line: number, plain: boolean): void;
    fault: TextEvents['fault'];
  },
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
        while (header.at(-1) === '') header.pop();
        columns = columnPositions(table, header, line, map);
        return;
      }
      const { length } = header;
      const firstWrong =
        cells.length < length
          ? cells.length
          : cells.findIndex((cell, column) => column >= length && !isBlank(cell));
      if (firstWrong === -1) {
        row(cells, columns, line, plain);
        return;
      }
      fault({
        line,
        column: firstWrong + 1,
        value: cells[firstWrong] ?? null,
        rule: `${length} ${nounFor(length, 'column')} as in the header; this row has ${cells.length}`,
      });
    },
  };
}

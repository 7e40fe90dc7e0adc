/** The values of one column for all rows of a batch; a single one where all rows have the same. */
export type ImportColumn = readonly unknown[];

/**
 * Rows for import, already judged by the domain, column by column in the order of `importFields` (`id`, then as declared) and
 * in canonical form (null where nothing was given, lists as arrays, instants in six-digit UTC). An object for each row would
 * take as long to make and to hand over as its validating, and so would the same value again for each.
 */
export interface ImportBatch {
  /** Line of the file that each row came from. */
  lines: readonly number[];
  columns: readonly ImportColumn[];
}

/** The value of a row in a column. */
export function valueAt(column: ImportColumn, row: number): unknown {
  return column.length === 1 ? column[0] : column[row];
}

/** The column with a single value where all are the same. */
export function folded(column: ImportColumn): ImportColumn {
  const [first] = column;
  return column.length > 1 && column.every((value) => value === first) ? [first] : column;
}

/** The values of one column for all rows of a batch; a single value if all rows have the same. */
export type ImportColumn = readonly unknown[];

/**
 * Validated rows, column by column in the order of `importFields` and in canonical form (null for missing values, lists as arrays,
 * instants in six-digit UTC; undefined for a list of `keptLists` that the file does not have, which leaves the stored one).
 */
export interface ImportBatch {
  lines: readonly number[];
  columns: readonly ImportColumn[];
}

export function valueAt(column: ImportColumn, rowIndex: number): unknown {
  return column.length === 1 ? column[0] : column[rowIndex];
}

/** A column of equal values as one of a single value; see {@link valueAt}. */
export function folded(column: ImportColumn): ImportColumn {
  const [firstValue] = column;
  const isConstant = column.length > 1 && column.every((value) => value === firstValue);
  return isConstant ? [firstValue] : column;
}

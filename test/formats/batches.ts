import { type ImportBatch, valueAt } from '../../src/core/fields/import-batch.ts';

export interface ReadRow {
  line: number;
  id: unknown;
  values: readonly unknown[];
}

/** The rows of batches, one by one. */
export async function rowsOf(
  reading: AsyncIterable<ImportBatch> | Iterable<ImportBatch>,
): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const { lines, columns } of reading) {
    lines.forEach((line, row) => {
      const values = columns.map((column) => valueAt(column, row));
      rows.push({ line, id: values[0], values });
    });
  }
  return rows;
}

/** The only row of a batch by field names; undefined where it holds none. */
export function recordOf(
  { lines, columns }: ImportBatch,
  names: readonly string[],
): Record<string, unknown> | undefined {
  if (lines.length > 1) throw new Error('more than one row');
  return lines.length === 0
    ? undefined
    : Object.fromEntries(names.map((name, i) => [name, columns[i]?.[0]]));
}

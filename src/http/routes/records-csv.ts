import { pageFields, type ResourceDefinition } from '../../core/records/fields.ts';
import type { ListPage } from '../../core/records/lists.ts';
import { csvCell } from '../../core/text/csv-cell.ts';

/**
 * Writes records as CSV (RFC 4180) with the columns that an import reads: a header, then empty cells for null, `""` for an
 * empty text and JSON for lists. Every page has the same columns, also one without records.
 */
export function recordsToCsv(
  resource: ResourceDefinition,
  { json, include = [] }: Pick<ListPage, 'json' | 'include'>,
): string {
  const records: Record<string, unknown>[] = JSON.parse(`[${json}]`);
  const columns = [...Object.keys(pageFields(resource, include)), ...(resource.addedMembers ?? [])];
  const rows = records.map((record) => columns.map((column) => toCell(record[column])).join(','));
  return `${[columns.join(','), ...rows].join('\n')}\n`;
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A blank at an end would be lost in some readers, and an id that begins like a comment in an import.
  return csvCell(text, /^$|^\s|\s$|^#/);
}

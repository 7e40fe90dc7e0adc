import { pageFields, type ResourceDefinition } from '../../core/fields/fields.ts';
import type { ListPage } from '../../core/records/lists.ts';
import { pageSeparator } from '../../core/records/page-rows.ts';
import { csvCell } from '../../core/text/csv-cell.ts';
import type { Steps } from '../fairness/slices.ts';

/**
 * Writes records as CSV (RFC 4180) with the columns that an import reads: a header, then empty cells for null, `""` for an
 * empty text and JSON for lists. Every page has the same columns, also one without records. A page with long lists takes ten
 * milliseconds; each record is a step.
 */
export function* recordsToCsv(
  resource: ResourceDefinition,
  { json, include = [] }: Pick<ListPage, 'json' | 'include'>,
): Steps<Buffer> {
  const columns = [...Object.keys(pageFields(resource, include)), ...(resource.addedMembers ?? [])];
  const lines = [Buffer.from(`${columns.join(',')}\n`)];
  for (const text of json === '' ? [] : json.split(pageSeparator)) {
    const record: Record<string, unknown> = JSON.parse(text);
    lines.push(Buffer.from(`${columns.map((column) => toCell(record[column])).join(',')}\n`));
    yield;
  }
  return Buffer.concat(lines);
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A blank at an end would be lost in some readers, and an id that begins like a comment in an import.
  return csvCell(text, /^$|^\s|\s$|^#/);
}

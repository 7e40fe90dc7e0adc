import { importFields, type ResourceDefinition } from '../fields/fields.ts';
import { csvCell } from '../text/csv-cell.ts';

/** What begins a comment between the header of a CSV and its first record. */
export const csvComment = '# ';

/** An empty CSV of a resource: its header, and one example as a comment, which an import skips. */
export function csvTemplate(resource: ResourceDefinition): string {
  const fields = Object.entries(importFields(resource));
  const example = fields.map(([, { example }]) =>
    // Lists are JSON in their cell.
    csvCell(typeof example === 'object' ? JSON.stringify(example) : String(example)),
  );
  return `${fields.map(([name]) => name).join(',')}\n${csvComment}${example.join(',')}\n`;
}

import { importFields, type ResourceDefinition } from '../../core/fields/fields.ts';
import type { ImportRequest } from '../../core/port/records.ts';
import { changeInstant, isDatedAhead } from '../../core/records/changes.ts';
import { tableName } from './tables.ts';

export interface ImportTable {
  resource: ResourceDefinition;
  table: string;
  entity: number;
  /** Columns of a row in the order of its values: `id`, then as declared. */
  columns: readonly string[];
  /** The instant of the import, as stored in `updated_at`. */
  updatedAt: string;
  correctsDates: boolean;
  replace: boolean;
}

/** The table of an import; `changedAt` is the instant of the last change before it. */
export function toImportTable(
  { resource, replace, nowUs, correctsDates: mayCorrect = false }: ImportRequest,
  entity: number,
  changedAt: string,
): ImportTable {
  const correctsDates = mayCorrect && isDatedAhead(nowUs, changedAt);
  return {
    resource,
    table: tableName(resource),
    entity,
    columns: Object.keys(importFields(resource)),
    updatedAt: changeInstant(nowUs, correctsDates ? '' : changedAt),
    correctsDates,
    replace,
  };
}

/** Whether the first records of an entity need no comparison with others: sensors do, whose codes are unique; they are few. */
export function isPlain({ fields }: ResourceDefinition): boolean {
  return Object.values(fields).every(({ unique }) => !unique);
}

export function repeatedRule(firstLine: number | undefined): string {
  const where = firstLine === undefined ? 'in an earlier line' : `in line ${firstLine}`;
  return `is already ${where}; an id may occur once in a file`;
}

/** The rule of a unique value that is the id of another record: a request names a record by either, and would mean both. */
export function ambiguousRule(id: string): string {
  return `must not be the id of another record, and "${id}" is one`;
}

/** The rule that records with the same value of a unique field break. */
export function sharedRule(ids: readonly string[]): string {
  return `must be unique, and ${ids.map((id) => `"${id}"`).join(' and ')} share it`;
}

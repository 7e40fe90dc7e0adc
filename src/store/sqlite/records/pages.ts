import type { RecordCondition } from '../../../core/port/records.ts';
import type { PageDialect } from '../../records/pages.ts';
import { jsonOf } from './tables.ts';

/**
 * The index is named, since the planner has no statistics and would walk all records in order of `id` instead of seeking a value:
 * half a second for millions of records.
 */
export const pageDialect: PageDialect = {
  entity: '(select number from record_entities where entity_id = $1)',
  walked: (table, index) => `${table} ${index === undefined ? 'not indexed' : `indexed by "${index}"`}`,
  records: (fields, from) => `select ${jsonOf(fields)} as json from ${from}`,
  array: 'json_array',
  choosesIndex: false,
};

export function bound(value: RecordCondition['value']): string | number {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** The values of `$1`, `$2` and so on, whose names are their numbers. */
export function named(values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value, n) => [n + 1, typeof value === 'boolean' ? Number(value) : value]));
}

import { expect } from 'vitest';
import { importFields } from '../../src/core/fields/fields.ts';
import { ImportError, type ReadOptions } from '../../src/core/records/imports.ts';
import { readRows } from '../../src/formats/rows.ts';
import { parts } from '../../src/resources/projects-and-settings.ts';
import { rowsOf } from './batches.ts';

/** Bytes in pieces of a size, so that everything is also cut in two somewhere. */
async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads parts in pieces of every odd size and finds the same each time. */
export async function read(
  content: string | Uint8Array,
  options: ReadOptions = {},
  resource: Parameters<typeof readRows>[0] = parts,
) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const results = [];
  for (const size of [1, 2, 3, 7, 64, 1 << 18]) {
    try {
      const rows = await rowsOf(readRows(resource, pieces(bytes, size), options));
      results.push({ rows, violations: [], count: 0, error: undefined });
    } catch (thrown) {
      if (!(thrown instanceof ImportError)) throw thrown;
      results.push({
        rows: [],
        violations: thrown.violations,
        count: thrown.violationCount,
        error: thrown,
      });
    }
  }
  for (const result of results) expect(result).toEqual(results[0]);
  const [first] = results;
  if (!first) throw new Error('nothing was read');
  const names = Object.keys(importFields(resource));
  const records = first.rows.map(({ values }) =>
    Object.fromEntries(names.map((name, i) => [name, values[i]])),
  );
  return { ...first, records, lines: first.rows.map(({ line }) => line) };
}

/** The header of a CSV of parts with the required fields. */
export const header = 'id,name,part_number,is_active';

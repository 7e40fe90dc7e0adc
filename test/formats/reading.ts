import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { importFields } from '../../src/core/fields/fields.ts';
import { ImportError, type ReadOptions } from '../../src/core/records/imports.ts';
import type { FileReader } from '../../src/formats/reader.ts';
import { readRows } from '../../src/formats/rows.ts';
import { parts } from '../../src/resources/projects-and-settings.ts';
import { rowsOf } from './batches.ts';

/** Bytes in pieces of a size, so that everything is also cut in two somewhere. */
export function piecesOf(bytes: Buffer, size: number): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

/** Gives pieces to a reader, and takes what they hold; returns the steps that this took. */
export function takeAll({ items, take }: FileReader, pieces: readonly Buffer[]): number {
  let steps = 0;
  const takeFound = () => {
    for (let found = items.next(); found !== 'more'; found = items.next()) {
      if (found === 'step') steps++;
      else if (found === 'too long') throw new Error(found);
      else take(found);
      if (found === 'end') return;
    }
  };
  for (const piece of pieces) {
    items.push(piece);
    takeFound();
  }
  items.finish();
  takeFound();
  return steps;
}

/** Reads parts in pieces of every odd size and finds the same each time. */
export async function read(
  content: string | Uint8Array,
  options: ReadOptions = {},
  resource: Parameters<typeof readRows>[0] = parts,
) {
  const bytes = Buffer.from(content);
  const results = [];
  for (const size of [1, 2, 3, 7, 64, 1 << 18]) {
    try {
      const rows = await rowsOf(readRows(resource, Readable.from(piecesOf(bytes, size)), options));
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

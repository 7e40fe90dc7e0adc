import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportBatch } from '../../src/core/fields/import-batch.ts';
import { pack, unpack } from '../../src/formats/packing.ts';

/** What arrives in another thread. */
const sent = (batch: ImportBatch) => unpack(structuredClone(pack(batch)));

describe('a batch that goes to another thread', () => {
  it('is the same there', () => {
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('EA', 'KG', 'é', ''),
      fc.boolean(),
      fc.constant(null),
    );
    // The validator turns negative zero into zero.
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    const column = fc.oneof(
      fc.array(value, { minLength: 1, maxLength: 200 }),
      fc.array(number, { minLength: 1, maxLength: 200 }),
      fc.array(fc.option(number), { minLength: 1, maxLength: 200 }),
      fc.array(fc.array(fc.record({ row_id: fc.string() })), { minLength: 1, maxLength: 10 }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 1 }),
        fc.array(column, { minLength: 1 }),
        (lines, columns) => {
          expect(sent({ lines, columns })).toEqual({ lines, columns });
        },
      ),
    );
  });

  it('takes few bytes where values are repeated, and what they take where they are not', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => i + 2);
    const few = lines.map((line) => `Category ${line % 64}`);
    const many = lines.map((line) => `Category ${line % 65}`);
    const packed = pack({ lines, columns: [few, many, lines] });
    expect(packed.columns[0]).toMatchObject({
      values: few.slice(0, 64),
      codes: { length: 1000, BYTES_PER_ELEMENT: 1 },
    });
    expect(packed.columns[1]).toBe(many);
    expect(packed.columns[2]).toBeInstanceOf(Float64Array);
    expect(sent({ lines, columns: [few, many, lines] })).toEqual({
      lines,
      columns: [few, many, lines],
    });
  });
});

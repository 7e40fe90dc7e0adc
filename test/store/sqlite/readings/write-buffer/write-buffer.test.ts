import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SeriesMemory } from '../../../../../src/store/sqlite/readings/write-buffer/series-memory.ts';
import { BufferMemory } from '../../../../../src/store/sqlite/readings/write-buffer/write-buffer.ts';
import { propertyRuns } from '../../../../properties.ts';

type Step =
  | { kind: 'add'; batch: [series: number, atUs: number][] }
  | { kind: 'compact'; count: number; most: number };

const series = fc.integer({ min: 1, max: 6 });
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      batch: fc.array(fc.tuple(series, fc.nat({ max: 90 })), { maxLength: 90 }),
    }),
    fc.record({
      kind: fc.constant('compact' as const),
      count: fc.nat({ max: 8 }),
      most: fc.constantFrom(2, 40, 1000),
    }),
  ),
  { maxLength: 12 },
);

/** What a memory holds: the readings of each series, in order of time. */
function contentOf(memory: BufferMemory): [number, [number, number, number][]][] {
  return [1, 2, 3, 4, 5, 6].map((number) => {
    const { count, atUs, values, qualities } = memory.get(number)?.range(0, 1000) ?? { count: 0 };
    return [
      number,
      Array.from({ length: count }, (_, i) => [
        atUs?.[i] ?? -1,
        values?.[i] ?? -1,
        qualities?.[i] ?? -1,
      ]),
    ];
  });
}

// Objects and pages of series that were compacted are used again, for other series and in another order.
it('holds what a map holds, whatever is added and compacted in which order', () => {
  fc.assert(
    fc.property(steps, (all: readonly Step[]) => {
      const memory = new BufferMemory();
      const plain = new Map<number, Map<number, [number, number, number]>>();
      let id = 0;
      for (const step of all) {
        id++;
        if (step.kind === 'add') {
          let buffered: SeriesMemory | undefined;
          for (const [number, atUs] of step.batch) {
            buffered = memory.forRow(number, id, buffered);
            const known = plain.get(number) ?? new Map<number, [number, number, number]>();
            plain.set(number, known);
            const reading: [number, number, number] = [atUs, id + atUs, id % 4];
            expect(buffered.add(...reading, id)).toBe(!known.has(atUs));
            if (known.has(atUs)) continue;
            memory.count++;
            known.set(atUs, reading);
          }
        } else {
          for (let n = 0; n < step.count; n++) {
            const [number, buffered] = memory.first ?? [];
            if (number === undefined || !buffered) break;
            buffered.compactedUs = 7;
            const { count, atUs } = buffered.range(0, 1000, step.most);
            const endUs = (atUs[count - 1] ?? 0) + 1;
            memory.removeRange(number, 0, endUs);
            const known = plain.get(number);
            for (const us of known?.keys() ?? []) if (us < endUs) known?.delete(us);
          }
        }
        const expected = [1, 2, 3, 4, 5, 6].map((number) => [
          number,
          [...(plain.get(number)?.values() ?? [])].sort(([a], [b]) => a - b),
        ]);
        expect(contentOf(memory)).toEqual(expected);
        expect(memory.count).toBe([...plain.values()].reduce((sum, { size }) => sum + size, 0));
        for (const number of [1, 2, 3, 4, 5, 6]) {
          const atUs = Math.max(...(plain.get(number)?.keys() ?? []));
          if (atUs >= 0)
            expect(memory.get(number)?.last).toEqual({
              atUs,
              value: plain.get(number)?.get(atUs)?.[1],
            });
          else expect(memory.get(number)).toBeUndefined();
        }
        // What a series was compacted up to is not known of the next one that uses its object.
        for (const number of [10, 11, 12]) {
          expect(memory.forRow(number, id).compactedUs).toBeUndefined();
          memory.removeRange(number, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
        }
      }
    }),
    propertyRuns(500),
  );
});

it('has the readings of any range over many pages, none of one that ends before it begins', () => {
  const memory = new BufferMemory();
  const buffered = memory.forRow(1, 1);
  for (let n = 0; n < 3000; n++) buffered.add(((n * 7) % 3000) * 2, n, 0, 1);
  const instant = fc.integer({ min: -10, max: 6010 });
  fc.assert(
    fc.property(instant, instant, fc.nat({ max: 4000 }), (fromUs, toUs, most) => {
      const { count, atUs } = buffered.range(fromUs, toUs, most);
      const first = Math.max(0, Math.ceil(fromUs / 2));
      const end = Math.min(3000, Math.ceil(toUs / 2));
      const expected = Math.min(most, Math.max(0, end - first));
      expect([...atUs.subarray(0, count)]).toEqual(
        Array.from({ length: expected }, (_, n) => (first + n) * 2),
      );
    }),
    propertyRuns(200),
  );
});

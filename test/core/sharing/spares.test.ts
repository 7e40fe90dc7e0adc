import { expect, it } from 'vitest';
import { Spares } from '../../../src/core/sharing/spares.ts';

it('memory is used again for the same power of two, up to what may be kept', () => {
  const made: number[] = [];
  const spares = new Spares((size) => ({ size, number: made.push(size) }), 24);
  const first = spares.take(9);
  expect([first.size, spares.take(0).size, spares.take(1).size, spares.take(2).size]).toEqual([
    16, 1, 1, 2,
  ]);
  spares.give(first, 9);
  expect(spares.take(17).number).toBe(5);
  expect(spares.take(16)).toBe(first);
  const other = spares.take(8);
  spares.give(first, 16);
  spares.give(other, 8);
  // Both are kept, which is all that may be.
  spares.give(spares.take(4), 4);
  expect([spares.take(9), spares.take(5), spares.take(4).number]).toEqual([first, other, 8]);
});

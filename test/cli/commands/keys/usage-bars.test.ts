import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barsOf } from '../../../../src/cli/commands/keys/usage.ts';

describe('bars', () => {
  it('grow with their values, and tell nothing from little', () => {
    expect(barsOf([0, 1, 4, 8, 1000], 80, false)).toEqual({ line: '·▁▁▁█', each: 1, most: 1000 });
    expect(barsOf([0, 1, 2, 3, 4, 5, 6, 7, 8], 80, false).line).toBe('·▁▂▃▄▅▆▇█');
    expect(barsOf([0, 1, 2, 3, 4, 5, 6, 7, 8], 80, true).line).toBe('.:-=+*#%@');
    expect(barsOf([0, 0], 80, false)).toEqual({ line: '··', each: 1, most: 0 });
  });

  it('fit the width, lose no value and end with the last one', () => {
    const values = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        values,
        fc.integer({ min: 1, max: 120 }),
        fc.boolean(),
        (given, width, isAscii) => {
          const { line, each, most } = barsOf(given, width, isAscii);
          expect(line.length).toBe(Math.ceil(given.length / each));
          expect(line.length).toBeLessThanOrEqual(width);
          expect(each === 1 || Math.ceil(given.length / (each - 1)) > width).toBe(true);
          const last = given.slice(-each).reduce((sum, value) => sum + value, 0);
          expect(last).toBeLessThanOrEqual(most);
          expect('·.'.includes(line.at(-1) ?? '')).toBe(last === 0);
        },
      ),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quarterUs } from '../../../../src/core/readings/reads/quarters.ts';
import { sumUp } from '../../../../src/core/readings/reads/slices.ts';
import { createReadings } from '../../../../src/core/readings/series-readings.ts';
import { propertyRuns } from '../../../properties.ts';

/** The increase of a counter in one bucket, whose readings lie so many to a quarter of an hour. */
function increaseOf(values: readonly number[], { perQuarter = 1, widthUs = 1e6 * quarterUs } = {}) {
  const readings = createReadings(values.length);
  readings.count = values.length;
  for (const [index, value] of values.entries()) {
    readings.atUs[index] = index * Math.floor(quarterUs / perQuarter);
    readings.values[index] = value;
  }
  const buckets = { widthUs, aggregates: ['increase'] as const };
  const request = { series: 1, limit: 1, most: values.length, format: 'json' as const, buckets };
  const { text } = sumUp(request, buckets, [readings], {});
  return JSON.parse(Buffer.from(text).toString()).increase;
}

describe('the increase of a counter', () => {
  it.each([
    [[0.1, 0.3], 0.2],
    [[1_000_000, 1_262_026.3], 262_026.3],
    [[99.7, 0.2, 0.4], 0.4],
    [[0.1, 2 ** 53 - 1], 2 ** 53 - 1],
    [[1e15, 1e15 + 12.5], 12.5],
    [[-1e308, 1e308], Number.MAX_VALUE],
  ])('of %j has no more digits than its values: %d', (values, increase) => {
    expect(increaseOf(values)).toBe(increase);
  });

  it('of decimal numbers is exact over a hundred resets, by quarters and without', () => {
    const counter = fc.record({
      decimals: fc.integer({ min: 0, max: 4 }),
      steps: fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 2, maxLength: 400 }),
      perQuarter: fc.integer({ min: 1, max: 400 }),
      isByQuarters: fc.boolean(),
    });
    const property = fc.property(counter, ({ decimals, steps, perQuarter, isByQuarters }) => {
      let sum = 0;
      const wholes = steps.map((step, index) => {
        sum = index % 4 === 3 ? step : sum + step;
        return sum;
      });
      let whole = 0;
      for (let index = 1; index < wholes.length; index++) {
        const [previous = 0, value = 0] = wholes.slice(index - 1, index + 1);
        whole += value < previous ? value : value - previous;
      }
      const scale = 10 ** decimals;
      const values = wholes.map((value) => value / scale);
      const widthUs = 1e6 * quarterUs + (isByQuarters ? 0 : 1);
      expect(increaseOf(values, { perQuarter, widthUs })).toBe(whole / scale);
    });
    fc.assert(property, propertyRuns(200));
  });
});

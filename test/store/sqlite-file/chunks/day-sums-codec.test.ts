import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  dayUs,
  partOfQuarters,
  QuarterSums,
  type Quarters,
} from '../../../../src/core/readings/reads/quarters.ts';
import { createReadings } from '../../../../src/core/readings/series-readings.ts';
import {
  DaySumsEncoder,
  decodeDaySums,
} from '../../../../src/store/sqlite-file/chunks/day-sums-codec.ts';

const startUs = 20_000 * dayUs;
const encoder = new DaySumsEncoder();

/** The sums of the quarters of a day whose readings lie at equal distances. */
function sumsOf(values: readonly number[]): Quarters {
  const readings = createReadings(values.length);
  readings.count = values.length;
  readings.values.set(values);
  for (let index = 0; index < values.length; index++) {
    readings.atUs[index] = startUs + Math.floor((index * dayUs) / values.length);
  }
  const sums = new QuarterSums();
  sums.add(readings);
  const quarters = sums.end();
  return partOfQuarters(quarters, 0, quarters.count);
}

it('the sums of a day are read back bit by bit, those of huge values, too', () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -100_000, max: 100_000 }).map((hundredths) => hundredths / 100),
    fc.constantFrom(0, -0, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
      const quarters = sumsOf(values);
      expect(decodeDaySums(startUs, encoder.encode(startUs, quarters))).toEqual(quarters);
    }),
  );
});

it('the sums of a day of wandering decimal values take less than 15 bytes a quarter', () => {
  let hundredths = 2000;
  const values = Array.from({ length: 8640 }, (_, index) => {
    hundredths += ((index * 7919) % 21) - 10;
    return hundredths / 100;
  });
  const quarters = sumsOf(values);
  expect(quarters.count).toBe(96);
  expect(encoder.encode(startUs, quarters).length / 96).toBeLessThan(15);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDecimalWriter } from '../../../../src/store/postgres/records/decimal-text.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { propertyRuns } from '../../../properties.ts';

const decimalText = createDecimalWriter();
const sqlite = openDatabase(':memory:', {});
const written = sqlite.prepare<[number], string>('select json_array(cast(? as real))').pluck();
const bySqlite = (value: number) => written.get(value)?.slice(1, -1);

it('is the text of SQLite for numbers of up to 13 digits, positive and negative', () => {
  const digits = fc.bigInt({ min: 1n, max: 9_999_999_999_999n });
  const power = fc.integer({ min: -14, max: 4 });
  fc.assert(
    fc.property(digits, power, fc.boolean(), (whole, exponent, isNegative) => {
      const value = Number(`${isNegative ? '-' : ''}${whole}e${exponent}`);
      fc.pre(Math.abs(value) >= 1 && Math.abs(value) < 1e15);
      expect(decimalText(value)).toBe(bySqlite(value));
    }),
    propertyRuns(20_000),
  );
});

it.each([
  [0, '0.0'],
  [-0, '0.0'],
  [1, '1.0'],
  [-12, '-12.0'],
  [0.5, '0.5'],
  [0.0001, '0.0001'],
  [0.00012, '0.00012'],
  [0.00009, '9.0e-05'],
  [-0.0123456789, '-0.0123456789'],
  [9_999_999_999_999, '9999999999999.0'],
  [10_000_000_000_000, '10000000000000.0'],
  [1234567.891234, '1234567.891234'],
  [1e16, '10000000000000000.0'],
  [1e17, '1.0e+17'],
])('%d is %s', (value, text) => {
  expect([decimalText(value), bySqlite(value)]).toEqual([text, text]);
});

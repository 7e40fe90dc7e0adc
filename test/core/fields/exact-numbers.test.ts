import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isRounded,
  parseExactJson,
  RoundedNumber,
} from '../../../src/core/fields/exact-numbers.ts';
import { propertyRuns } from '../../properties.ts';

/** A decimal as an exact fraction: numerator over a power of ten, with the trailing zeros of both gone. */
function exactly(numeral: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(numeral) ?? [];
  let power = Number(exponent) - fraction.length;
  let value = BigInt(whole + fraction);
  if (value === 0n) return '0';
  for (; value % 10n === 0n; value /= 10n) power++;
  return `${sign === '-' ? '-' : ''}${value}e${power}`;
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const numerals = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits(20),
    fc.option(digits(20)),
    fc.option(fc.integer({ min: -340, max: 300 })),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [
      sign,
      whole,
      fraction === null ? '' : `.${fraction}`,
      exponent === null ? '' : `e${exponent}`,
    ].join(''),
  )
  .filter((numeral) => Number.isFinite(Number(numeral)));

describe('a numeral that a double would round', () => {
  it('is none of the texts that programs write of the double', () => {
    const seen = { rounded: 0, kept: 0 };
    fc.assert(
      fc.property(numerals, (numeral) => {
        const value = Number(numeral);
        const significant = exactly(numeral).replace(/^-|e.*/g, '').length;
        const written = [String(value), value.toPrecision(significant)];
        const isKept = written.map(exactly).includes(exactly(numeral));
        seen[isKept ? 'kept' : 'rounded']++;
        expect(isRounded(numeral, value)).toBe(!isKept);
      }),
      propertyRuns(3000),
    );
    expect(seen.kept).toBeGreaterThan(100);
    expect(seen.rounded).toBeGreaterThan(100);
  });

  it.each([15, 16, 17, 18, 25])('is no text of %i digits of a double', (count) => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        const text = double.toPrecision(count);
        const value = Number(text);
        // Fewer than 17 digits may mean another double.
        if (count >= 17) expect(value).toBe(double === 0 ? value : double);
        expect(isRounded(text, value)).toBe(count < 17 && text !== value.toPrecision(count));
      }),
    );
  });

  it('is no text of a double itself', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isRounded(String(value), value)).toBe(false);
      }),
    );
  });

  it('is found at once in a text of millions of digits', () => {
    const long = `1.${'0'.repeat(4_000_000)}1`;
    const before = performance.now();
    expect(isRounded(long, 1)).toBe(true);
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

describe('JSON without rounding', () => {
  it('is JSON.parse where no number would be rounded', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(() => parseExactJson('{"a":1.00000000000000001')).toThrow(SyntaxError);
  });

  it('names each number that would be, wherever it stands, and no text', () => {
    const lost = '1.00000000000000001';
    const text = `{"a":${lost},"b":[1,"${lost}",{"c":-${lost}}],"\\"${lost}":"\\\\","__proto__":{"d":${lost}}}`;
    const value = parseExactJson(text);
    const found = new RoundedNumber(lost);
    expect(Object.entries(value as object)).toEqual([
      ['a', found],
      ['b', [1, lost, { c: new RoundedNumber(`-${lost}`) }]],
      [`"${lost}`, '\\'],
      ['__proto__', { d: found }],
    ]);
    expect(parseExactJson(lost)).toEqual(found);
    expect(JSON.stringify(value)).toContain(`"a":"${lost}"`);
  });

  it('names a number at any place of a text', () => {
    for (let before = 0; before < 40; before++) {
      const start = `{"a":"${'x'.repeat(before)}","b":`;
      expect(parseExactJson(`${start}9007199254740993}`)).toMatchObject({
        b: new RoundedNumber('9007199254740993'),
      });
      expect(parseExactJson(`${start}1e-400}`)).toMatchObject({ b: new RoundedNumber('1e-400') });
    }
  });

  it('takes a text of millions of escapes, and lists within lists', () => {
    const text = JSON.stringify({ a: '"\\'.repeat(1_000_000), b: 1 }).replace(
      /1}$/,
      '1.00000000000000001}',
    );
    expect(parseExactJson(text)).toMatchObject({ b: new RoundedNumber('1.00000000000000001') });
    let value = parseExactJson(`${'['.repeat(200_000)}1.00000000000000001${']'.repeat(200_000)}`);
    while (Array.isArray(value)) [value] = value;
    expect(value).toEqual(new RoundedNumber('1.00000000000000001'));
  });
});

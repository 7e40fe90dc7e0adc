import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InstantWriter, instantLength } from '../../../src/core/readings/reading-text.ts';
import {
  canonicalInstant,
  createInstantText,
  formatInstantMs,
  formatInstantUs,
  isDate,
  parseInstantMs,
  parseInstantUs,
} from '../../../src/core/time/instants.ts';
import { propertyRuns } from '../../properties.ts';

const us = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
const two = (value: number) => String(value).padStart(2, '0');

describe('instants', () => {
  it('are formatted alike by both formatters, in any order, before 1970 and after 9999', () => {
    const near = fc.integer({ min: -3000, max: 3000 });
    const ms = fc.oneof(near, fc.integer({ min: -8.64e15, max: 8.64e15 }));
    fc.assert(
      fc.property(fc.array(ms, { minLength: 1, maxLength: 20 }), (instants) => {
        const write = createInstantText();
        expect(instants.map(write)).toEqual(instants.map(formatInstantMs));
      }),
    );
  });

  it('keep every microsecond', () => {
    fc.assert(
      fc.property(us, (instant) => {
        const text = formatInstantUs(instant);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        expect(parseInstantUs(text)).toBe(instant);
        expect(canonicalInstant(text)).toBe(text);
      }),
    );
  });

  it('sort as text as they do in time', () => {
    fc.assert(
      fc.property(us, us, (a, b) => {
        expect(formatInstantUs(a) < formatInstantUs(b)).toBe(a < b);
      }),
    );
  });

  it('are the same instant at every offset', () => {
    fc.assert(
      fc.property(us, fc.integer({ min: -1439, max: 1439 }), (instant, offset) => {
        const wall = formatInstantUs(Math.max(Number.MIN_SAFE_INTEGER, instant) + 0).slice(0, -1);
        const sign = offset < 0 ? '-' : '+';
        const text = `${wall}${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
        const expected = instant - offset * 60_000_000;
        const infinite = expected < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
        expect(parseInstantUs(text)).toBe(Number.isSafeInteger(expected) ? expected : infinite);
        const canonical = canonicalInstant(text);
        if (Number.isSafeInteger(expected)) expect(canonical).toBe(formatInstantUs(expected));
      }),
    );
  });

  it('are those that the calendar of this Node knows', () => {
    // Each part is a little beyond what there is, so that about one text in five is an instant.
    const part = (max: number) => fc.integer({ min: 0, max }).map(two);
    const year = fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(0, 400, 1900, 2000));
    const text = fc
      .tuple(year, part(13), part(32), part(25), part(61), part(61))
      .map(([of, month, day, ...time]) => {
        return `${String(of).padStart(4, '0')}-${month}-${day}T${time.join(':')}Z`;
      });
    const read = { instants: 0, refused: 0 };
    const runs = propertyRuns(5000);
    fc.assert(
      fc.property(text, (given) => {
        const date = given.slice(0, 10);
        const midnight = Date.parse(date);
        // Date takes 2026-02-30 for the second of March.
        const isDay = !Number.isNaN(midnight) && formatInstantMs(midnight).startsWith(date);
        const [hour = 0, minute = 0, second = 0] = given.slice(11, -1).split(':').map(Number);
        const isTime = hour <= 23 && minute <= 59 && second <= 60;
        const ms = midnight + ((hour * 60 + minute) * 60 + second) * 1000;
        expect(isDate(date)).toBe(isDay);
        expect(parseInstantMs(given)).toBe(isDay && isTime ? ms : undefined);
        if (isDay && isTime) read.instants++;
        else read.refused++;
      }),
      runs,
    );
    expect(Math.min(read.instants, read.refused)).toBeGreaterThan(runs.numRuns / 10);
  });

  it.each([
    ['2026-11-20T08:15:00Z', '2026-11-20T08:15:00.000000Z'],
    ['2026-11-20t08:15:00.5z', '2026-11-20T08:15:00.500000Z'],
    ['2026-11-20 08:15:00.123456789Z', '2026-11-20T08:15:00.123456Z'],
    ['2026-11-20T08:15:00.1234567890123Z', '2026-11-20T08:15:00.123456Z'],
    [`2026-11-20T08:15:00.${'1'.repeat(60)}+00:30`, '2026-11-20T07:45:00.111111Z'],
    ['2026-03-29T02:30:00+01:00', '2026-03-29T01:30:00.000000Z'],
    ['2024-02-29T23:59:60Z', '2024-03-01T00:00:00.000000Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['0000-01-01T00:00:00.000001Z', '0000-01-01T00:00:00.000001Z'],
    ['0099-06-01T00:00:00Z', '0099-06-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000000Z'],
  ])('reads %s as %s', (text, canonical) => {
    expect(canonicalInstant(text)).toBe(canonical);
  });

  it.each([
    '',
    '2026-11-20',
    '2026-11-20T08:15:00',
    '2026-11-20T08:15Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T08:60:00Z',
    '2026-11-20T08:15:61Z',
    '2026-02-29T08:15:00Z',
    '2026-13-01T08:15:00Z',
    '2026-00-01T08:15:00Z',
    '2026-11-00T08:15:00Z',
    '2026-11-20T08:15:00+24:00',
    '2026-11-20T08:15:00+01:60',
    '2026-11-20T08:15:00+0100',
    '2026-11-20T08:15:00.Z',
    '2026-11-20T08:15:00,5Z',
    ' 2026-11-20T08:15:00Z',
    '2026-11-20T08:15:00Z\n',
    `2026-11-20T08:15:00.${'1'.repeat(60)}`,
    `2026-11-20T08:15:00.${'1'.repeat(60)}Zä`,
    '9999-12-31T23:30:00-01:00',
    '0000-01-01T00:30:00+01:00',
    '٢٠٢٦-11-20T08:15:00Z',
  ])('does not take %j for one', (text) => {
    expect(canonicalInstant(text)).toBeUndefined();
    if (!/^[09]/.test(text)) expect(parseInstantUs(text)).toBeUndefined();
  });

  it('return an infinity with the right sign where a number would not be exact', () => {
    expect(parseInstantUs('9999-12-31T23:59:59.999999Z')).toBe(Number.POSITIVE_INFINITY);
    expect(parseInstantUs('2255-06-05T23:47:34.740992Z')).toBe(Number.POSITIVE_INFINITY);
    expect(parseInstantUs('2255-06-05T23:47:34.740991Z')).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseInstantUs('1684-07-28T00:12:25.259009Z')).toBe(Number.MIN_SAFE_INTEGER);
    expect(parseInstantUs('0000-01-01T00:00:00Z')).toBe(Number.NEGATIVE_INFINITY);
    expect(parseInstantMs('9999-12-31T23:59:59.999Z')).toBe(253_402_300_799_999);
  });
});

describe('many instants', () => {
  it('are formatted as one by one, in any order', () => {
    const safe = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
    const near = fc.integer({ min: -3 * 86_400_000_000, max: 3 * 86_400_000_000 });
    const midnight = fc.integer({ min: -100_000, max: 100_000 }).map((day) => day * 86_400_000_000);
    const edge = fc.tuple(midnight, fc.integer({ min: -2, max: 2 })).map(([us, by]) => us + by);
    fc.assert(
      fc.property(fc.array(fc.oneof(safe, near, edge), { maxLength: 50 }), (instants) => {
        const bytes = Buffer.alloc(instantLength + 2, '-');
        const writer = new InstantWriter(bytes, 1);
        for (const us of instants) {
          writer.write(us);
          expect(bytes.toString()).toBe(`-${formatInstantUs(us)}-`);
        }
      }),
    );
  });
});

describe('dates', () => {
  it('exist as the Gregorian calendar has them', () => {
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(14), fc.nat(33), (year, month, day) => {
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
        const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
        const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
        expect(isDate(text)).toBe(day >= 1 && day <= days);
      }),
      propertyRuns(2000),
    );
  });

  it.each([
    '',
    '2026-1-1',
    '20261120',
    '2026-11-20T00:00:00Z',
    '2026-11-20\n',
    '20.11.2026',
    '-001-01-01',
  ])('are not %j', (text) => {
    expect(isDate(text)).toBe(false);
  });
});

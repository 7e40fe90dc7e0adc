import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BucketCalendar,
  bucketTime,
  parseBucket,
} from '../../../../src/core/readings/reads/bucket-spans.ts';
import { startOfDayMs, type WeekDay, weekDays } from '../../../../src/core/time/calendar.ts';
import { daysOf } from '../../../../src/core/time/zone-days.ts';

const dayMs = 86_400_000;

const zones = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'America/Havana',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'America/Cambridge_Bay',
];

/** The bucket of a length that contains an instant, as RFC 3339. */
function bucketAt(length: string, instant: string, calendar: Partial<BucketCalendar> = {}) {
  const span = parseBucket(length, { timezone: 'UTC', weekStart: 'monday', ...calendar });
  if (!span) throw new Error(`no length of buckets: ${length}`);
  const { startUs, endUs } = bucketTime(span, Date.parse(instant) * 1000);
  return [startUs, endUs].map((us) => new Date(us / 1000).toISOString().replace(':00.000Z', ''));
}

describe('a bucket of a day', () => {
  it.each([
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00', '2026-03-29T22:00'],
    ['Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00', '2026-10-25T23:00'],
    ['Asia/Kathmandu', '2026-11-20T18:14:59Z', '2026-11-19T18:15', '2026-11-20T18:15'],
    ['Asia/Kathmandu', '2026-11-20T18:15:00Z', '2026-11-20T18:15', '2026-11-21T18:15'],
    ['Australia/Lord_Howe', '2026-10-04T00:00:00Z', '2026-10-03T13:30', '2026-10-04T13:00'],
    // Midnight was skipped: the day began at 01:00.
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00', '2018-11-05T02:00'],
    // 30 December 2011 did not exist.
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29T10:00', '2011-12-30T10:00'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-30T10:00', '2011-12-31T10:00'],
    // The clock went back from 00:01 to 23:01: the day began at the earlier midnight.
    ['America/St_Johns', '2010-11-07T02:45:00Z', '2010-11-07T02:30', '2010-11-08T03:30'],
  ])('in %s at %s begins at midnight and lasts until the next', (timezone, at, from, to) => {
    expect(bucketAt('1d', at, { timezone })).toEqual([from, to]);
  });

  it.each([
    ['1mo', 'Europe/Berlin', '2024-02-29T12:00:00Z', '2024-01-31T23:00', '2024-02-29T23:00'],
    ['1mo', 'Europe/Berlin', '2026-03-31T22:00:00Z', '2026-03-31T22:00', '2026-04-30T22:00'],
    ['3mo', 'Asia/Kathmandu', '2026-03-31T18:14:59Z', '2025-12-31T18:15', '2026-03-31T18:15'],
    ['3mo', 'UTC', '1969-12-31T23:59:59Z', '1969-10-01T00:00', '1970-01-01T00:00'],
    ['1y', 'America/Sao_Paulo', '2026-01-01T02:59:59Z', '2025-01-01T03:00', '2026-01-01T03:00'],
    // Midnight of 1 October 2000 was skipped there.
    ['1mo', 'America/Asuncion', '2000-10-01T04:00:00Z', '2000-10-01T04:00', '2000-11-01T03:00'],
    ['1y', 'UTC', '0001-06-01T00:00:00Z', '0001-01-01T00:00', '0002-01-01T00:00'],
  ])('of %s in %s at %s begins at midnight of a first day', (length, timezone, at, from, to) => {
    expect(bucketAt(length, at, { timezone })).toEqual([from, to]);
  });

  it.each(['2mo', '6mo', '12mo', '2y', '0y', '1M', '1Mo', '01mo', '3mo ', 'mo', 'y'])(
    'of %j is no bucket',
    (length) => {
      const calendar = { timezone: 'UTC', weekStart: 'monday' } as const;
      expect(parseBucket(length, calendar)).toBeUndefined();
    },
  );

  it('begins at the start of a date, on any day of 140 years in any zone', () => {
    const day = fc.integer({ min: -29_000, max: 22_000 });
    fc.assert(
      fc.property(day, fc.constantFrom(...zones), (day, timezone) => {
        const date = new Date(day * dayMs).toISOString().slice(0, 10);
        expect(daysOf(timezone).startMs(day)).toBe(startOfDayMs(date, timezone));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['America/Cambridge_Bay', '2000-10-25', '2000-11-10'],
    ['Pacific/Apia', '2011-12-25', '2012-01-05'],
    ['Africa/Casablanca', '2018-05-10', '2018-06-20'],
  ])('begins at the start of a date while the clock of %s changes', (timezone, from, to) => {
    for (let ms = Date.parse(from); ms < Date.parse(to); ms += dayMs) {
      const date = new Date(ms).toISOString().slice(0, 10);
      expect(daysOf(timezone).startMs(ms / dayMs)).toBe(startOfDayMs(date, timezone));
    }
  });
});

describe('a bucket of a week', () => {
  it.each([
    ['monday', '2026-11-16T00:00', '2026-11-23T00:00'],
    ['sunday', '2026-11-15T00:00', '2026-11-22T00:00'],
    ['friday', '2026-11-20T00:00', '2026-11-27T00:00'],
    ['saturday', '2026-11-14T00:00', '2026-11-21T00:00'],
  ] as const)('begins on the %s of the organization', (weekStart, from, to) => {
    expect(bucketAt('1w', '2026-11-20T12:00:00Z', { weekStart })).toEqual([from, to]);
  });

  it('of several weeks counts from the week with 1970-01-01', () => {
    expect(bucketAt('2w', '1970-01-01T00:00:00Z')).toEqual([
      '1969-12-29T00:00',
      '1970-01-12T00:00',
    ]);
    expect(bucketAt('2w', '1969-12-28T00:00:00Z')).toEqual([
      '1969-12-15T00:00',
      '1969-12-29T00:00',
    ]);
  });
});

it('several days count from 1970-01-01 in the zone, and hours from 1970 in UTC', () => {
  const timezone = 'Asia/Kathmandu';
  expect(bucketAt('2d', '1970-01-01T12:00:00Z', { timezone })).toEqual([
    '1969-12-31T18:30',
    '1970-01-02T18:30',
  ]);
  expect(bucketAt('7d', '2026-11-20T12:00:00Z')).toEqual(['2026-11-19T00:00', '2026-11-26T00:00']);
  expect(bucketAt('24h', '2026-11-20T12:00:00Z', { timezone })).toEqual([
    '2026-11-20T00:00',
    '2026-11-21T00:00',
  ]);
  expect(bucketAt('90m', '2026-11-20T12:59:00Z', { timezone })).toEqual([
    '2026-11-20T12:00',
    '2026-11-20T13:30',
  ]);
});

it('buckets of every length and zone follow each other without gaps, and each contains its instants', () => {
  const lengths = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(...'smhdw'))
    .map(([number, unit]) => `${number}${unit}`);
  const instants = fc.integer({ min: Date.UTC(1900), max: Date.UTC(2100) });
  fc.assert(
    fc.property(
      lengths,
      instants,
      fc.constantFrom(...zones),
      fc.constantFrom<WeekDay>(...weekDays),
      (length, ms, timezone, weekStart) => {
        const span = parseBucket(length, { timezone, weekStart });
        if (!span) throw new Error('a length that is not read');
        const { startUs, endUs } = bucketTime(span, ms * 1000);
        expect(startUs <= ms * 1000 && ms * 1000 < endUs).toBe(true);
        expect(bucketTime(span, endUs).startUs).toBe(endUs);
        expect(bucketTime(span, startUs - 1).endUs).toBe(startUs);
        expect(bucketTime(span, endUs - 1)).toEqual({ startUs, endUs });
      },
    ),
  );
});

it.each(['', '0m', '5', '5x', '01d', '1.5h', '36501d', '5215w', '1000000s', '-1d'])(
  '%j is no length of buckets',
  (text) => {
    expect(parseBucket(text, { timezone: 'UTC', weekStart: 'monday' })).toBeUndefined();
  },
);

it('days in a zone that this Node does not know are refused', () => {
  const calendar = { timezone: 'Mars/Olympus', weekStart: 'monday' } as const;
  expect(() => parseBucket('1d', calendar)).toThrow('Mars/Olympus');
  expect(parseBucket('24h', calendar)).toEqual({ widthUs: dayMs * 1000 });
});

it('midnight of every zone begins a quarter of an hour since 1990, when readings begin', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const zoneDays = daysOf(zone);
    const months = Array.from({ length: 200 }, (_, index) => Date.UTC(1990, 3 * index) / dayMs);
    const odd = months.filter((day) => zoneDays.startMs(day) % 900_000 !== 0);
    expect([zone, odd]).toEqual([zone, []]);
  }
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  endOfDayMs,
  formatLocal,
  isTimezone,
  startOfDayMs,
  weekDays,
  weekOf,
} from '../../../src/core/time/calendar.ts';
import { propertyRuns } from '../../properties.ts';

/** Zones with something odd: midnights skipped or doubled, whole days skipped, half hours, offsets of many hours. */
const oddZones = [
  'UTC',
  'Europe/Berlin',
  'America/Chicago',
  'America/Santiago',
  'America/Asuncion',
  'America/Havana',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Tehran',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
];

const zone = fc.constantFrom(...oddZones, ...Intl.supportedValuesOf('timeZone'));
const dayNumber = fc.integer({ min: -25_567, max: 29_220 }); // 1900 to 2050
const date = dayNumber.map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
const weekDay = fc.constantFrom(...weekDays);

const clocks = new Map<string, Intl.DateTimeFormat>();

/** An independent clock: what Intl writes, without the arithmetic under test. One for each zone, since making it takes ten times as long as asking it. */
function wall(ms: number, timezone: string): string {
  const options = { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' } as const;
  const clock = clocks.get(timezone) ?? new Intl.DateTimeFormat('sv-SE', options);
  clocks.set(timezone, clock);
  return clock.format(ms);
}

describe('days', () => {
  it('start at the first instant that shows the date, or the next where it is skipped', () => {
    fc.assert(
      fc.property(date, zone, (day, timezone) => {
        const start = startOfDayMs(day, timezone);
        expect(wall(start, timezone).slice(0, 10) >= day).toBe(true);
        expect(wall(start - 1, timezone).slice(0, 10) < day).toBe(true);
        const shown = wall(start, timezone);
        // Midnight, or the hour after a gap at midnight; a day later only where the whole day was skipped.
        if (!shown.endsWith('00:00:00'))
          expect(wall(start - 1, timezone) < `${day} 00:00:00`).toBe(true);
      }),
      propertyRuns(3000),
    );
  });

  it('follow each other without a gap', () => {
    fc.assert(
      fc.property(date, zone, (day, timezone) => {
        const next = addDays(day, 1);
        expect(endOfDayMs(day, timezone) + 1).toBe(startOfDayMs(next, timezone));
        const hours = (startOfDayMs(next, timezone) - startOfDayMs(day, timezone)) / 3_600_000;
        expect(hours).toBeGreaterThanOrEqual(0);
        expect(hours).toBeLessThanOrEqual(48);
      }),
      propertyRuns(3000),
    );
  });

  it('contain the instants that show their date', () => {
    // St. John's once turned its clock back just after midnight: an hour of the day before came after that midnight.
    const smooth = zone.filter(
      (timezone) => !/St_Johns|Goose_Bay|Moncton|Newfoundland/.test(timezone),
    );
    const instant = fc.integer({
      min: Date.parse('1950-01-01T00:00:00Z'),
      max: Date.parse('2045-01-01T00:00:00Z'),
    });
    fc.assert(
      fc.property(instant, smooth, (ms, timezone) => {
        const day = wall(ms, timezone).slice(0, 10);
        expect(startOfDayMs(day, timezone)).toBeLessThanOrEqual(ms);
        expect(endOfDayMs(day, timezone)).toBeGreaterThanOrEqual(ms);
      }),
      propertyRuns(3000),
    );
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', 25],
    ['America/Chicago', '2026-11-01', '2026-11-01T05:00:00.000Z', 25],
    // No midnight: 00:00 became 01:00.
    ['America/Santiago', '2024-09-08', '2024-09-08T04:00:00.000Z', 23],
    ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00.000Z', 23],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', 23],
    // Two midnights: the first counts.
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00.000Z', 25],
    // Samoa crossed the date line: this day never was.
    ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00:00.000Z', 24],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z', 0],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z', 24],
    ['Australia/Lord_Howe', '2024-04-07', '2024-04-06T13:00:00.000Z', 24.5],
  ])('in %s, %s starts at %s and has %d hours', (timezone, day, start, hours) => {
    expect(new Date(startOfDayMs(day, timezone)).toISOString()).toBe(start);
    expect((endOfDayMs(day, timezone) + 1 - startOfDayMs(day, timezone)) / 3_600_000).toBe(hours);
  });

  it('are right at the first and last dates', () => {
    for (const timezone of oddZones) {
      expect(endOfDayMs('9999-12-31', timezone)).toBeGreaterThan(
        startOfDayMs('9999-12-31', timezone),
      );
      expect(endOfDayMs('0000-01-01', timezone)).toBeGreaterThan(
        startOfDayMs('0000-01-01', timezone),
      );
    }
    expect(new Date(endOfDayMs('9999-12-31', 'UTC')).toISOString()).toBe(
      '9999-12-31T23:59:59.999Z',
    );
    expect(new Date(startOfDayMs('0000-01-01', 'UTC')).toISOString()).toBe(
      '0000-01-01T00:00:00.000Z',
    );
    expect(addDays('9999-12-31', 1)).toBe('9999-12-31');
    expect(addDays('0000-01-01', -1)).toBe('0000-01-01');
  });
});

describe('weeks', () => {
  it('are seven days from the week start of the organization and contain the given day', () => {
    fc.assert(
      fc.property(date, weekDay, (day, start) => {
        const { first, last } = weekOf(day, start);
        expect(new Date(`${first}T00:00:00Z`).getUTCDay()).toBe(weekDays.indexOf(start));
        expect(addDays(first, 6)).toBe(last);
        expect(first <= day && day <= last).toBe(true);
        expect(weekOf(first, start)).toEqual(weekOf(last, start));
        expect(weekOf(addDays(last, 1), start).first).toBe(addDays(last, 1));
      }),
    );
  });

  it.each([
    ['2024-02-29', 'monday', '2024-02-26', '2024-03-03'],
    ['2026-01-01', 'monday', '2025-12-29', '2026-01-04'],
    ['2026-01-01', 'sunday', '2025-12-28', '2026-01-03'],
    ['2026-01-01', 'saturday', '2025-12-27', '2026-01-02'],
    ['2000-02-29', 'sunday', '2000-02-27', '2000-03-04'],
    ['9999-12-31', 'monday', '9999-12-27', '9999-12-31'],
  ] as const)('of %s from %s on is %s to %s', (day, start, first, last) => {
    expect(weekOf(day, start)).toEqual({ first, last });
  });
});

describe('adding days', () => {
  it('is reversed by subtracting them', () => {
    fc.assert(
      fc.property(date, fc.integer({ min: -4000, max: 4000 }), (day, days) => {
        expect(addDays(addDays(day, days), -days)).toBe(day);
      }),
    );
  });

  it.each([
    ['2023-02-28', '2023-03-01'],
    ['2024-02-28', '2024-02-29'],
    ['1900-02-28', '1900-03-01'],
    ['2000-02-28', '2000-02-29'],
    ['2025-12-31', '2026-01-01'],
    ['0099-12-31', '0100-01-01'],
  ])('goes from %s to %s', (day, next) => {
    expect(addDays(day, 1)).toBe(next);
  });
});

describe('time zones', () => {
  it('are known by their IANA names', () => {
    for (const name of oddZones) expect(isTimezone(name)).toBe(true);
    for (const name of [
      'Europe/Bielefeld',
      '',
      '+01:00',
      'Europe/Berlin; drop',
      'CEST2',
      '../etc',
    ]) {
      expect(isTimezone(name)).toBe(false);
    }
  });

  it('format instants as the wall clock of the site', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), zone, (ms, timezone) => {
        expect(formatLocal(ms, timezone).slice(0, 19)).toBe(wall(ms, timezone));
      }),
    );
  });
});

it('shows an instant in UTC where the zone is known on another machine only', () => {
  expect(formatLocal(0, 'Europe/Atlantis')).toBe('1970-01-01 00:00:00 UTC');
});

it('refuses days in such a zone, which would mean other hours in UTC, with a way out', () => {
  for (const zoneOfStore of ['Europe/Atlantis', '+05:00', '', 'x'.repeat(10_000)]) {
    const refusal = expect.objectContaining({
      code: 'bad_parameter',
      message: expect.stringMatching(/^.{50,250}$/),
    });
    expect(() => startOfDayMs('2026-11-20', zoneOfStore)).toThrow(refusal);
    expect(() => endOfDayMs('2026-11-20', zoneOfStore)).toThrow(refusal);
  }
});

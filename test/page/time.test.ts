import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatInstant,
  formatStoredInstant,
  fromLocalInput,
  toLocalInput,
} from '../../src/page/display/time.ts';

const berlin = 'Europe/Berlin';

describe('times of the page', () => {
  it('are those of the site', () => {
    const instant = Date.parse('2026-07-01T22:30:15Z');
    expect(formatInstant(instant, berlin, true)).toBe('2026-07-02 00:30:15');
    expect(formatInstant(instant, 'Asia/Kathmandu')).toBe('2026-07-02 04:15');
  });

  it('are read back as they were typed, except for the second time of an hour that comes twice', () => {
    const zones = [berlin, 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2000, 0, 1) / 60_000, max: Date.UTC(2037, 0, 1) / 60_000 }),
        (zone, minute) => {
          const text = toLocalInput(minute * 60_000, zone);
          const instant = fromLocalInput(text, zone) ?? Number.NaN;
          expect(toLocalInput(instant, zone)).toBe(text);
          expect(minute * 60_000 - instant).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it('that a clock change skips count as the instant after it', () => {
    const skipped = fromLocalInput('2026-03-29T02:30', berlin) ?? 0;
    expect(new Date(skipped).toISOString()).toBe('2026-03-29T01:30:00.000Z');
  });

  it('of an hour that comes twice are the first of both', () => {
    const twice = fromLocalInput('2026-10-25T02:30', berlin) ?? 0;
    expect(new Date(twice).toISOString()).toBe('2026-10-25T00:30:00.000Z');
  });

  it('of a text that is none are undefined', () => {
    expect(fromLocalInput('yesterday', berlin)).toBeUndefined();
  });

  it.each([
    [12_000, '12 s ago'],
    [90_000, '2 min ago'],
    [3 * 3_600_000, '3 h ago'],
    [27 * 3_600_000, '27 h ago'],
    [3 * 86_400_000, '3 d ago'],
    [0, '0 s ago'],
    [-5000, 'in 5 s'],
    [-20 * 3_600_000, 'in 20 h'],
  ])('%d ms are an age of %s', (ageMs, text) => {
    expect(formatAge(ageMs)).toBe(text);
  });

  it('that are stored keep every digit of their second, and a text that is none stays', () => {
    expect(formatStoredInstant('2026-11-20T08:15:00.123400Z', berlin)).toBe(
      '2026-11-20 09:15:00.1234',
    );
    expect(formatStoredInstant('2026-11-20T08:15:00.000000Z', berlin)).toBe('2026-11-20 09:15:00');
    expect(formatStoredInstant('2026-11-20T08:15:00 batch 7', berlin)).toBe(
      '2026-11-20T08:15:00 batch 7',
    );
  });
});

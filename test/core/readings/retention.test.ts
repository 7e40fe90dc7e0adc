import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetention, shownRetention } from '../../../src/core/organization/tenants.ts';
import { retainedFromUs } from '../../../src/core/readings/retention.ts';

const hourUs = 3_600_000_000;

describe('a retention', () => {
  it.each([
    ['1d', 1],
    ['400d', 400],
    ['36500d', 36_500],
    ['forever', null],
  ])('%s is read, and shown as it was given', (given, days) => {
    expect(parseRetention(given)).toBe(days);
    expect(shownRetention(days)).toBe(given);
  });

  it.each([
    '0d',
    '01d',
    '400',
    '400 d',
    '400D',
    '36501d',
    '99999d',
    '-1d',
    '1w',
    'Forever',
    '∞',
    '４00d',
    '',
  ])('%j is refused', (given) => {
    expect(() => parseRetention(given)).toThrow(/not a retention: give days such as 400d/);
  });
});

const retentionBorderUs = (days: number, ms: number) =>
  retainedFromUs(days, () => ({ ms, latestMs: ms, isSteady: true }));

describe('the border of a retention', () => {
  it('is nowhere without a retention, and while the clock is not steady', () => {
    expect(retainedFromUs(null, () => ({ ms: 1e12, latestMs: 1e12, isSteady: true }))).toBe(
      Number.NEGATIVE_INFINITY,
    );
    expect(retainedFromUs(30, () => ({ ms: 1e12, latestMs: 1e12, isSteady: false }))).toBe(
      Number.NEGATIVE_INFINITY,
    );
  });

  it('is the whole hour in UTC that many days ago, in summer and winter alike', () => {
    const border = (now: string, days: number) =>
      new Date(retentionBorderUs(days, Date.parse(now)) / 1000).toISOString();
    expect(border('2026-11-20T08:15:00Z', 1)).toBe('2026-11-19T08:00:00.000Z');
    expect(border('2026-11-20T08:00:00.000Z', 1)).toBe('2026-11-19T08:00:00.000Z');
    expect(border('2026-11-20T07:59:59.999Z', 1)).toBe('2026-11-19T07:00:00.000Z');
    // Over both changes of the clocks a day stays 24 hours.
    expect(border('2026-10-26T00:30:00+01:00', 1)).toBe('2026-10-24T23:00:00.000Z');
    expect(border('2026-03-30T00:30:00+02:00', 1)).toBe('2026-03-28T22:00:00.000Z');
    expect(border('1970-01-01T00:30:00Z', 1)).toBe('1969-12-31T00:00:00.000Z');
  });

  it('is always a whole hour, never later than the retention, and less than an hour before it', () => {
    const instants = fc.integer({ min: 0, max: Date.parse('2200-01-01T00:00:00Z') });
    const property = fc.property(instants, fc.integer({ min: 1, max: 36_500 }), (nowMs, days) => {
      const border = retentionBorderUs(days, nowMs);
      const exact = (nowMs - days * 86_400_000) * 1000;
      expect(Math.abs(border % hourUs)).toBe(0);
      expect(border).toBeLessThanOrEqual(exact);
      expect(exact - border).toBeLessThan(hourUs);
    });
    fc.assert(property);
  });
});

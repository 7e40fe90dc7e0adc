import { describe, expect, it } from 'vitest';
import { parseExpiry, requireAhead } from '../../../src/core/keys/expiry.ts';

const nowMs = Date.parse('2026-11-30T23:30:00Z');
const berlin = 'Europe/Berlin';
const expiryOf = (text: string, timezone = berlin) => {
  const atMs = parseExpiry(text, nowMs, timezone);
  return atMs === null ? 'never' : new Date(atMs).toISOString();
};
const refused = (message: string, hint: string) =>
  expect.objectContaining({ code: 'bad_input', message, hint: expect.stringContaining(hint) });

describe('an expiry', () => {
  it.each([
    ['never', 'never'],
    ['90s', '2026-11-30T23:31:30.000Z'],
    ['12h', '2026-12-01T11:30:00.000Z'],
    ['90d', '2027-02-28T23:30:00.000Z'],
    ['2w', '2026-12-14T23:30:00.000Z'],
    ['2027-01-31T10:00:00+01:00', '2027-01-31T09:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s ends at %s', (text, end) => {
    expect(expiryOf(text)).toBe(end);
  });

  it('of a date is the end of that day at the site', () => {
    expect(expiryOf('2027-01-31')).toBe('2027-01-31T22:59:59.999Z');
    expect(expiryOf('2027-07-31')).toBe('2027-07-31T21:59:59.999Z');
    expect(expiryOf('2027-01-31', 'America/New_York')).toBe('2027-02-01T04:59:59.999Z');
  });

  it('of the last day of the calendar is at most the last instant, in zones of the west as well', () => {
    for (const timezone of ['America/New_York', 'UTC', 'Etc/GMT+12'])
      expect(expiryOf('9999-12-31', timezone)).toBe('9999-12-31T23:59:59.999Z');
  });

  it.each([
    ['3m', 'Give 180s for minutes, or 2027-03-01 for months.'],
    ['3M', 'Give 180s for minutes, or 2027-03-01 for months.'],
    ['12m', 'Give 720s for minutes, or 2027-12-01 for months.'],
    ['999999m', 'Give 59999940s for minutes.'],
  ])('%s could be minutes or months', (text, hint) => {
    expect(() => expiryOf(text)).toThrow(refused(`"${text}" could be minutes or months.`, hint));
  });

  it('in months ends on the last day of a shorter one', () => {
    const onTheLast = Date.parse('2026-12-31T12:00:00Z');
    expect(() => parseExpiry('2m', onTheLast, berlin)).toThrow(
      refused('"2m" could be minutes or months.', 'or 2027-02-28 for months'),
    );
  });

  it.each([
    ['3 months', '2027-03-01'],
    ['3months', '2027-03-01'],
    ['1 month', '2027-01-01'],
    ['12mo', '2027-12-01'],
    [' 3 mo ', '2027-03-01'],
    ['90 days', '90d'],
    ['5 minutes', '300s'],
    ['15 minutes', '900s'],
    ['31.01.2027', '2027-01-31'],
  ])('%j is refused, and %s is named', (text, meant) => {
    expect(() => expiryOf(text)).toThrow(
      refused(`"${text}" is not an expiry.`, `Did you mean ${meant}?`),
    );
  });

  it.each([
    '',
    'soon',
    '90dx',
    'x90d',
    '2027-02-30',
    '3mx',
    'x3m',
    '1234567m',
    '12 moons',
    '1constructor',
    '1 __proto__',
    '999999w',
    '9999999d',
  ])('%j is refused with the forms that are taken', (text) => {
    expect(() => expiryOf(text)).toThrow(
      refused(`"${text}" is not an expiry.`, 'Give never, a span such as 90d, a date'),
    );
  });

  it('is ahead, or never', () => {
    requireAhead(null, nowMs);
    requireAhead(nowMs + 1, nowMs);
    for (const past of [nowMs, nowMs - 1, 0])
      expect(() => requireAhead(past, nowMs)).toThrow(
        refused(`The expiry ${new Date(past).toISOString()} is in the past.`, 'in the future'),
      );
  });
});

import { HkctlError } from '../errors.ts';
import { didYouMean } from '../text/words.ts';
import { dayAt, endOfDayMs } from '../time/calendar.ts';
import { formatInstantMs, isDate, parseInstantMs } from '../time/instants.ts';
import { meantBound } from '../time/meant-values.ts';
import { dayMs, meantSpan, parseSpanMs } from '../time/spans.ts';

/** Reads `never` (null), a span, a date (the end of that day) or an instant to epoch ms. Throws `bad_input`. */
export function parseExpiry(text: string, nowMs: number, timezone: string): number | null {
  if (text === 'never') return null;
  requireClearUnit(text, nowMs, timezone);
  const atMs = /^\d{1,6}[shdw]$/.test(text)
    ? nowMs + parseSpanMs(text)
    : isDate(text)
      ? endOfDayMs(text, timezone)
      : parseInstantMs(text);
  // The last day of the calendar, which means never in many systems, ends later in time zones of the west.
  if (atMs !== undefined && atMs - latestMs < dayMs) return Math.min(atMs, latestMs);
  throw new HkctlError('bad_input', `"${text}" is not an expiry.`, {
    hint: didYouMean(meantExpiry(text, nowMs, timezone)) + expiryHint,
  });
}

/** An m is minutes to some and months to others; a key that stops after three minutes stops a plant. */
function requireClearUnit(text: string, nowMs: number, timezone: string): void {
  const [, number] = /^(\d{1,6})m$/i.exec(text) ?? [];
  if (number === undefined) return;
  const date = dateInMonths(Number(number), nowMs, timezone);
  throw new HkctlError('bad_input', `"${text}" could be minutes or months.`, {
    hint: `Give ${Number(number) * 60}s for minutes${date === undefined ? '' : `, or ${date} for months`}.`,
  });
}

function meantExpiry(text: string, nowMs: number, timezone: string): string | undefined {
  const [, months] = /^(\d{1,3}) ?mo(?:nth)?s?$/i.exec(text.trim()) ?? [];
  if (months !== undefined) return dateInMonths(Number(months), nowMs, timezone);
  return meantBound(text, timezone) ?? meantSpan(text)?.replace(/^(\d+)m$/, minutesAsSeconds);
}

function minutesAsSeconds(_: string, minutes: string): string {
  return `${Number(minutes) * 60}s`;
}

/** The date some months after today; undefined beyond the calendar. The last day of a shorter month stands for later ones. */
function dateInMonths(months: number, nowMs: number, timezone: string): string | undefined {
  const today = new Date(dayAt(nowMs, timezone).day * dayMs);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const atMs = Date.UTC(year, month, Math.min(today.getUTCDate(), lastDay));
  return atMs <= latestMs ? formatInstantMs(atMs).slice(0, 10) : undefined;
}

/** Refuses an expiry in the past: `bad_input`. */
export function requireAhead(expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs !== null && expiresAtMs <= nowMs) {
    throw new HkctlError(
      'bad_input',
      `The expiry ${formatInstantMs(expiresAtMs)} is in the past.`,
      {
        hint: expiryHint,
      },
    );
  }
}

const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const expiryHint =
  'Give never, a span such as 90d, a date such as 2027-01-31, or an RFC 3339 time in the future.';

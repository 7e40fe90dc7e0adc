import { HkctlError } from '../errors.ts';
import { didYouMean } from '../text/words.ts';
import { endOfDayMs } from '../time/calendar.ts';
import { formatInstantMs, isDate, parseInstantMs } from '../time/instants.ts';
import { meantDate, meantInstant } from '../time/meant-values.ts';
import { dayMs, parseSpanMs } from '../time/spans.ts';

/** Reads `never` (null), a span, a date (the end of that day) or an instant to epoch ms. Throws `bad_input`. */
export function parseExpiry(text: string, nowMs: number, timezone: string): number | null {
  if (text === 'never') return null;
  const atMs = /^\d+[smhdw]$/.test(text)
    ? nowMs + parseSpanMs(text)
    : isDate(text)
      ? endOfDayMs(text, timezone)
      : parseInstantMs(text);
  // The last day of the calendar, which means never in many systems, ends later in time zones of the west.
  if (atMs !== undefined && atMs - latestMs < dayMs) return Math.min(atMs, latestMs);
  throw new HkctlError('bad_input', `"${text}" is not an expiry.`, {
    hint: didYouMean(meantDate(text) ?? meantInstant(text)) + expiryHint,
  });
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
  'Give never, a span such as 90d, a date such as 2027-01-31, or an RFC 3339 instant ahead.';

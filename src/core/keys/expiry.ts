import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import { counted, didYouMean } from '../text/words.ts';
import { dateOf, dayAt, endOfDayMs } from '../time/calendar.ts';
import { formatInstantMs, isDate, parseInstantMs } from '../time/instants.ts';
import { meantBound } from '../time/meant-values.ts';
import { dayMs, meantSpan, parseSpanMs } from '../time/spans.ts';

/** Reads `never` (null), a span, a date (the end of that day) or an instant to epoch ms. Throws `bad_input`. */
export function parseExpiry(expiryText: string, nowMs: number, timezone: string): number | null {
  if (expiryText === 'never') return null;
  requireClearUnit(expiryText, nowMs, timezone);
  const expiresAtMs = expiryMs(expiryText, nowMs, timezone);

  // The last day of the calendar, which means never in many systems, ends later in time zones of the west.
  if (expiresAtMs !== undefined && expiresAtMs - latestMs < dayMs) {
    return Math.min(expiresAtMs, latestMs);
  }
  throw new HkctlError('bad_input', `"${expiryText}" is not an expiry.`, {
    hint: didYouMean(meantExpiry(expiryText, nowMs, timezone)) + expiryHint,
  });
}

function expiryMs(expiryText: string, nowMs: number, timezone: string): number | undefined {
  const isSpan = /^\d{1,6}[shdw]$/.test(expiryText);
  if (isSpan) return nowMs + parseSpanMs(expiryText);
  if (isDate(expiryText)) return endOfDayMs(expiryText, timezone);
  return parseInstantMs(expiryText);
}

/** An m is minutes to some and months to others; a key that stops after three minutes stops a plant. */
function requireClearUnit(expiryText: string, nowMs: number, timezone: string): void {
  const [, digits] = /^(\d{1,6})m$/i.exec(expiryText) ?? [];
  if (digits === undefined) return;

  const number = Number(digits);
  const date = dateInMonths(number, nowMs, timezone);
  const monthsAdvice = date === undefined ? '' : `, or ${date} for months`;
  throw new HkctlError('bad_input', `"${expiryText}" could be minutes or months.`, {
    hint: `Give ${number * 60}s for minutes${monthsAdvice}.`,
  });
}

function meantExpiry(expiryText: string, nowMs: number, timezone: string): string | undefined {
  const [, months] = /^(\d{1,3}) ?mo(?:nth)?s?$/i.exec(expiryText.trim()) ?? [];
  if (months !== undefined) {
    return dateInMonths(Number(months), nowMs, timezone);
  }

  const bound = meantBound(expiryText, timezone);
  if (bound !== undefined) return bound;
  return meantSpan(expiryText)?.replace(/^(\d+)m$/, minutesAsSeconds);
}

function minutesAsSeconds(_: string, minutes: string): string {
  return `${Number(minutes) * 60}s`;
}

/** The date some months after today; undefined beyond the calendar. The last day of a shorter month stands for later ones. */
function dateInMonths(months: number, nowMs: number, timezone: string): string | undefined {
  const today = new Date(dayAt(nowMs, timezone).day * dayMs);
  const year = today.getUTCFullYear();
  const month = today.getUTCMonth() + months;

  const monthEnd = new Date(Date.UTC(year, month + 1, 0));
  const day = Math.min(today.getUTCDate(), monthEnd.getUTCDate());
  const dateMs = Date.UTC(year, month, day);
  return dateMs <= latestMs ? formatInstantMs(dateMs).slice(0, 10) : undefined;
}

/** Refuses an expiry in the past: `bad_input`. */
export function requireAhead(expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs > nowMs) return;

  throw new HkctlError('bad_input', `The expiry ${formatInstantMs(expiresAtMs)} is in the past.`, {
    hint: expiryHint,
  });
}

/** The end of the calendar of RFC 3339. */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const expiryHint =
  'Give never, a span such as 90d, a date such as 2027-01-31, or an RFC 3339 time in the future.';

/** The longest lifetime of new keys in an organization, in days; null if they need not expire. */
export async function longestLifetimeOf(
  { store }: Pick<Domain, 'store'>,
  tenantId: string,
): Promise<number | null> {
  const tenant = await store.tenants.find(tenantId);
  return tenant?.longestLifetimeDays ?? null;
}

/** The expiry of a successor: that of its predecessor, or the latest one that is allowed. */
export function successorExpiryMs(
  expiresAtMs: number | null,
  longestDays: number | null,
  nowMs: number,
): number | null {
  if (longestDays === null) return expiresAtMs;
  const latestMs = nowMs + longestDays * dayMs;
  return Math.min(expiresAtMs ?? latestMs, latestMs);
}

/** Refuses a later expiry than the longest lifetime allows, and none at all: `state_forbids` (exit 5). */
export function requireWithinLifetime(
  expiresAtMs: number | null,
  longestDays: number | null,
  nowMs: number,
  timezone: string,
): void {
  if (longestDays === null) return;
  const latestMs = nowMs + longestDays * dayMs;
  if (expiresAtMs !== null && expiresAtMs <= latestMs) return;

  const expiry = expiresAtMs === null ? 'never expires' : 'expires later';
  throw new HkctlError(
    'state_forbids',
    `A key of this organization may last ${counted(longestDays, 'day')}, now until ${formatInstantMs(latestMs)}; this one ${expiry}.`,
    {
      hint: `Give --expires ${longestDays}d, or a date up to ${latestDate(longestDays, nowMs, timezone)}.`,
    },
  );
}

/** The last date that ends within the longest lifetime. */
export function latestDate(longestDays: number, nowMs: number, timezone: string): string {
  const latestMs = nowMs + longestDays * dayMs;
  const { day, untilMs } = dayAt(latestMs, timezone);
  return dateOf(untilMs - 1 <= latestMs ? day : day - 1);
}

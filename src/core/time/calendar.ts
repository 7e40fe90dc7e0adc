import { HkctlError } from '../errors.ts';
import { memoizeBy } from '../memoize.ts';
import { quotedText } from '../text/shown-text.ts';
import { dayMs } from './spans.ts';

/** The days on which a week can start, in the order of Date.getUTCDay. */
export const weekDays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
export type WeekDay = (typeof weekDays)[number];

const firstDayMs = Date.parse('0000-01-01T00:00:00Z');
const lastDayMs = Date.parse('9999-12-31T00:00:00Z');

/** Whether a text is an IANA time zone of this machine's database, such as `Europe/Berlin`. */
export function isTimezone(zoneName: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9+_/-]*$/.test(zoneName)) return false;

  try {
    new Intl.DateTimeFormat('en', { timeZone: zoneName });
    return true;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

/** Adds whole days to a date `YYYY-MM-DD`; the result is clamped to the years 0000 to 9999. */
export function addDays(date: string, days: number): string {
  const shiftedMs = Date.parse(`${date}T00:00:00Z`) + days * dayMs;
  const boundedMs = Math.min(Math.max(shiftedMs, firstDayMs), lastDayMs);
  return new Date(boundedMs).toISOString().slice(0, 10);
}

/** First and last day of the week that contains a date, by the organization's week start (promise 5.3). */
export function weekOf(date: string, weekStart: WeekDay): { first: string; last: string } {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  const daysBack = (weekday - weekDays.indexOf(weekStart) + 7) % 7;
  const first = addDays(date, -daysBack);
  return { first, last: addDays(first, 6) };
}

/**
 * The first instant (epoch ms) of a date in a time zone: the earlier of two midnights, or the first instant after a gap that
 * skips midnight. A day that a zone skipped completely starts with the next day. Throws `bad_parameter` for a zone that this
 * Node does not know.
 */
export function startOfDayMs(date: string, timezone: string): number {
  requireKnownZone(timezone);
  return startOfWallDayMs(Date.parse(`${date}T00:00:00Z`), timezone);
}

/** The last millisecond (epoch ms) of a date in a time zone. Throws as above. */
export function endOfDayMs(date: string, timezone: string): number {
  requireKnownZone(timezone);
  return startOfWallDayMs(Date.parse(`${date}T00:00:00Z`) + dayMs, timezone) - 1;
}

/** The day of an instant in a zone (UTC if unknown): days from 1970-01-01, and from when until when (excluded) it lasts. */
export function dayAt(
  instantMs: number,
  zoneName: string,
): { day: number; fromMs: number; untilMs: number } {
  const timezone = knownZone(zoneName);
  const wallMs = instantMs + offsetMs(instantMs, timezone);
  const day = Math.floor(wallMs / dayMs);
  return {
    day,
    fromMs: startOfWallDayMs(day * dayMs, timezone),
    untilMs: startOfWallDayMs((day + 1) * dayMs, timezone),
  };
}

/** The date `YYYY-MM-DD` that is some days after 1970-01-01. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/**
 * An instant in local time: `2026-11-20 08:15:00 CET` (or `GMT+1` if the zone has no abbreviation); in UTC if this Node does not
 * know the zone, which a newer one on another machine may have accepted.
 */
export function formatLocal(instantMs: number, zoneName: string): string {
  const timezone = knownZone(zoneName);
  const wallMs = instantMs + offsetMs(instantMs, timezone);
  const wallText = new Date(wallMs).toISOString();
  const date = wallText.slice(0, 10);
  const time = wallText.slice(11, 19);
  return `${date} ${time} ${nameOf(instantMs, timezone, 'short')}`;
}

function startOfWallDayMs(wallMs: number, timezone: string): number {
  // The offset may change that day: try the offsets in force a day before and a day after, the earlier instant first.
  const candidates = [dayMs, -dayMs]
    .map((shift) => wallMs - offsetMs(wallMs + shift, timezone))
    .sort((a, b) => a - b);
  for (const instant of candidates) {
    if (instant + offsetMs(instant, timezone) === wallMs) return instant;
  }
  return firstInstantAfterGap(candidates, wallMs, timezone);
}

/** By how many ms the wall clock of a zone is ahead of UTC at an instant. */
export function offsetMs(instantMs: number, timezone: string): number {
  // Local mean times of former centuries have seconds.
  const offsetPattern = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/;
  const offsetName = nameOf(instantMs, timezone, 'longOffset');
  const [, sign, ...parts] = offsetPattern.exec(offsetName) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part = '0') => Number(part));

  const totalSeconds = (hours * 60 + minutes) * 60 + seconds;
  return totalSeconds * (sign === '-' ? -1000 : 1000);
}

/** Midnight does not exist that day: search by bisection for the first instant at which the wall clock shows the day. */
function firstInstantAfterGap(candidates: number[], wallMs: number, timezone: string): number {
  let beforeGap = Math.min(...candidates) - 1;
  let afterGap = Math.max(...candidates);
  while (afterGap - beforeGap > 1) {
    const middle = Math.floor((beforeGap + afterGap) / 2);
    if (middle + offsetMs(middle, timezone) >= wallMs) afterGap = middle;
    else beforeGap = middle;
  }
  return afterGap;
}

function knownZone(timezone: string): string {
  return isKnownZone(timezone) ? timezone : 'UTC';
}

/** A newer Node on another machine may have accepted the zone; a day in UTC instead would give other readings and records. */
function requireKnownZone(timezone: string): void {
  if (isKnownZone(timezone)) return;
  throw new HkctlError(
    'bad_parameter',
    `A date has no meaning here, since the entity's time zone ${quotedText(timezone)} is unknown to this version of Node.js: give an instant with an offset, such as 2026-11-20T00:00:00Z.`,
  );
}

function isKnownZone(timezone: string): boolean {
  return knownZones(timezone, () => isTimezone(timezone));
}

const knownZones = memoizeBy<boolean>();

/** The name of a zone at an instant: its offset as `GMT+01:00`, or its abbreviation. */
function nameOf(instantMs: number, timezone: string, timeZoneName: 'longOffset' | 'short'): string {
  const createFormatter = () => {
    return new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeZoneName });
  };
  const formatter = formatters(`${timeZoneName} ${timezone}`, createFormatter);
  const [, nameAfterDate] = formatter.format(instantMs).split(', ');
  return nameAfterDate ?? timezone;
}

/** There are few zones, so they are cached. */
const formatters = memoizeBy<Intl.DateTimeFormat>();

/**
 * The instants (epoch ms) at which the clocks of a zone show a time, given as if it were in UTC. There are none if the clocks
 * are set forward past it, and two if they are set back over it.
 */
export function instantsShowing(wallMs: number, timezone: string): number[] {
  // The offset may change that day: each of its offsets counts if the clock of the zone then shows that time.
  const shifts = [-dayMs, 0, dayMs];
  const offsets = new Set(shifts.map((shift) => cachedOffset(wallMs + shift, timezone)));
  return [...offsets]
    .map((offset) => wallMs - offset)
    .filter((instantMs) => instantMs + cachedOffset(instantMs, timezone) === wallMs);
}

/** No zone changes its clocks within a quarter of an hour by UTC. */
const quarterMs = 900_000;

/** Some years of one zone. */
const offsetsByQuarter = memoizeBy<number>(200_000);

/** A file of readings has millions of times. */
function cachedOffset(instantMs: number, timezone: string): number {
  const quarterStart = Math.floor(instantMs / quarterMs) * quarterMs;
  return offsetsByQuarter(`${timezone} ${quarterStart}`, () => offsetMs(quarterStart, timezone));
}

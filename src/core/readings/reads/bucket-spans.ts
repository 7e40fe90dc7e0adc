import { HkctlError } from '../../errors.ts';
import type { BucketSpan } from '../../port/readings.ts';
import { quotedText } from '../../text/shown-text.ts';
import { isTimezone, type WeekDay, weekDays } from '../../time/calendar.ts';
import { dayMs } from '../../time/spans.ts';
import { daysOf } from '../../time/zone-days.ts';

/** The calendar that defines days and weeks. */
export interface BucketCalendar {
  timezone: string;
  weekStart: WeekDay;
}

/** The time of one bucket in epoch µs; `endUs` is exclusive. */
export interface BucketTime {
  startUs: number;
  endUs: number;
}

/** The units of buckets: those of the clock are multiples of seconds, those of the calendar are multiples of days. */
const clockSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
};
const calendarDays: Readonly<Record<string, number>> = { d: 1, w: 7 };
const longestDays = 36_500;
/** Months, quarters and years of the calendar, in months: no other number of them has a plain beginning. */
const calendarMonths: Readonly<Record<string, number>> = { '1mo': 1, '3mo': 3, '1y': 12 };

/**
 * Reads a length of buckets such as `5m`, `1w` or `1mo` (promise 5.9). Days begin at midnight in the zone, weeks with the week
 * start; several days or weeks count from the one with 1970-01-01. Undefined for other texts, and for more than 36500d. Throws
 * `bad_parameter` if this Node does not know the zone.
 */
export function parseBucket(
  bucketText: string,
  { timezone, weekStart }: BucketCalendar,
): BucketSpan | undefined {
  const months = calendarMonths[bucketText];
  if (months !== undefined) return { months, timezone: requireTimezone(timezone) };

  const [, digits = '', unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(bucketText) ?? [];
  const count = Number(digits);
  const seconds = count * (clockSeconds[unit] ?? 0);
  const days = count * (calendarDays[unit] ?? 0);
  if (seconds + days === 0) return undefined;
  if (days > longestDays || seconds > longestDays * 86_400) return undefined;
  if (seconds > 0) return { widthUs: seconds * 1e6 };

  const firstDay = unit === 'w' ? firstDayOfWeek(weekStart) : 0;
  return { days, firstDay, timezone: requireTimezone(timezone) };
}

/** The bucket that an instant belongs to. */
export function bucketTime(span: BucketSpan, atUs: number): BucketTime {
  if ('widthUs' in span) {
    const { widthUs, originUs = 0 } = span;
    const startUs = bucketStart(atUs - originUs, widthUs) + originUs;
    return { startUs, endUs: startUs + widthUs };
  }

  const zoneDays = daysOf(span.timezone);
  const day = zoneDays.dayOf(Math.floor(atUs / 1000));
  const { firstDay, endDay } = bucketDays(span, day);
  return {
    startUs: zoneDays.startMs(firstDay) * 1000,
    endUs: zoneDays.startMs(endDay) * 1000,
  };
}

/** The days, counted from 1970-01-01, of the bucket that holds a day; the last one is exclusive. */
function bucketDays(span: CalendarSpan, day: number): { firstDay: number; endDay: number } {
  if ('months' in span) {
    const date = new Date(day * dayMs);
    const month = 12 * (date.getUTCFullYear() - 1970) + date.getUTCMonth();
    const firstMonth = Math.floor(month / span.months) * span.months;
    return {
      firstDay: firstDayOfMonth(firstMonth),
      endDay: firstDayOfMonth(firstMonth + span.months),
    };
  }

  const { days, firstDay: origin } = span;
  const firstDay = Math.floor((day - origin) / days) * days + origin;
  return { firstDay, endDay: firstDay + days };
}

type CalendarSpan = Exclude<BucketSpan, { widthUs: number }>;

/** The first day of a month that is counted from January 1970. */
function firstDayOfMonth(month: number): number {
  const date = new Date(0);
  // Date.UTC takes the years 0 to 99 for those of the 20th century.
  date.setUTCFullYear(1970, month, 1);
  return date.getTime() / dayMs;
}

/** The start of the multiple of a width that contains an instant; the remainder is made positive, for instants before 1970. */
export function bucketStart(atUs: number, widthUs: number): number {
  const remainder = atUs % widthUs;
  return remainder < 0 ? atUs - remainder - widthUs : atUs - remainder;
}

/** The first day of the week with 1970-01-01, which was a Thursday; days are counted from that date. */
function firstDayOfWeek(weekStart: WeekDay): number {
  const daysBack = weekDays.indexOf('thursday') - weekDays.indexOf(weekStart);
  return -((daysBack + 7) % 7);
}

function requireTimezone(timezone: string): string {
  if (isTimezone(timezone)) return timezone;
  throw new HkctlError(
    'bad_parameter',
    `Buckets of days, weeks, months or years are impossible, since the entity's time zone ${quotedText(timezone)} is unknown to this version of Node.js: give hours, such as bucket=24h.`,
  );
}

import { HkctlError } from '../../errors.ts';
import type { BucketSpan } from '../../port/readings.ts';
import { quotedText } from '../../text/shown-text.ts';
import { isTimezone, type WeekDay, weekDays } from '../../time/calendar.ts';
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

/**
 * Reads a length of buckets such as `5m` or `1w` (promise 5.9). Days begin at midnight in the zone, weeks with the week
 * start; several days or weeks count from the one with 1970-01-01. Undefined for other texts, and for more than 36500d. Throws
 * `bad_parameter` if this Node does not know the zone.
 */
export function parseBucket(
  bucketText: string,
  { timezone, weekStart }: BucketCalendar,
): BucketSpan | undefined {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(bucketText) ?? [];
  const count = Number(digits);
  const seconds = count * (clockSeconds[unit] ?? 0);
  const days = count * (calendarDays[unit] ?? 0);
  if (seconds + days === 0) return undefined;
  if (days > longestDays || seconds > longestDays * 86_400) return undefined;
  if (seconds > 0) return { widthUs: seconds * 1e6 };

  if (!isTimezone(timezone)) throw unknownZone(timezone);
  const firstDay = unit === 'w' ? firstDayOfWeek(weekStart) : 0;
  return { days, firstDay, timezone };
}

/** The bucket that an instant belongs to. */
export function bucketTime(span: BucketSpan, atUs: number): BucketTime {
  if ('widthUs' in span) {
    const { widthUs, originUs = 0 } = span;
    const startUs = bucketStart(atUs - originUs, widthUs) + originUs;
    return { startUs, endUs: startUs + widthUs };
  }

  const { days, firstDay, timezone } = span;
  const zoneDays = daysOf(timezone);
  const day = zoneDays.dayOf(Math.floor(atUs / 1000)) - firstDay;
  const firstBucketDay = Math.floor(day / days) * days + firstDay;
  return {
    startUs: zoneDays.startMs(firstBucketDay) * 1000,
    endUs: zoneDays.startMs(firstBucketDay + days) * 1000,
  };
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

function unknownZone(timezone: string): HkctlError {
  return new HkctlError(
    'bad_parameter',
    `Buckets of days or weeks are impossible, since the entity's time zone ${quotedText(timezone)} is unknown to this version of Node.js: give hours, such as bucket=24h.`,
  );
}

import { memoizeBy } from '../../core/memoize.ts';
import type { Key } from '../../core/port/keys.ts';
import { formatLocal } from '../../core/time/calendar.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import { dayMs, hourMs, minuteMs } from '../../core/time/spans.ts';
import type { Context } from '../command/context.ts';

/**
 * How the lists of one command show instants: relative to now on a terminal, in the time zone of the site off a terminal, in
 * UTC with `--utc`. Null is shown as `Never`.
 */
export function createTimeText(
  { io, utc }: Pick<Context, 'io' | 'utc'>,
  nowMs: number,
): (ms: number | null, timezone: string) => string {
  // Many rows share a second, and to find the local time of one takes longer than all the rest of its row.
  const texts = memoizeBy<string>(mostTexts);
  return (ms, timezone) => {
    if (ms !== null && !utc && io.stdout.isTTY) return relativeTime(ms, nowMs);
    if (ms === null) return fullTime({ utc }, ms, timezone);
    return texts(`${Math.floor(ms / 1000)} ${timezone}`, () => fullTime({ utc }, ms, timezone));
  };
}

/** Lists of any length are printed with this many texts in memory. */
const mostTexts = 1000;

/** An instant in full, in the time zone of the site or, with `--utc`, in UTC. Null is shown as `Never`. */
export function fullTime(
  { utc }: Pick<Context, 'utc'>,
  ms: number | null,
  timezone: string,
): string {
  if (ms === null) return 'Never';
  return utc ? formatInstantMs(ms).replace(/\.\d+Z$/, 'Z') : formatLocal(ms, timezone);
}

/** An instant in the time zone of a key's entity and as a distance, both, and each alone; `Never` for null. */
export function timesOf(
  ms: number | null,
  { entity }: Pick<Key, 'entity'>,
  nowMs: number,
): string[] {
  const absolute = fullTime({ utc: false }, ms, entity?.timezone ?? 'UTC');
  if (ms === null) return [absolute];
  const relative = relativeTime(ms, nowMs);
  return [`${absolute} (${relative})`, absolute, relative];
}

/** The width of the longest relative time of a plant's life, `in 59 min`. */
export const relativeTimeWidth = 10;

/** An instant as people say it, seen from now, at most ten characters wide: `now`, `4 min ago`, `in 6 d`, `12 y ago`. */
export function relativeTime(ms: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - ms);
  if (distanceMs < minuteMs) return ms > nowMs ? 'in 1 min' : 'now';
  // A moment after a key was made for 90 days, it still expires in 90 days.
  return ms > nowMs
    ? `in ${spanText(distanceMs, Math.round)}`
    : `${spanText(distanceMs, Math.floor)} ago`;
}

function spanText(ms: number, round: (units: number) => number): string {
  if (ms < hourMs) return `${round(ms / minuteMs)} min`;
  if (ms < 2 * dayMs) return `${round(ms / hourMs)} h`;
  const days = round(ms / dayMs);
  return days < 1000 ? `${days} d` : `${Math.floor(days / 365)} y`;
}

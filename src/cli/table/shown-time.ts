import type { Key } from '../../core/port/keys.ts';
import { formatLocal } from '../../core/time/calendar.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import { dayMs, hourMs, minuteMs } from '../../core/time/spans.ts';
import type { Context } from '../command/context.ts';

/**
 * Creates the function by which the lists of one command show instants: on a terminal relative to now, or in UTC with `--utc`, and
 * `Never` for null; for programs RFC 3339 in UTC, and an empty cell.
 */
export function createTimeText(
  { io, utc }: Pick<Context, 'io' | 'utc'>,
  nowMs: number,
): (instantMs: number | null) => string {
  return (instantMs) => {
    if (!io.stdout.isTTY) return instantMs === null ? '' : formatInstantMs(instantMs);
    if (instantMs === null || utc) return fullTime({ utc }, instantMs, 'UTC');
    return relativeTime(instantMs, nowMs);
  };
}

/** An instant in full, in the time zone of the entity or, with `--utc`, in UTC. Null is shown as `Never`. */
export function fullTime(
  { utc }: Pick<Context, 'utc'>,
  instantMs: number | null,
  timezone: string,
): string {
  if (instantMs === null) return 'Never';
  if (!utc) return formatLocal(instantMs, timezone);

  return formatInstantMs(instantMs).replace(/\.\d+Z$/, 'Z');
}

/** An instant in the time zone of a key's entity and as a distance, both, and each alone; `Never` for null. */
export function timesOf(
  instantMs: number | null,
  { entity }: Pick<Key, 'entity'>,
  nowMs: number,
): string[] {
  const timezone = entity?.timezone ?? 'UTC';
  const absoluteTime = fullTime({ utc: false }, instantMs, timezone);
  if (instantMs === null) return [absoluteTime];

  const distance = relativeTime(instantMs, nowMs);
  return [`${absoluteTime} (${distance})`, absoluteTime, distance];
}

/** The width of the longest relative time of a plant's life, `in 59 min`. */
export const relativeTimeWidth = 10;

/** An instant as people say it, seen from now, at most ten characters wide: `now`, `4 min ago`, `in 6 d`, `12 y ago`. */
export function relativeTime(instantMs: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - instantMs);
  if (distanceMs < minuteMs) return instantMs > nowMs ? 'in 1 min' : 'now';
  // A moment after a key was made for 90 days, it still expires in 90 days.
  return instantMs > nowMs
    ? `in ${spanText(distanceMs, Math.round)}`
    : `${spanText(distanceMs, Math.floor)} ago`;
}

function spanText(spanMs: number, roundUnits: (units: number) => number): string {
  if (spanMs < hourMs) return `${roundUnits(spanMs / minuteMs)} min`;
  if (spanMs < 2 * dayMs) return `${roundUnits(spanMs / hourMs)} h`;
  const days = roundUnits(spanMs / dayMs);
  return days < 1000 ? `${days} d` : `${Math.floor(days / 365)} y`;
}

import { dayMs } from '../../core/time/spans.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The width of the longest relative time of a plant's life, `in 59 min`. */
export const relativeTimeWidth = 10;

/** An instant as people say it, seen from now, at most ten characters wide: `now`, `4 min ago`, `in 6 d`, `12 y ago`. */
export function relativeTime(ms: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - ms);
  if (distanceMs < minuteMs) return ms > nowMs ? 'in 1 min' : 'now';
  // A moment after a key was made for 90 days, it still expires in 90 days.
  return ms > nowMs ? `in ${spanText(distanceMs, Math.round)}` : `${spanText(distanceMs, Math.floor)} ago`;
}

function spanText(ms: number, round: (units: number) => number): string {
  if (ms < hourMs) return `${round(ms / minuteMs)} min`;
  if (ms < 2 * dayMs) return `${round(ms / hourMs)} h`;
  const days = round(ms / dayMs);
  return days < 1000 ? `${days} d` : `${Math.floor(days / 365)} y`;
}

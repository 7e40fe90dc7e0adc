const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A distance in time in words: `4 min ago`, `in 6 d`; below a minute `now`. */
export function relativeTime(ms: number, nowMs: number): string {
  const distance = Math.abs(ms - nowMs);
  if (distance < minuteMs) return 'now';
  const [unitMs, unit] =
    distance < hourMs
      ? ([minuteMs, 'min'] as const)
      : distance < 2 * dayMs
        ? ([hourMs, 'h'] as const)
        : ([dayMs, 'd'] as const);
  const span = `${Math.floor(distance / unitMs)} ${unit}`;
  return ms < nowMs ? `${span} ago` : `in ${span}`;
}

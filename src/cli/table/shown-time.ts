import { formatLocal } from '../../core/time/calendar.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import type { Context } from '../context.ts';
import { relativeTime } from './relative-time.ts';

/**
 * How the lists of one command show instants: relative to now on a terminal, in the time zone of the site off a terminal, in
 * UTC with `--utc`. Null is shown as `Never`.
 */
export function createTimeText(
  { io, utc }: Pick<Context, 'io' | 'utc'>,
  nowMs: number,
): (ms: number | null, timezone: string) => string {
  return (ms, timezone) => {
    if (ms === null) return 'Never';
    if (utc) return formatInstantMs(ms).replace(/\.\d+Z$/, 'Z');
    return io.stdout.isTTY ? relativeTime(ms, nowMs) : formatLocal(ms, timezone);
  };
}

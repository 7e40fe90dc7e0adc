import { formatLocal } from '../../core/time/calendar.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import type { Context } from '../command/context.ts';
import { relativeTime } from './relative-time.ts';

/**
 * How the lists of one command show instants: relative to now on a terminal, in the time zone of the site off a terminal, in
 * UTC with `--utc`. Null is shown as `Never`.
 */
export function createTimeText(
  { io, utc }: Pick<Context, 'io' | 'utc'>,
  nowMs: number,
): (ms: number | null, timezone: string) => string {
  const texts = new Map<string, string>();
  return (ms, timezone) => {
    if (ms !== null && !utc && io.stdout.isTTY) return relativeTime(ms, nowMs);
    if (ms === null) return fullTime({ utc }, ms, timezone);
    // Many rows share a second, and to find the local time of one takes longer than all the rest of its row.
    const second = `${Math.floor(ms / 1000)} ${timezone}`;
    const text = texts.get(second) ?? fullTime({ utc }, ms, timezone);
    if (texts.size >= mostTexts) texts.clear();
    texts.set(second, text);
    return text;
  };
}

/** Lists of any length are printed with this many texts in memory. */
const mostTexts = 1000;

/** An instant in full, in the time zone of the site or, with `--utc`, in UTC. Null is shown as `Never`. */
export function fullTime({ utc }: Pick<Context, 'utc'>, ms: number | null, timezone: string): string {
  if (ms === null) return 'Never';
  return utc ? formatInstantMs(ms).replace(/\.\d+Z$/, 'Z') : formatLocal(ms, timezone);
}

import { memoizeBy } from '../memoize.ts';
import { dateOf, offsetMs, startOfDayMs } from './calendar.ts';
import { dayMs } from './spans.ts';

/**
 * The days of one time zone, numbered from 1970-01-01. Each begins at its midnight and lasts until the next one begins. It
 * begins at the earlier of two midnights, or at the first instant after a gap that skips midnight. A long read asks for
 * thousands of days: they are cached.
 */
class ZoneDays {
  readonly #timezone: string;
  readonly #starts = new Map<number, number>();
  readonly #offsets = new Map<number, number>();

  constructor(timezone: string) {
    this.#timezone = timezone;
  }

  /** The day that an instant (epoch ms) belongs to. */
  dayOf(instantMs: number): number {
    const utcDay = Math.floor(instantMs / dayMs);
    const wallMs = instantMs + this.#offsetAtMidnight(utcDay);
    let day = Math.floor(wallMs / dayMs);
    while (instantMs < this.startMs(day)) {
      day--;
    }
    while (instantMs >= this.startMs(day + 1)) {
      day++;
    }
    return day;
  }

  /** The first instant (epoch ms) of a day. */
  startMs(day: number): number {
    return remembered(this.#starts, day, () => {
      const offset = this.#offsetAtMidnight(day - 1);
      // No zone has changed its clock twice within two days.
      const isUnchanged = offset === this.#offsetAtMidnight(day + 1);
      return isUnchanged ? day * dayMs - offset : startOfDayMs(dateOf(day), this.#timezone);
    });
  }

  /** By how many ms the zone is ahead at a midnight of UTC. */
  #offsetAtMidnight(day: number): number {
    return remembered(this.#offsets, day, () => offsetMs(day * dayMs, this.#timezone));
  }
}

const daysByZone = memoizeBy<ZoneDays>();

/** The days of a zone, which all reads share. */
export function daysOf(timezone: string): ZoneDays {
  return daysByZone(timezone, () => new ZoneDays(timezone));
}

/** More than a century of days. */
const maxRemembered = 40_000;

function remembered(cache: Map<number, number>, day: number, compute: () => number): number {
  const cachedMs = cache.get(day);
  if (cachedMs !== undefined) return cachedMs;

  if (cache.size >= maxRemembered) cache.clear();
  const computedMs = compute();
  cache.set(day, computedMs);
  return computedMs;
}

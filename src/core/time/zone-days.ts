import { memoizeBy } from '../memoize.ts';
import { dateOf, offsetMs, startOfDayMs } from './calendar.ts';
import { dayMs } from './spans.ts';

/**
 * The days of one time zone, numbered from 1970-01-01. Each begins at its midnight (at the earlier one of two; where a clock
 * change skips midnight, with the first instant after the gap) and lasts until the next one begins. A long read asks for
 * thousands of days, and one answer of Intl takes microseconds: they are remembered.
 */
export class ZoneDays {
  readonly #timezone: string;
  readonly #starts = new Map<number, number>();
  readonly #offsets = new Map<number, number>();

  constructor(timezone: string) {
    this.#timezone = timezone;
  }

  /** The day that an instant (epoch ms) belongs to. */
  dayOf(ms: number): number {
    let day = Math.floor((ms + this.#offsetAtMidnight(Math.floor(ms / dayMs))) / dayMs);
    while (ms < this.startMs(day)) day--;
    while (ms >= this.startMs(day + 1)) day++;
    return day;
  }

  /** The first instant (epoch ms) of a day. */
  startMs(day: number): number {
    return remembered(this.#starts, day, () => {
      const offset = this.#offsetAtMidnight(day - 1);
      // No zone has changed its clock twice within two days.
      return offset === this.#offsetAtMidnight(day + 1)
        ? day * dayMs - offset
        : startOfDayMs(dateOf(day), this.#timezone);
    });
  }

  /** By how many ms the zone is ahead at a midnight of UTC. */
  #offsetAtMidnight(day: number): number {
    return remembered(this.#offsets, day, () => offsetMs(day * dayMs, this.#timezone));
  }
}

const zones = memoizeBy<ZoneDays>();

/** The days of a zone, which all reads share. */
export function daysOf(timezone: string): ZoneDays {
  return zones(timezone, () => new ZoneDays(timezone));
}

/** More than a century of days. */
const mostRemembered = 40_000;

function remembered(days: Map<number, number>, day: number, make: () => number): number {
  const cachedDay = days.get(day);
  if (cachedDay !== undefined) return cachedDay;
  if (days.size >= mostRemembered) days.clear();
  const value = make();
  days.set(day, value);
  return value;
}

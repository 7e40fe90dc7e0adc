import { memoizeBy } from '../memoize.ts';
import { offsetMs } from './calendar.ts';
import { dayMs } from './spans.ts';

/**
 * The instants (epoch ms) at which the clocks of a zone show a time, given as if it were in UTC: none if they are set forward
 * past it, two if they are set back over it.
 */
export function instantsShowing(wallMs: number, timezone: string): number[] {
  // The offset may change that day: each of its offsets counts if the clock of the zone then shows that time.
  const shifts = [-dayMs, 0, dayMs];
  const offsets = new Set(shifts.map((shift) => cachedOffset(wallMs + shift, timezone)));
  return [...offsets]
    .map((offset) => wallMs - offset)
    .filter((instantMs) => instantMs + cachedOffset(instantMs, timezone) === wallMs);
}

/** No zone changes its clocks within a quarter of an hour by UTC. */
const quarterMs = 900_000;

/** Some years of one zone. */
const offsetsByQuarter = memoizeBy<number>(200_000);

/** A file of readings has millions of times. */
function cachedOffset(instantMs: number, timezone: string): number {
  const quarterStart = Math.floor(instantMs / quarterMs) * quarterMs;
  return offsetsByQuarter(`${timezone} ${quarterStart}`, () => offsetMs(quarterStart, timezone));
}

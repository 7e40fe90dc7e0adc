import { bucketStart } from '../../../core/readings/reads/bucket-spans.ts';
import { sumScale } from '../../../core/readings/reads/buckets.ts';
import { dayOf } from '../../../core/readings/reads/day-sums.ts';
import { createQuarters, quarterUs } from '../../../core/readings/reads/quarters.ts';
import { damaged } from './bytes.ts';
import { DaySumsEncoder } from './day-sums-codec.ts';

/** The facts that version 0.2.0 has kept of the dropped readings of an hour. */
export interface HourSummary {
  hourUs: number;
  count: number;
  min: number;
  max: number;
  mean: number;
  first: number;
  last: number;
  fallen: number;
  lastAtUs: number;
}

/**
 * The sums of a day, made of the summaries of its hours: all of an hour counts in its first quarter. The others are there up to the
 * last reading, and empty: readings that arrive for them do not count, since they may be the same again.
 */
export function daySumsOfHours(hours: readonly HourSummary[]): Buffer {
  const quarters = createQuarters();
  const dayUs = dayOf(hours[0]?.hourUs ?? 0);
  let nextUs = dayUs;
  for (const hour of hours.toSorted((one, other) => one.hourUs - other.hourUs)) {
    if (!Object.values(hour).every(Number.isFinite) || !(hour.count > 0)) throw damaged();
    const firstUs = Math.max(bucketStart(hour.hourUs, quarterUs), nextUs);
    const endUs = Math.min(hour.lastAtUs + 1, firstUs + 4 * quarterUs, dayUs + 96 * quarterUs);
    for (nextUs = firstUs; nextUs < Math.max(endUs, firstUs + 1); nextUs += quarterUs) {
      const place = quarters.count++;
      const isFirst = nextUs === firstUs;
      quarters.startUs[place] = nextUs;
      quarters.counts[place] = isFirst ? hour.count : 0;
      quarters.sums[place] = isFirst ? hour.mean * sumScale * hour.count : 0;
      quarters.mins[place] = hour.min;
      quarters.maxs[place] = hour.max;
      quarters.firsts[place] = hour.first;
      quarters.lasts[place] = hour.last;
      quarters.fallens[place] = isFirst ? hour.fallen * sumScale : 0;
    }
  }
  return new DaySumsEncoder().encode(dayUs, quarters);
}

import { rangeOfSlice, type Slice, type SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import { toSlice } from '../../../../core/readings/reads/slices.ts';
import { type HourRow, hoursOfSlice, resume, usesSummaries } from '../../../../core/readings/reads/summarised-hours.ts';
import type { Connection } from '../../connection/driver.ts';
import type { StoredReadings } from '../stored.ts';

/** Creates the reader of slices on a connection; each slice is a transaction of its own, so that no checkpoint waits for it. */
export function createSliceReader(connection: Connection, stored: StoredReadings): (request: SliceRequest) => Slice {
  const newest = connection
    .prepare<[number], number>('select last_at_us from summaries where series = ? order by hour_us desc limit 1')
    .pluck();
  const hoursOf = connection.prepare<[number, number, number, number, number, number], HourRow>(
    `select hour_us as hourUs, count, min, max, mean, last, last_at_us as lastAtUs from summaries
     where series = ? and hour_us >= ? and hour_us < ? and first_at_us >= ? and last_at_us < ? order by hour_us limit ?`,
  );
  const piecesOf = (request: SliceRequest) => {
    const { series, fromUs, toUs } = rangeOfSlice(request);
    return stored.read(series, fromUs, toUs);
  };
  const readBuckets = (request: SliceRequest): Slice => {
    const summarisedUs = newest.get(request.series) ?? null;
    if (summarisedUs === null) return toSlice(request, piecesOf(request), { hours: [], summarisedUs });
    const resumed = { ...request, ...resume(request, summarisedUs) };
    const { series, firstHourUs, fromUs, toUs, limit } = hoursOfSlice(resumed);
    const hours = hoursOf.all(series, firstHourUs, toUs, fromUs, toUs, limit);
    return toSlice(resumed, piecesOf(resumed), { hours, summarisedUs });
  };
  // In one transaction, or hours that are dropped between two statements would be missing.
  return (request) =>
    stored.reading(() => (usesSummaries(request) ? readBuckets(request) : toSlice(request, piecesOf(request))));
}

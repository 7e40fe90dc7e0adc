import {
  rangeOfSlice,
  type Slice,
  type SliceRange,
  type SliceRequest,
  type SliceRow,
} from '../../../../core/readings/reads/slice-request.ts';
import { toSlice, toSummarisedSlice } from '../../../../core/readings/reads/slices.ts';
import { type HourRow, hoursOfSlice, resume, usesSummaries } from '../../../../core/readings/reads/summarised-hours.ts';
import type { Connection } from '../../connection/driver.ts';

/** Creates the reader of the readings of a range in order of time. */
export function createRowReader(connection: Connection): (range: SliceRange) => SliceRow[] {
  const rows = connection
    .prepare<[number, number, number, number], SliceRow>(
      'select at_us, value, quality from readings where series = ? and at_us >= ? and at_us < ? order by at_us limit ?',
    )
    .raw();
  return ({ series, fromUs, toUs, limit }) => rows.all(series, fromUs, toUs, limit) as SliceRow[]; // raw gives columns
}

/** Creates the reader of slices on a connection; each slice is a statement of its own, so that no checkpoint waits for it. */
export function createSliceReader(connection: Connection): (request: SliceRequest) => Slice {
  const rowsOf = createRowReader(connection);
  const newest = connection
    .prepare<[number], number>('select last_at_us from summaries where series = ? order by hour_us desc limit 1')
    .pluck();
  const hoursOf = connection.prepare<[number, number, number, number, number, number], HourRow>(
    `select hour_us as hourUs, count, min, max, mean, last, last_at_us as lastAtUs from summaries
     where series = ? and hour_us >= ? and hour_us < ? and first_at_us >= ? and last_at_us < ? order by hour_us limit ?`,
  );
  const readRows = (request: SliceRequest) => rowsOf(rangeOfSlice(request));
  // In one transaction, or hours that are dropped between two statements would be missing.
  const readBuckets = connection.transaction((request: SliceRequest): Slice => {
    const summarisedUs = newest.get(request.series) ?? null;
    if (summarisedUs === null) return { ...toSlice(request, readRows(request)), summarisedUs };
    const resumed = { ...request, ...resume(request, summarisedUs) };
    const { series, firstHourUs, fromUs, toUs, limit } = hoursOfSlice(resumed);
    const hours = hoursOf.all(series, firstHourUs, toUs, fromUs, toUs, limit);
    return toSummarisedSlice(resumed, { rows: readRows(resumed), hours, summarisedUs });
  });
  return (request) => (usesSummaries(request) ? readBuckets(request) : toSlice(request, readRows(request)));
}

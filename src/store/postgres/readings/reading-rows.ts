import {
  rangeOfSlice,
  type Slice,
  type SliceRange,
  type SliceRequest,
  type SliceRow,
} from '../../../core/readings/reads/slice-request.ts';
import { toSlice, toSummarisedSlice } from '../../../core/readings/reads/slices.ts';
import { type HourRow, hoursOfSlice, resume, usesSummaries } from '../../../core/readings/reads/summarised-hours.ts';
import type { Lane } from '../connection/lane.ts';
import { entityOfSeries, numberOfSeries } from './series-numbers.ts';

/** One row with all values of a column as one text: the driver needs seven times as long for a row each. */
const columnsSql = `string_agg(at_us::text, ' ') as at, string_agg(value::text, ' ') as value,
  string_agg(quality::text, ' ') as quality`;
const rowsSql = `select at_us, value, quality from readings
  where entity = $1 and series = $2 and at_us >= $3 and at_us < $4 order by at_us limit $5`;
const rangeSql = `select ${columnsSql} from (${rowsSql}) as r`;

/** In one statement, or hours that are dropped between two would be missing. */
const summarisedSql = `select r.*, (
    select last_at_us from summaries where entity = $1 and series = $2 order by hour_us desc limit 1) as "summarisedUs", (
    select json_agg(json_build_object('hourUs', hour_us, 'count', count, 'min', min, 'max', max, 'mean', mean, 'last', last))
      from (select * from summaries where entity = $1 and series = $2 and hour_us >= $6 and hour_us < $4
        and first_at_us >= $3 and last_at_us < $4 order by hour_us limit $7) as h) as hours
  from (select ${columnsSql} from (${rowsSql}) as r) as r`;

interface Columns {
  at: string | null;
  value: string | null;
  quality: string | null;
}

interface SummarisedColumns extends Columns {
  summarisedUs: number | null;
  hours: HourRow[] | null;
}

/** Reads the readings of a range in order of time. */
export async function readRows(lane: Lane, range: SliceRange): Promise<SliceRow[]> {
  const [columns] = await lane.query<Columns>(rangeSql, valuesOf(range));
  return toRows(columns);
}

/** Reads a slice, with the summaries of dropped readings where it can have them. */
export async function readSlice(lane: Lane, request: SliceRequest): Promise<Slice> {
  if (!usesSummaries(request)) return toSlice(request, await readRows(lane, rangeOfSlice(request)));
  const found = await readSummarised(lane, request);
  if (found.summarisedUs === null) return { ...toSlice(request, found.rows), summarisedUs: null };
  const { summarisedUs } = found;
  const resumed = { ...request, ...resume(request, summarisedUs) };
  if (resumed.fromUs === request.fromUs) return toSummarisedSlice(resumed, { ...found, summarisedUs });
  const again = await readSummarised(lane, resumed);
  return toSummarisedSlice(resumed, { ...again, summarisedUs: again.summarisedUs ?? summarisedUs });
}

async function readSummarised(lane: Lane, request: SliceRequest) {
  const { firstHourUs, limit } = hoursOfSlice(request);
  const values = [...valuesOf(rangeOfSlice(request)), firstHourUs, limit];
  const [columns] = await lane.query<SummarisedColumns>(summarisedSql, values);
  return { rows: toRows(columns), hours: columns?.hours ?? [], summarisedUs: columns?.summarisedUs ?? null };
}

function valuesOf({ series, fromUs, toUs, limit }: SliceRange): number[] {
  return [entityOfSeries(series), numberOfSeries(series), fromUs, toUs, limit];
}

function toRows(columns: Columns | undefined): SliceRow[] {
  if (!columns?.at || !columns.value || !columns.quality) return [];
  const ats = columns.at.split(' ');
  const numbers = columns.value.split(' ');
  const qualities = columns.quality.split(' ');
  return ats.map((at, row): SliceRow => [Number(at), Number(numbers[row]), Number(qualities[row])]);
}

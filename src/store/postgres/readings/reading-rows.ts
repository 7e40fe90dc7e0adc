import type { SliceRange, SliceRow } from '../../../core/readings/slices.ts';
import type { Lane } from '../connection/lane.ts';
import { entityOfSeries, numberOfSeries } from './series-numbers.ts';

/** One row with all values of a column as one text: the driver needs seven times as long for a row each. */
const rangeSql = `select string_agg(at_us::text, ' ') as at, string_agg(value::text, ' ') as value,
    string_agg(quality::text, ' ') as quality
  from (select at_us, value, quality from readings
    where entity = $1 and series = $2 and at_us >= $3 and at_us < $4 order by at_us limit $5) as r`;

interface Columns {
  at: string | null;
  value: string | null;
  quality: string | null;
}

/** Reads the readings of a range in order of time. */
export async function readRows(lane: Lane, { series, fromUs, toUs, limit }: SliceRange): Promise<SliceRow[]> {
  const values = [entityOfSeries(series), numberOfSeries(series), fromUs, toUs, limit];
  const [columns] = await lane.query<Columns>(rangeSql, values);
  if (!columns?.at || !columns.value || !columns.quality) return [];
  const ats = columns.at.split(' ');
  const numbers = columns.value.split(' ');
  const qualities = columns.quality.split(' ');
  return ats.map((at, row): SliceRow => [Number(at), Number(numbers[row]), Number(qualities[row])]);
}

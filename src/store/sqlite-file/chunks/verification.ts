import { qualities as qualityNames } from '../../../core/port/readings.ts';
import { dayUs, QuarterSums } from '../../../core/readings/reads/quarters.ts';
import { cutText, quotedText } from '../../../core/text/shown-text.ts';
import { formatInstantUs } from '../../../core/time/instants.ts';
import type { Connection } from '../driver.ts';
import { Chunks, usualSizes } from './chunks.ts';
import { decodeChunk } from './codec.ts';
import { DaySumsEncoder } from './day-sums-codec.ts';

/** Whether a reading, which comes from a file of unknown origin, is one that hkctl writes. */
export function isReading(atUs: unknown, value: unknown, quality: unknown): boolean {
  return (
    Number.isSafeInteger(atUs) &&
    Number.isFinite(value) &&
    Number.isInteger(quality) &&
    Number(quality) >= 0 &&
    Number(quality) <= qualityNames.length
  );
}

interface CheckedDay {
  series: unknown;
  dayUs: unknown;
  body: Uint8Array | null;
  sensor: unknown;
}

/** A sentence about each day whose sums are not those of its readings. Its chunks were found right before. */
export function* faultsOfDaySums(connection: Connection): Generator<string> {
  const chunks = new Chunks(connection);
  const encoder = new DaySumsEncoder();
  const days = connection.prepare<[], CheckedDay>(
    `select d.series, d.day_us as dayUs, s.sensor_id as sensor, iif(typeof(d.body) = 'blob', d.body, null) as body
     from day_sums as d left join series as s on s.series = d.series
     where d.body is not null order by d.series, d.day_us`,
  );
  for (const { series, dayUs: day, body, sensor } of days.iterate()) {
    const first = Number(day);
    const sums = new QuarterSums();
    for (const { columns, from, to } of chunks.read(Number(series), first, first + dayUs))
      sums.add(columns, from, to);
    const isRight =
      first % dayUs === 0 && body !== null && encoder.encode(first, sums.end()).equals(body);
    if (isRight) continue;
    const place = placeOf({ sensor, series, fromUs: day, toUs: first + dayUs });
    yield `the sums of the readings of ${place}: they are not those of the readings`;
  }
}

/** Bytes of a chunk at most: as many take readings that are random numbers at random instants. */
const longestBody = 32 * usualSizes.full;

interface CheckedChunk {
  series: unknown;
  fromUs: unknown;
  toUs: unknown;
  count: unknown;
  body: Uint8Array | null;
  sensor: unknown;
}

/** A sentence about each damaged chunk, of a hostile backup, too: one chunk of limited size is in memory at a time. */
export function* faultsOfChunks(connection: Connection): Generator<string> {
  const chunks = connection.prepare<[], CheckedChunk>(
    `select c.series, c.from_us as fromUs, c.to_us as toUs, c.count, s.sensor_id as sensor,
       iif(typeof(c.body) = 'blob' and length(c.body) <= ${longestBody}, c.body, null) as body
     from chunks as c indexed by chunks_series left join series as s on s.series = c.series order by c.series, c.from_us`,
  );
  let before: CheckedChunk | undefined;
  for (const chunk of chunks.iterate()) {
    const isAfter =
      before === undefined ||
      before.series !== chunk.series ||
      Number(before.toUs) < Number(chunk.fromUs);
    const fault = isAfter ? faultOf(chunk) : 'they begin before those before them end';
    before = chunk;
    if (fault !== undefined) yield `the readings of ${placeOf(chunk)}: ${fault}`;
  }
}

function placeOf({
  sensor,
  series,
  fromUs,
  toUs,
}: Pick<CheckedChunk, 'sensor' | 'series' | 'fromUs' | 'toUs'>): string {
  const owner =
    typeof sensor === 'string'
      ? `sensor ${quotedText(cutText(sensor, longestName))}`
      : `the series ${series}`;
  const [from, to] = [fromUs, toUs].map((us) =>
    Number.isSafeInteger(us) ? formatInstantUs(Number(us)) : 'no instant',
  );
  return `${owner} from ${from} to ${to}`;
}

const longestName = 60;

function faultOf({ fromUs, toUs, count, body, sensor }: CheckedChunk): string | undefined {
  if (sensor === null) return 'there is no such sensor';
  if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > usualSizes.full)
    return 'their number is none';
  if (body === null) return 'they are no bytes, or too many';
  try {
    const { atUs, values, qualities } = decodeChunk(body, Number(count));
    if (atUs[0] !== fromUs || atUs.at(-1) !== toUs) return 'they begin or end at another instant';
    for (let i = 0; i < atUs.length; i++) {
      if (!isReading(atUs[i], values[i], qualities[i])) return 'one has a value that is none';
      if (i > 0 && !(Number(atUs[i]) > Number(atUs[i - 1]))) return 'they are not in order of time';
    }
    return undefined;
  } catch {
    return 'their bytes are damaged';
  }
}

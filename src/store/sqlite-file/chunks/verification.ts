import { qualities as qualityNames } from '../../../core/port/readings.ts';
import { dayUs, QuarterSums } from '../../../core/readings/reads/quarters.ts';
import { createReadings, type SeriesReadings } from '../../../core/readings/series-readings.ts';
import { cutText, quotedText } from '../../../core/text/shown-text.ts';
import { formatInstantUs } from '../../../core/time/instants.ts';
import type { Connection } from '../driver.ts';
import { Chunks, usualSizes } from './chunks.ts';
import { decodeChunk } from './codec.ts';
import { DaySumsEncoder, readDroppedDay } from './day-sums-codec.ts';

/** Readings of a series, by the first and the last instant. */
interface CheckedRange {
  series: number;
  fromUs: number;
  toUs: number;
  /** Null if the series has none. */
  sensor: string | null;
}

interface CheckedDay {
  series: number;
  dayUs: number;
  droppedUs: number | null;
  body: Uint8Array;
  sensor: string | null;
}

/** A sentence about each day whose sums are damaged, or not those of its readings. Its chunks must have passed their check. */
export function* faultsOfDaySums(connection: Connection): Generator<string> {
  const chunks = new Chunks(connection);
  const encoder = new DaySumsEncoder();
  const days = connection.prepare<[], CheckedDay>(
    `select d.series, d.day_us as dayUs, d.dropped_us as droppedUs, s.sensor_id as sensor, d.body
     from day_sums as d
     left join series as s on s.series = d.series
     where d.body is not null
     order by d.series, d.day_us`,
  );

  for (const { series, dayUs: fromUs, droppedUs, body, sensor } of days.iterate()) {
    const toUs = fromUs + dayUs;
    const rangeText = rangeTextOf({ sensor, series, fromUs, toUs });
    if (droppedUs !== null) {
      if (readDroppedDay({ dayUs: fromUs, droppedUs, body })) continue;
      yield `the sums of dropped readings of ${rangeText}: they are damaged`;
      continue;
    }

    const sums = new QuarterSums();
    for (const part of chunks.read(series, fromUs, toUs)) sums.add(part);
    const areRight = fromUs % dayUs === 0 && encoder.encode(fromUs, sums.end()).equals(body);
    if (!areRight)
      yield `the sums of the readings of ${rangeText}: they are not those of the readings`;
  }
}

interface CheckedChunk extends CheckedRange {
  count: number;
  body: Uint8Array;
}

/** A sentence about each damaged chunk. */
export function* faultsOfChunks(connection: Connection): Generator<string> {
  const chunks = connection.prepare<[], CheckedChunk>(
    `select c.series, c.from_us as fromUs, c.to_us as toUs, c.count, s.sensor_id as sensor, c.body
     from chunks as c indexed by chunks_series
     left join series as s on s.series = c.series
     order by c.series, c.from_us`,
  );

  const memory = createReadings(usualSizes.full);
  let previousChunk: CheckedChunk | undefined;
  for (const chunk of chunks.iterate()) {
    const isInOrder = previousChunk?.series !== chunk.series || previousChunk.toUs < chunk.fromUs;
    const fault = isInOrder ? faultOf(chunk, memory) : 'they begin before those before them end';
    previousChunk = chunk;
    if (fault !== undefined) yield `the readings of ${rangeTextOf(chunk)}: ${fault}`;
  }
}

function rangeTextOf({ sensor, series, fromUs, toUs }: CheckedRange): string {
  const owner =
    sensor === null
      ? `the series ${series}`
      : `sensor ${quotedText(cutText(sensor, maxNameLength))}`;
  return `${owner} from ${instantText(fromUs)} to ${instantText(toUs)}`;
}

function instantText(instantUs: number): string {
  return Number.isSafeInteger(instantUs) ? formatInstantUs(instantUs) : 'no instant';
}

const maxNameLength = 60;

function faultOf(
  { fromUs, toUs, count, body, sensor }: CheckedChunk,
  memory: SeriesReadings,
): string | undefined {
  if (sensor === null) return 'there is no such sensor';
  try {
    const { atUs, values, qualities } = decodeChunk(body, count, memory);
    if (atUs[0] !== fromUs || atUs[count - 1] !== toUs)
      return 'they begin or end at another instant';
    let previousUs = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < count; index++) {
      const isKnown = (qualities[index] ?? 0) <= qualityNames.length;
      if (!isKnown || !Number.isFinite(values[index])) return 'one has a value that is none';
      const instantUs = atUs[index] ?? Number.NaN;
      if (!(instantUs > previousUs)) return 'they are not in order of time';
      previousUs = instantUs;
    }
    return undefined;
  } catch {
    return 'their bytes are damaged';
  }
}

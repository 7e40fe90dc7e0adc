import { qualities as qualityNames } from '../../../core/port/readings.ts';
import { dayUs, QuarterSums } from '../../../core/readings/reads/quarters.ts';
import { cutText, quotedText } from '../../../core/text/shown-text.ts';
import { formatInstantUs } from '../../../core/time/instants.ts';
import type { Connection } from '../driver.ts';
import { Chunks, usualSizes } from './chunks.ts';
import { decodeChunk } from './codec.ts';
import { DaySumsEncoder, readDroppedDay } from './day-sums-codec.ts';

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
  droppedUs: unknown;
  body: Uint8Array | null;
  sensor: unknown;
}

/** A sentence about each day whose sums are damaged, or not those of its readings. Its chunks must have passed their check. */
export function* faultsOfDaySums(connection: Connection): Generator<string> {
  const chunks = new Chunks(connection);
  const encoder = new DaySumsEncoder();
  const days = connection.prepare<[], CheckedDay>(
    `select d.series, d.day_us as dayUs, d.dropped_us as droppedUs, s.sensor_id as sensor,
       iif(typeof(d.body) = 'blob', d.body, null) as body
     from day_sums as d
     left join series as s on s.series = d.series
     where d.body is not null
     order by d.series, d.day_us`,
  );

  for (const { series, dayUs: day, droppedUs, body, sensor } of days.iterate()) {
    const dayStartUs = Number(day);
    if (droppedUs !== null) {
      if (readDroppedDay({ dayUs: day, droppedUs, body })) continue;
      yield `the sums of dropped readings of ${rangeTextOf({ sensor, series, fromUs: day, toUs: dayStartUs + dayUs })}: they are damaged`;
      continue;
    }
    const sums = new QuarterSums();
    const dayEndUs = dayStartUs + dayUs;
    for (const part of chunks.read(Number(series), dayStartUs, dayEndUs)) sums.add(part);

    const areRight =
      dayStartUs % dayUs === 0 &&
      body !== null &&
      encoder.encode(dayStartUs, sums.end()).equals(body);
    if (areRight) continue;

    const rangeText = rangeTextOf({ sensor, series, fromUs: day, toUs: dayEndUs });
    yield `the sums of the readings of ${rangeText}: they are not those of the readings`;
  }
}

/** Readings that are random numbers at random instants take as many bytes. */
const maxBodyBytes = 32 * usualSizes.full;

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
       iif(typeof(c.body) = 'blob' and length(c.body) <= ${maxBodyBytes}, c.body, null) as body
     from chunks as c indexed by chunks_series
     left join series as s on s.series = c.series
     order by c.series, c.from_us`,
  );

  let previousChunk: CheckedChunk | undefined;
  for (const chunk of chunks.iterate()) {
    const isInOrder =
      previousChunk === undefined ||
      previousChunk.series !== chunk.series ||
      Number(previousChunk.toUs) < Number(chunk.fromUs);
    const fault = isInOrder ? faultOf(chunk) : 'they begin before those before them end';
    previousChunk = chunk;
    if (fault !== undefined) yield `the readings of ${rangeTextOf(chunk)}: ${fault}`;
  }
}

type CheckedRange = Pick<CheckedChunk, 'sensor' | 'series' | 'fromUs' | 'toUs'>;

function rangeTextOf({ sensor, series, fromUs, toUs }: CheckedRange): string {
  const owner =
    typeof sensor === 'string'
      ? `sensor ${quotedText(cutText(sensor, maxNameLength))}`
      : `the series ${series}`;
  return `${owner} from ${instantText(fromUs)} to ${instantText(toUs)}`;
}

function instantText(instantUs: unknown): string {
  return Number.isSafeInteger(instantUs) ? formatInstantUs(Number(instantUs)) : 'no instant';
}

const maxNameLength = 60;

function faultOf({ fromUs, toUs, count, body, sensor }: CheckedChunk): string | undefined {
  if (sensor === null) return 'there is no such sensor';
  const readingCount = Number(count);
  if (!Number.isInteger(count) || readingCount < 1 || readingCount > usualSizes.full)
    return 'their number is none';
  if (body === null) return 'they are no bytes, or too many';

  try {
    const { atUs, values, qualities } = decodeChunk(body, readingCount);
    if (atUs[0] !== fromUs || atUs.at(-1) !== toUs) return 'they begin or end at another instant';
    let previousUs = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < atUs.length; index++) {
      const instantUs = Number(atUs[index]);
      if (!isReading(atUs[index], values[index], qualities[index]))
        return 'one has a value that is none';
      if (!(instantUs > previousUs)) return 'they are not in order of time';
      previousUs = instantUs;
    }
    return undefined;
  } catch {
    return 'their bytes are damaged';
  }
}

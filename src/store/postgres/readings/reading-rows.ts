import { setImmediate as immediate } from 'node:timers/promises';
import { within } from '../../../core/readings/instants.ts';
import {
  type DroppedDay,
  dayOf,
  endOfRead,
  isDropped,
  lastDropped,
  newestStarts,
  resume,
  withSums,
} from '../../../core/readings/reads/day-sums.ts';
import { type BackwardRequest, newestOf } from '../../../core/readings/reads/newest.ts';
import { isOfQuarters } from '../../../core/readings/reads/quarters.ts';
import {
  rangeOfSlice,
  type Slice,
  type SliceRange,
  type SliceRequest,
  sumUp,
  toSlice,
  type ValueBefore,
  wantsIncrease,
} from '../../../core/readings/reads/slices.ts';
import {
  createReadings,
  partBetween,
  partOf,
  type SeriesReadings,
} from '../../../core/readings/series-readings.ts';
import { readDroppedDay } from '../../sqlite-file/chunks/day-sums-codec.ts';
import type { Lane } from '../connection/database.ts';
import { entityOfSeries, numberOfSeries } from './writer/series-numbers.ts';

/** The readings as one text in Base64, since the driver has no binary results (decision 31). */
export const instantsAndValues = `encode(string_agg(float8send(at_us::float8) || float8send(value), ''), 'base64') as readings`;
const bytesOfReading = 16;
const rowsSql = `select at_us, value, quality from readings
  where entity = $1 and series = $2 and at_us >= $3 and at_us < $4 order by at_us limit $5`;
const summedSql = `select ${instantsAndValues} from (${rowsSql}) as r`;
const rangeSql = `select ${instantsAndValues}, encode(string_agg(int2send(quality), ''), 'base64') as qualities
  from (${rowsSql}) as r`;

/** The sums that retention has left of days, as JSON; `days` selects the rows. */
export const daysAsJson = (days: string) => `(
    select json_agg(json_build_object('dayUs', day_us, 'droppedUs', dropped_us, 'body', encode(body, 'base64')))
      from (${days}) as d) as days`;

export interface EncodedDay {
  dayUs: number;
  droppedUs: number;
  body: string;
}

/** Without what another program has written. */
export function toDays(encodedDays: readonly EncodedDay[] | null | undefined): DroppedDay[] {
  return (encodedDays ?? []).flatMap(({ body, ...day }) => {
    return readDroppedDay({ ...day, body: Buffer.from(body, 'base64') }) ?? [];
  });
}

/** Days whose sums are read at once. */
const daysInSlice = 50;

/** A single statement: with two, quarters that are dropped between them would be missing. */
const daysAndReadingsSql = `select r.*, ${daysAsJson(`select * from day_sums
    where entity = $1 and series = $2 and day_us >= $6 and day_us < $4
    order by day_us limit ${daysInSlice + 1}`)}
  from (${summedSql}) as r`;

/** The last reading before a range, and the last days with dropped ones. */
const beforeSql = `select r.*, ${daysAsJson(`select * from day_sums
    where entity = $1 and series = $2 and day_us < $4
    order by day_us desc limit 2`)}
  from (select max(at_us) as "atUs", max(value) as value from (
    select at_us, value from readings
      where entity = $1 and series = $2 and at_us < $3
      order by at_us desc limit 1) as l) as r`;
/** Quarters that narrower buckets leave out count as well, up to the first reading. */
const firstReadingSql = `select at_us as "atUs" from readings
  where entity = $1 and series = $2 and at_us >= $3 and at_us < $4
  order by at_us limit 1`;

interface LastBefore {
  atUs: number | null;
  value: number | null;
  days: EncodedDay[] | null;
}

async function readValueBefore(
  lane: Lane,
  request: SliceRequest,
): Promise<ValueBefore | undefined> {
  if (!wantsIncrease(request)) return undefined;
  const { series, fromUs, toUs } = rangeOfSlice(request);
  const key = [entityOfSeries(series), numberOfSeries(series), fromUs];
  let droppedUs = fromUs;
  if (!isOfQuarters(request)) {
    const [firstReading] = await lane.query<{ atUs: number }>(firstReadingSql, [...key, toUs]);
    droppedUs = firstReading?.atUs ?? fromUs;
  }
  const [before] = await lane.query<LastBefore>(beforeSql, [...key, droppedUs]);
  const last = toDays(before?.days)
    .map((day) => lastDropped(day, droppedUs))
    .find((reading) => reading !== undefined);
  const isDroppedNewer = last !== undefined && last.atUs >= (before?.atUs ?? last.atUs);
  return () => (isDroppedNewer ? last.value : (before?.value ?? undefined));
}

interface EncodedReadings {
  readings: string | null;
  /** Absent for readings that are summed up. */
  qualities?: string | null;
}

type DaysAndReadings = EncodedReadings & { days: EncodedDay[] | null };

export async function readRange(lane: Lane, range: SliceRange): Promise<SeriesReadings> {
  const [encoded] = await lane.query<EncodedReadings>(rangeSql, valuesOf(range));
  return decodeReadings(encoded);
}

async function readWithoutQualities(lane: Lane, range: SliceRange): Promise<SeriesReadings> {
  const [encoded] = await lane.query<EncodedReadings>(summedSql, valuesOf(range));
  return decodeReadings(encoded);
}

/** Each day has at least one quarter. */
const backwardSql = `select encode(string_agg(float8send(at_us::float8), '' order by at_us), 'base64') as at_us, ${daysAsJson(
  `select * from day_sums
    where $6 and entity = $1 and series = $2 and day_us >= $7 and day_us < $4
    order by day_us desc limit $5`,
)}
  from (select at_us from readings
    where entity = $1 and series = $2 and at_us >= $3 and at_us < $4
    order by at_us desc limit $5) as r`;

/** The newest instants of a step of a search backward, in order of time. */
export async function readBackward(lane: Lane, request: BackwardRequest): Promise<Float64Array> {
  const { beforeUs, limit } = request;
  const values = [
    ...valuesOf({ ...request, toUs: beforeUs }),
    request.isOfQuarters,
    firstDayOf(request.fromUs),
  ];
  const [encoded] = await lane.query<{ at_us: string | null; days: EncodedDay[] | null }>(
    backwardSql,
    values,
  );
  const instants = encoded?.at_us ? toDoubles(encoded.at_us) : new Float64Array(0);
  return newestOf(instants, newestStarts(toDays(encoded?.days), request), limit);
}

/** The most rows of one statement: where a connection takes 200 ms, each statement counts (decision 31). */
const mostRows = 8000;

/** Reads a slice, with the sums of dropped readings if it can have them. */
export async function readSlice(lane: Lane, sliceRequest: SliceRequest): Promise<Slice> {
  const { buckets } = sliceRequest;
  if (!buckets || !isOfQuarters(sliceRequest)) return readPart(lane, sliceRequest);
  // Few of the rows become text, so that all of them are summed up at once.
  const request = { ...sliceRequest, most: mostRows };
  const firstPart = await readDaysAndReadings(lane, request);
  const resumed = { ...request, ...resume(request, (us) => isDropped(firstPart.days, us)) };
  const isSameStart = resumed.fromUs === request.fromUs;
  const { readings, days } = isSameStart ? firstPart : await readDaysAndReadings(lane, resumed);

  const range = rangeOfSlice(resumed);
  const readingsEndUs = endOfRead(readings, range, (us) => isDropped(days, us));
  const daysEndUs = days[daysInSlice]?.dayUs;
  const ends = [readingsEndUs ?? range.toUs, daysEndUs ?? range.toUs];
  const toUs = Math.min(...ends);
  const parts = withSums({ ...range, toUs }, days, (fromUs, endUs) => {
    const part = partBetween(readings, fromUs, endUs);
    return part.count > 0 ? [part] : [];
  });
  return sumUp(resumed, buckets, parts, {
    valueBefore: await readValueBefore(lane, resumed),
    endUs: toUs < range.toUs ? toUs : null,
  });
}

/** Statements in progress for one request: the server works on the next ones while the main thread sums up. */
const statementsAtOnce = 4;

/** Reads the slices of several series; see `ReadSlices`. A series that its first slice has not ended is read on alone. */
export async function readSlices(lane: Lane, requests: readonly SliceRequest[]): Promise<Slice[]> {
  const [current] = requests;
  const isBegun = current?.fromUs !== current?.beganUs;
  const readAtOnce = requests.slice(0, isBegun ? 1 : statementsAtOnce);
  const readAhead = await Promise.all(readAtOnce.map((request) => readSlice(lane, request)));

  const slices: Slice[] = [];
  let { limit = 0 } = current ?? {};
  for (const slice of readAhead) {
    // It was read as if no rows had come before it.
    if (slices.length > 0 && slice.count >= limit) break;
    slices.push(slice);
    limit -= slice.count;
    if (slice.nextUs !== null || limit === 0) break;
  }

  // Readings of series that the limit leaves out are charged with the last one.
  const leftOut = readAhead.slice(slices.length);
  const lastSlice = slices.at(-1);
  if (lastSlice) lastSlice.scanned += leftOut.reduce((sum, slice) => sum + readingsIn(slice), 0);
  return slices;
}

function readingsIn({ scanned, ahead }: Slice): number {
  return scanned + (ahead?.count ?? 0);
}

/** Reads a slice out of the rows that were read ahead, or reads those of the next slices, too. */
async function readPart(lane: Lane, request: SliceRequest): Promise<Slice> {
  const range = rangeOfSlice(request);
  const { limit } = range;
  let { ahead } = request;

  const isAheadUsed = ahead?.atUs[0] === range.fromUs && (ahead.isAll || ahead.count >= limit);
  if (!ahead || !isAheadUsed) {
    const readAhead = request.buckets ? readWithoutQualities : readRange;
    const rowLimit = aheadOf(request, limit);
    const readings = await readAhead(lane, { ...range, limit: rowLimit });
    ahead = { ...readings, isAll: readings.count < rowLimit };
  } else {
    // Requests that have arrived meanwhile come first: no statement lets the event loop go on here.
    await immediate();
  }

  const valueBefore = await readValueBefore(lane, request);
  const slice = toSlice(request, [ahead], { valueBefore });
  if (slice.nextUs === null) return slice;
  return { ...slice, ahead: { ...partOf(ahead, slice.scanned), isAll: ahead.isAll } };
}

/** The number of rows to read at once for a slice and those after it; one more shows that the last of them is whole. */
function aheadOf(request: SliceRequest, sliceLimit: number): number {
  const aheadLimit = request.buckets ? mostRows : Math.min(request.limit, mostRows);
  return Math.max(sliceLimit, aheadLimit + 1);
}

async function readDaysAndReadings(lane: Lane, request: SliceRequest) {
  const range = rangeOfSlice(request);
  const values = [...valuesOf(range), firstDayOf(range.fromUs)];
  const [encoded] = await lane.query<DaysAndReadings>(daysAndReadingsSql, values);
  return { readings: decodeReadings(encoded), days: toDays(encoded?.days) };
}

/** The first day that has a part in a range. */
export function firstDayOf(fromUs: number): number {
  return within(dayOf(within(fromUs)));
}

function valuesOf({ series, fromUs, toUs, limit }: SliceRange): number[] {
  return [entityOfSeries(series), numberOfSeries(series), fromUs, toUs, limit];
}

export function decodeReadings(encoded: EncodedReadings | undefined): SeriesReadings {
  const bytes = Buffer.from(encoded?.readings ?? '', 'base64');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const readings = createReadings(bytes.length / bytesOfReading);

  for (let offset = 0; offset < bytes.length; offset += bytesOfReading) {
    const index = readings.count++;
    readings.atUs[index] = view.getFloat64(offset);
    readings.values[index] = view.getFloat64(offset + 8);
  }
  if (encoded?.qualities) readings.qualities.set(toSmallIntegers(encoded.qualities));

  return readings;
}

function toSmallIntegers(base64: string): Uint16Array {
  const bytes = Buffer.from(base64, 'base64').swap16();
  // A copy, since the buffer may begin at any place of a larger one.
  return new Uint16Array(new Uint8Array(bytes).buffer);
}

function toDoubles(base64: string): Float64Array {
  const bytes = Buffer.from(base64, 'base64').swap64();
  return new Float64Array(new Uint8Array(bytes).buffer);
}

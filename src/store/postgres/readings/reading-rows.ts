import { setImmediate as immediate } from 'node:timers/promises';
import { type Columns, createColumns, type Piece, partOf } from '../../../core/readings/columns.ts';
import type { BackwardRequest } from '../../../core/readings/reads/newest.ts';
import {
  endOfTimeUs,
  rangeOfSlice,
  type Slice,
  type SliceRange,
  type SliceRequest,
} from '../../../core/readings/reads/slice-request.ts';
import { toSlice } from '../../../core/readings/reads/slices.ts';
import {
  type HourRow,
  hoursOfSlice,
  resume,
  usesSummaries,
} from '../../../core/readings/reads/summaries.ts';
import type { Lane } from '../connection/pool.ts';
import { entityOfSeries, numberOfSeries } from './writer/series-numbers.ts';

/**
 * One row with the bytes of each column as one text in Base64: of decimal texts, the server needs three times as long to write
 * them and the main thread twenty times as long to read them; of a row each, still longer. The driver has no binary results.
 */
const columnsSql = ['at_us', 'value', 'quality']
  .map((column) => `encode(string_agg(float8send(${column}::float8), ''), 'base64') as ${column}`)
  .join(', ');
const rowsSql = `select at_us, value, quality from readings
  where entity = $1 and series = $2 and at_us >= $3 and at_us < $4 order by at_us limit $5`;
const rangeSql = `select ${columnsSql} from (${rowsSql}) as r`;

/** In one statement, or hours that are dropped between two would be missing. */
const summarisedSql = `select r.*, (
    select last_at_us from summaries where entity = $1 and series = $2 order by hour_us desc limit 1) as "summarisedUs", (
    select json_agg(json_build_object('hourUs', hour_us, 'count', count, 'min', min, 'max', max, 'mean', mean, 'last', last,
      'lastAtUs', last_at_us))
      from (select * from summaries where entity = $1 and series = $2 and hour_us >= $6 and hour_us < $4
        and first_at_us >= $3 and last_at_us < $4 order by hour_us limit $7) as h) as hours
  from (select ${columnsSql} from (${rowsSql}) as r) as r`;

type EncodedColumns = Record<'at_us' | 'value' | 'quality', string | null>;
type SummarisedColumns = EncodedColumns & { summarisedUs: number | null; hours: HourRow[] | null };

export async function readColumns(lane: Lane, range: SliceRange): Promise<Columns> {
  const [encoded] = await lane.query<EncodedColumns>(rangeSql, valuesOf(range));
  return toColumns(encoded);
}

const backwardSql = `select encode(string_agg(float8send(at_us::float8), '' order by at_us), 'base64') as at_us from (
    (select at_us from readings
      where entity = $1 and series = $2 and at_us >= $3 and at_us < $4 order by at_us desc limit $5)
    union (select hour_us from summaries where entity = $1 and series = $2 and hour_us >= $6 and hour_us < $4
      and first_at_us >= $3 and last_at_us < $7 order by hour_us desc limit $5)) as r`;

/** The newest instants of a step of a search backward, in order of time. */
export async function readBackward(lane: Lane, request: BackwardRequest): Promise<Float64Array> {
  const { beforeUs, toUs, limit, firstHourUs = endOfTimeUs } = request;
  const values = [...valuesOf({ ...request, toUs: beforeUs }), firstHourUs, toUs];
  const [encoded] = await lane.query<Pick<EncodedColumns, 'at_us'>>(backwardSql, values);
  const instants = encoded?.at_us ? toDoubles(encoded.at_us) : new Float64Array(0);
  return instants.subarray(Math.max(0, instants.length - limit));
}

/**
 * The most rows of one statement: a page of 100,000 waits for the server 13 times, and no request waits longer than it takes to
 * write as many buckets of one row.
 */
const mostRows = 8_000;

/** Reads a slice, with the summaries of dropped readings if it can have them. */
export async function readSlice(lane: Lane, sliceRequest: SliceRequest): Promise<Slice> {
  if (!usesSummaries(sliceRequest)) return readPart(lane, sliceRequest);
  // Few of the rows become text, so that all of them are summed up at once.
  const request = { ...sliceRequest, most: mostRows };
  const firstPart = await readSummarised(lane, request);
  const { summarisedUs } = firstPart;
  const resumed =
    summarisedUs === null ? request : { ...request, ...resume(request, summarisedUs) };
  const last = resumed.fromUs === request.fromUs ? firstPart : await readSummarised(lane, resumed);
  return toSlice(resumed, [pieceOf(last.columns)], {
    ...last,
    summarisedUs: last.summarisedUs ?? summarisedUs,
  });
}

/** Reads a slice out of the rows that were read ahead, or reads those of the next slices, too. */
async function readPart(lane: Lane, request: SliceRequest): Promise<Slice> {
  const range = rangeOfSlice(request);
  const { limit } = range;
  let { ahead } = request;
  if (!ahead || ahead.count < limit || ahead.atUs[0] !== range.fromUs) {
    ahead = await readColumns(lane, { ...range, limit: aheadOf(request, limit) });
  } else {
    // What has arrived meanwhile comes first: no statement lets the event loop go on here.
    await immediate();
  }
  const slice = toSlice(request, [pieceOf(ahead)]);
  return slice.nextUs === null
    ? slice
    : { ...slice, ahead: partOf(ahead, slice.scanned, ahead.count) };
}

function pieceOf(columns: Columns): Piece {
  return { columns, from: 0, to: columns.count };
}

/** The number of rows to read at once for a slice and those after it. */
function aheadOf({ buckets, limit: page }: SliceRequest, limit: number): number {
  return buckets ? mostRows : Math.max(limit, Math.min(page + 1, mostRows));
}

async function readSummarised(lane: Lane, request: SliceRequest) {
  const { firstHourUs, limit } = hoursOfSlice(request);
  const values = [...valuesOf(rangeOfSlice(request)), firstHourUs, limit];
  const [encoded] = await lane.query<SummarisedColumns>(summarisedSql, values);
  return {
    columns: toColumns(encoded),
    hours: encoded?.hours ?? [],
    summarisedUs: encoded?.summarisedUs ?? null,
  };
}

function valuesOf({ series, fromUs, toUs, limit }: SliceRange): number[] {
  return [entityOfSeries(series), numberOfSeries(series), fromUs, toUs, limit];
}

function toColumns(encoded: EncodedColumns | undefined): Columns {
  if (!encoded?.at_us || !encoded.value || !encoded.quality) return createColumns(0);
  const atUs = toDoubles(encoded.at_us);
  const qualities = Uint8Array.from(toDoubles(encoded.quality));
  return { count: atUs.length, atUs, values: toDoubles(encoded.value), qualities };
}

function toDoubles(base64: string): Float64Array {
  const bytes = Buffer.from(base64, 'base64').swap64();
  // A copy, since the buffer may begin at any place of a larger one.
  return new Float64Array(new Uint8Array(bytes).buffer);
}

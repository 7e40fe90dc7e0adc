import type { Domain } from '../core/actors.ts';
import { sha256 } from '../core/digest.ts';
import { HkctlError } from '../core/errors.ts';
import type { ResourceDefinition } from '../core/fields.ts';
import { formatInstantUs } from '../core/instants.ts';
import { readLimit, requireKnown, wrongValue } from '../core/pages.ts';
import { instantUs } from '../core/readings.ts';
import { sensorById } from '../core/sensors.ts';
import { parseSpanMs } from '../core/settings.ts';
import { type Aggregate, aggregates, type Reading, type ReadingBucket, type Sensor } from '../core/store.ts';
import type { Exchange } from './exchange.ts';
import type { Session } from './gate.ts';
import type { Budget } from './memory.ts';
import { represent, toRepresentation } from './page-cache.ts';
import { parseQuery } from './query.ts';
import { type Links, notFound } from './records.ts';

export const readingsLimit = { default: 1000, max: 100_000 } as const;
export const readingsParameters = ['from', 'to', 'limit', 'cursor', 'bucket', 'agg'] as const;
const allowed = new Map<string, unknown>(readingsParameters.map((name) => [name, name]));

/** The types that readings are given in. */
export const readingsTypes = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
type ReadingsType = (typeof readingsTypes)[number];

interface ReadingsQuery {
  fromUs: number | undefined;
  toUs: number | undefined;
  limit: number;
  cursor: string | undefined;
  bucketUs: number | undefined;
  aggregates: readonly Aggregate[];
}

/** So many rows are read and written at once before others get their turn. */
const sliceRows = 5000;

/** `GET /sensors/{id}/readings`: readings, or their sums in buckets, in order of time, as JSON, NDJSON or CSV. */
export function createReadingsHandler(domain: Domain, resource: ResourceDefinition, answers: Budget, links: Links) {
  return async (exchange: Exchange, session: Session) => {
    const query = readQuery(exchange.query);
    const type = typeFor(exchange.header('accept'));
    const name = exchange.parameter('id');
    const directory = await domain.store.readings.directory(session.scope.entityId);
    // In a path an id is the id of that record; a code is taken as well.
    const sensor = name === undefined ? undefined : (sensorById(directory, name) ?? directory.get(name));
    if (sensor === undefined) throw notFound(resource);

    const tie = tieOf(query, sensor);
    let fromUs = query.cursor === undefined ? query.fromUs : readCursor(query.cursor, tie);
    let left = query.limit;
    // As much as it may become; what it does not need is given back once that is known.
    exchange.answerRoom = await answers.reserve(query.limit * longestLine(query), session.principal.keyId);
    const slices: Buffer[] = [];
    let next: number | null = null;
    do {
      const wanted = Math.min(sliceRows, left);
      const rows = await readSlice(domain, sensor.series, { ...query, fromUs }, wanted + 1);
      const lines = rows.slice(0, wanted).map((row) => toLine(row, type, query));
      const isContinued = type === 'application/json' && slices.length > 0 && lines.length > 0;
      slices.push(Buffer.from((isContinued ? ',' : '') + lines.join(type === 'application/json' ? ',' : ''), 'latin1'));
      next = rows[wanted]?.atUs ?? null;
      fromUs = next ?? fromUs;
      left -= wanted;
      // Others are served between two slices: a hundred thousand rows take longer than they should wait.
      if (next !== null && left > 0) await new Promise((resolve) => setImmediate(resolve));
    } while (next !== null && left > 0);
    const cursor = next === null ? null : cursorAt(next, tie);
    const headers = links(exchange, cursor);
    const body = toBody(slices, type, query, cursor);
    return represent(exchange, toRepresentation(body, { type, headers, vary: 'Authorization, Accept' }));
  };
}

function readSlice(domain: Domain, series: number, query: ReadingsQuery, limit: number) {
  const { fromUs, toUs, bucketUs } = query;
  const range = { series, fromUs, toUs, limit };
  const { readings } = domain.store;
  if (bucketUs === undefined) return readings.range(range);
  return readings.buckets({ ...range, bucketUs, aggregates: query.aggregates });
}

// --- the query ----------------------------------------------------------------------------------------------------

function readQuery(text: string): ReadingsQuery {
  const given = requireKnown(parseQuery(text), allowed);
  const bucket = given.get('bucket');
  const agg = given.get('agg');
  if (agg !== undefined && bucket === undefined) {
    throw new HkctlError('bad_parameter', 'agg goes with bucket: give bucket=5m, for example.');
  }
  return {
    fromUs: readInstant('from', given.get('from')),
    toUs: readInstant('to', given.get('to')),
    limit: readLimit(given.get('limit'), readingsLimit),
    cursor: given.get('cursor'),
    bucketUs: bucket === undefined ? undefined : readBucketUs(bucket),
    aggregates: agg === undefined ? ['avg'] : readAggregates(agg),
  };
}

function readInstant(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const us = instantUs(/^-?\d{1,15}$/.test(text) ? Number(text) : text.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (us === undefined) {
    throw wrongValue(name, text, 'an RFC 3339 instant with an offset, or whole epoch milliseconds');
  }
  return us;
}

function readBucketUs(text: string): number {
  const ms = /^[1-9]\d{0,5}[smhdw]$/.test(text) ? parseSpanMs(text) : Number.POSITIVE_INFINITY;
  if (ms > longestBucketMs) throw wrongValue('bucket', text, 'a span such as 30s, 5m, 1h or 1d, at most 36500d');
  return ms * 1000;
}

const longestBucketMs = 36_500 * 86_400_000;

function readAggregates(text: string): Aggregate[] {
  const wanted = text.split(',');
  const known = aggregates.filter((aggregate) => wanted.includes(aggregate));
  if (known.length !== wanted.length) {
    throw wrongValue('agg', text, `some of ${aggregates.join(', ')}, each once, joined by commas`);
  }
  return known;
}

// --- the cursor: the instant at which the next page starts, tied to the rest of the query ------------------------------

function cursorAt(us: number, tie: string): string {
  return Buffer.from(`${us}.${tie}`).toString('base64url');
}

function readCursor(cursor: string, wanted: string): number {
  const [us = '', tie] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (!/^-?\d{1,17}$/.test(us)) throw wrongValue('cursor', cursor, 'the next_cursor of the page before, as it is');
  if (tie !== wanted) {
    throw new HkctlError('bad_parameter', 'This cursor belongs to another query: repeat all other parameters with it.');
  }
  return Number(us);
}

/** What says which rows there are, however it is written; the limit may change from page to page. */
function tieOf({ fromUs, toUs, bucketUs, aggregates: wanted }: ReadingsQuery, { series }: Sensor): string {
  return sha256([series, fromUs, toUs, bucketUs, wanted].join(' '), 'base64url').slice(0, 12);
}

// --- the text -----------------------------------------------------------------------------------------------------

type Row = Reading | ReadingBucket;

function toLine(row: Row, type: ReadingsType, { bucketUs, aggregates: wanted }: ReadingsQuery): string {
  const at = formatInstantUs(row.atUs);
  if (type === 'text/csv') return `${[at, ...cellsOf(row, bucketUs, wanted)].join(',')}\n`;
  const object =
    'value' in row
      ? `{"at":"${at}","value":${row.value}${row.quality === null ? '' : `,"quality":"${row.quality}"`}}`
      : `{"at":"${at}"${wanted.map((name) => `,"${name}":${row[name] ?? null}`).join('')}}`;
  return type === 'application/json' ? object : `${object}\n`;
}

function cellsOf(row: Row, bucketUs: number | undefined, wanted: readonly Aggregate[]): (string | number)[] {
  if ('value' in row) return [row.value, row.quality ?? ''];
  return bucketUs === undefined ? [] : wanted.map((name) => row[name] ?? '');
}

function toBody(slices: readonly Buffer[], type: ReadingsType, query: ReadingsQuery, cursor: string | null): Buffer {
  if (type === 'application/x-ndjson') return Buffer.concat(slices);
  if (type === 'text/csv') {
    const columns = query.bucketUs === undefined ? ['value', 'quality'] : query.aggregates;
    return Buffer.concat([Buffer.from(`${['at', ...columns].join(',')}\n`), ...slices]);
  }
  const end = `],"next_cursor":${cursor === null ? 'null' : `"${cursor}"`}}`;
  return Buffer.concat([Buffer.from('{"data":['), ...slices, Buffer.from(end)]);
}

/** Bytes that a row takes at most: its instant, and each number with its name. */
function longestLine({ bucketUs, aggregates: wanted }: ReadingsQuery): number {
  return bucketUs === undefined ? 96 : 48 + 34 * wanted.length;
}

/**
 * The type to answer in: the one most welcome, of equals the one named first; JSON where none is. What is named by itself
 * counts before a wildcard (RFC 9110, section 12.5.1).
 */
function typeFor(accept: string | undefined): ReadingsType {
  if (accept === undefined || accept === '*/*') return 'application/json';
  const ranges = accept.toLowerCase().split(',').map(readRange);
  const offers = readingsTypes.map((type) => {
    const names = [type, type.replace(/[^/]*$/, '*'), '*/*'];
    const places = names.map((range) => ranges.findIndex(({ name }) => name === range));
    const place = places.find((index) => index !== -1) ?? -1;
    return { type, place, weight: ranges[place]?.weight ?? 0 };
  });
  const [best] = offers.sort((a, b) => b.weight - a.weight || a.place - b.place);
  return best && best.weight > 0 ? best.type : 'application/json';
}

function readRange(part: string): { name: string; weight: number } {
  const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1) || 0;
  return { name: name === 'application/ndjson' ? 'application/x-ndjson' : name, weight };
}

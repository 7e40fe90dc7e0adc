import type { Domain } from '../../core/access/actors.ts';
import { sha256 } from '../../core/digest.ts';
import { HkctlError } from '../../core/errors.ts';
import { parseSpanMs } from '../../core/operations/settings.ts';
import {
  type Aggregate,
  aggregates,
  type BucketRequest,
  type ReadingText,
  type Sensor,
} from '../../core/port/readings.ts';
import { instantUs } from '../../core/readings/instants.ts';
import { columnsOf, longestRow } from '../../core/readings/reading-text.ts';
import { sensorById } from '../../core/readings/sensors.ts';
import { fingerprint, readCursor, writeCursor, wrongCursor } from '../../core/records/cursors.ts';
import type { ResourceDefinition } from '../../core/records/fields.ts';
import { readLimit, requireKnown, wrongValue } from '../../core/records/parameters.ts';
import type { Gate, Session } from '../auth/gate.ts';
import type { CostlyWork } from '../fairness/costly-work.ts';
import { Departures } from '../fairness/departures.ts';
import { FairLine } from '../fairness/fair-line.ts';
import type { Budget } from '../fairness/memory.ts';
import { represent, toRepresentation } from '../request/caching.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseQuery } from '../request/query.ts';
import type { Answer } from '../request/response.ts';
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
  buckets: BucketRequest | undefined;
}

/** One request of the limit covers the reading of so many readings, whether they are written or summed up. */
export const readingsPerRequest = 10_000;

/** What the handler shares with all others. */
export interface ReadingsOptions {
  answers: Budget;
  links: Links;
  work: CostlyWork;
  /** Counts more requests against a key, see `Gate`. */
  charge: Gate['charge'];
}

/** `GET /sensors/{id}/readings`: readings, or their sums in buckets, in order of time, as JSON, NDJSON or CSV. */
export function createReadingsHandler(domain: Domain, resource: ResourceDefinition, options: ReadingsOptions) {
  const { answers, links, work, charge } = options;
  const { readings } = domain.store;
  const departures = new Departures();
  const coding = new FairLine();
  return async (exchange: Exchange, session: Session): Promise<Answer> => {
    const query = readQuery(exchange.query);
    const type = typeFor(exchange.header('accept'));
    const name = exchange.parameter('id');
    const directory = await readings.directory(session.scope.entityId);
    // In a path an id is the id of that record; a code is taken as well.
    const sensor = name === undefined ? undefined : (sensorById(directory, name) ?? directory.get(name));
    if (sensor === undefined) throw notFound(resource);

    const tie = tieOf(query, sensor);
    const { limit, toUs, buckets } = query;
    const fromUs = query.cursor === undefined ? query.fromUs : readStart(query.cursor, tie);
    const request = { series: sensor.series, fromUs, toUs, limit, buckets, format: formats[type] };
    const owner = session.principal.keyId;
    const metered = createMeter((more) => charge(exchange, session, more));
    const read = async (signal: AbortSignal | undefined): Promise<ReadingText | undefined> => {
      // As much as it may become; what it does not need is given back once that is known.
      exchange.answerReservation = await answers.reserve(limit * longestRow(buckets), exchange.keyPrefix);
      try {
        return await work.run(owner, () => readings.text(request, { owner, signal, charge: metered }));
      } catch (thrown) {
        if (signal?.aborted) return undefined;
        throw thrown;
      }
    };
    const text = await departures.during(exchange, read);
    if (text === undefined) return nobody;
    const cursor = text.nextUs === null ? null : writeCursor(tie, [text.nextUs]);
    const { head, end } = frameOf(type, query, cursor);
    const representation = toRepresentation(Buffer.concat([Buffer.from(head), ...text.pieces, Buffer.from(end)]), {
      type,
      // The pieces were hashed where they were read: hashing megabytes here would hold up others.
      tag: sha256([head, text.digest, end].join(), 'base64url').slice(0, 22),
      headers: links(exchange, cursor),
      vary: 'Authorization, Accept',
      whenToCode: (code) => coding.run(owner, code),
    });
    return represent(exchange, representation);
  };
}

/** What is logged where the client went away: nobody gets it. nginx writes the same status. */
const nobody: Answer = { status: 499, headers: [], body: null };

/** Counts what a read costs beyond the one request that let it in: one more for each further 10,000 readings begun. */
function createMeter(charge: (more: number) => void): (readings: number) => void {
  let readings = 0;
  let charged = 1;
  return (more) => {
    readings += more;
    const cost = Math.max(1, Math.ceil(readings / readingsPerRequest));
    if (more === 0 || cost > charged) charge(cost - charged);
    charged = cost;
  };
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
    buckets: bucket === undefined ? undefined : { widthUs: readBucketUs(bucket), aggregates: readAggregates(agg) },
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

function readAggregates(text: string | undefined): Aggregate[] {
  if (text === undefined) return ['avg'];
  const wanted = text.split(',');
  const known = aggregates.filter((aggregate) => wanted.includes(aggregate));
  if (known.length !== wanted.length) {
    throw wrongValue('agg', text, `some of ${aggregates.join(', ')}, each once, joined by commas`);
  }
  return known;
}

// --- the cursor: the instant at which the next page starts, tied to the rest of the query ------------------------------

function readStart(cursor: string, tie: string): number {
  const [us, ...rest] = readCursor(cursor, tie);
  if (rest.length > 0 || !Number.isSafeInteger(us)) throw wrongCursor(cursor);
  return us as number; // a safe integer
}

/** What says which rows there are, however it is written; the limit may change from page to page. */
function tieOf({ fromUs, toUs, buckets }: ReadingsQuery, { series }: Sensor): string {
  return fingerprint([series, fromUs, toUs, buckets?.widthUs, buckets?.aggregates]);
}

// --- the text -----------------------------------------------------------------------------------------------------

const formats = { 'application/json': 'json', 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;

/** What stands before and after the rows. */
function frameOf(type: ReadingsType, { buckets }: ReadingsQuery, cursor: string | null): { head: string; end: string } {
  if (type === 'application/x-ndjson') return { head: '', end: '' };
  if (type === 'text/csv') return { head: `${columnsOf(buckets).join(',')}\n`, end: '' };
  return { head: '{"data":[', end: `],"next_cursor":${cursor === null ? 'null' : `"${cursor}"`}}` };
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

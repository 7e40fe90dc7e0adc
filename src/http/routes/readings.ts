import { sha256 } from '../../core/digest.ts';
import { HkctlError } from '../../core/errors.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import {
  type Aggregate,
  aggregates,
  type BucketRequest,
  type ReadingText,
  type Sensor,
} from '../../core/port/readings.ts';
import { meaningOf } from '../../core/readings/instant-faults.ts';
import { instantUs, isBelowEpochMs, meaningOfDigits } from '../../core/readings/instants.ts';
import { columnsOf, longestRow } from '../../core/readings/reading-text.ts';
import { type BucketCalendar, parseBucket } from '../../core/readings/reads/bucket-spans.ts';
import { findSensor } from '../../core/readings/sensors.ts';
import { fingerprint, readCursor, writeCursor, wrongCursor } from '../../core/records/cursors.ts';
import {
  readingPageLimit,
  readLimit,
  requireKnown,
  wrongValue,
} from '../../core/records/parameters.ts';
import { FairScheduler } from '../../core/sharing/fair-scheduler.ts';
import { Spares } from '../../core/sharing/spares.ts';
import { startOfDayMs } from '../../core/time/calendar.ts';
import { boundedUs, isDate } from '../../core/time/instants.ts';
import { meantInstant, orMean } from '../../core/time/meant-values.ts';
import type { Answer } from '../answers/answer.ts';
import type { Session } from '../auth/credential-cache.ts';
import { mediaTypeFor } from '../request/accept.ts';
import { represent, toRepresentation } from '../request/caching.ts';
import { type Exchange, whenOver } from '../request/exchange.ts';
import { parseQuery } from '../request/query.ts';
import { notFound, type Reading } from './records.ts';

const readingsParameters = ['from', 'to', 'limit', 'cursor', 'bucket', 'agg'] as const;
const allowed = new Map<string, unknown>(readingsParameters.map((name) => [name, name]));

const readingsTypes = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
type ReadingsType = (typeof readingsTypes)[number];

interface ReadingsQuery {
  fromUs: number | undefined;
  toUs: number | undefined;
  limit: number;
  cursor: string | undefined;
  buckets: BucketRequest | undefined;
}

/** One request of the limit covers this many readings, whether they are written or aggregated. */
const readingsPerRequest = 10_000;

/** `GET /sensors/{id}/readings`: readings or their aggregates by bucket, in order of time, as JSON, NDJSON or CSV. */
export function createReadingsHandler(
  resource: ResourceDefinition,
  { domain, answers, links, slices, charge }: Reading,
) {
  const { readings } = domain.store;
  const coding = new FairScheduler(1);
  const spares = new Spares((bytes) => Buffer.allocUnsafeSlow(bytes), sparesBytes);
  return async (exchange: Exchange, session: Session): Promise<Answer> => {
    const query = readQuery(exchange.query, session.scope);
    const type = mediaTypeFor(exchange.header('accept'), readingsTypes);
    const name = exchange.parameter('id');
    const directory = await readings.directory(session.scope.entityId);
    const sensor = name === undefined ? undefined : findSensor(directory, name);
    if (sensor === undefined) throw notFound(resource);

    const digest = queryDigest(query, sensor);
    const { limit, toUs, buckets } = query;
    const fromUs = query.cursor === undefined ? query.fromUs : readStart(query.cursor, digest);
    const margins = { before: headOf(type, query).length, after: longestEnd };
    const request = {
      series: sensor.series,
      fromUs,
      toUs,
      limit,
      buckets,
      format: formats[type],
      margins,
    };
    const owner = session.principal.keyId;
    const metered = createMeter((more) => charge(exchange, session, more));
    const gone = new AbortController();
    whenOver(exchange.node, () => gone.abort());
    const { signal } = gone;
    const taken: Buffer<ArrayBuffer>[] = [];
    const memory = (bytes: number) => {
      const bodyMemory = spares.take(bytes);
      taken.push(bodyMemory);
      return bodyMemory;
    };
    let found: ReadingText;
    try {
      // Reserves the largest possible answer; the rest is released once the length is known.
      exchange.answerReservation = await answers.reserve(
        limit * longestRow(buckets),
        exchange.keyPrefix,
      );
      found = await slices.call(owner, () =>
        readings.text(request, { owner, signal, charge: metered, memory }),
      );
    } catch (thrown) {
      if (signal.aborted) return clientGone;
      throw thrown;
    }
    // Only now is it certain that nothing is written into it any more.
    whenOver(exchange.node, () => {
      for (const bodyMemory of taken) spares.give(bodyMemory, bodyMemory.length);
    });
    const { text, nextUs, digest: ofText } = found;
    const cursor = nextUs === null ? null : writeCursor(digest, [nextUs]);
    const [head, end] = [headOf(type, query), endOf(type, cursor)];
    const body = Buffer.from(text.buffer, text.byteOffset, text.length - longestEnd + end.length);
    body.write(head, 0, 'latin1');
    body.write(end, body.length - end.length, 'latin1');
    const representation = toRepresentation(body, {
      type,
      // The reader thread hashed the pieces: hashing megabytes here would delay other requests.
      tag: sha256([head, ofText, end].join(), 'base64url').slice(0, 22),
      headers: links(exchange, cursor),
      vary: 'Authorization, Accept',
      whenToCode: (code) => coding.run(owner, code),
    });
    return represent(exchange, representation);
  };
}

/** Memory for large answers that is kept for the next ones. */
const sparesBytes = 16 * 1024 * 1024;

/** The answer if the client has closed its connection: it is logged and never sent. nginx uses the same status. */
const clientGone: Answer = { status: 499, headers: [], body: null };

/** Charges a read beyond the one request that was counted on admission: one more for each further 10,000 readings begun. */
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

function readQuery(text: string, calendar: BucketCalendar): ReadingsQuery {
  const given = requireKnown(parseQuery(text), allowed);
  const bucket = given.get('bucket');
  const agg = given.get('agg');
  if (agg !== undefined && bucket === undefined) {
    throw new HkctlError('bad_parameter', 'agg needs bucket: send bucket=5m, for example.');
  }
  return {
    fromUs: readInstant('from', given.get('from'), calendar.timezone),
    toUs: readInstant('to', given.get('to'), calendar.timezone),
    limit: readLimit(given.get('limit'), readingPageLimit),
    cursor: given.get('cursor'),
    buckets: bucket === undefined ? undefined : readBuckets(bucket, agg, calendar),
  };
}

function readInstant(name: string, text: string | undefined, timezone: string): number | undefined {
  if (text === undefined) return undefined;
  // The start of the day, as in the commands.
  if (isDate(text)) return boundedUs(startOfDayMs(text, timezone) * 1000);
  const us = /^-?\d+$/.test(text)
    ? epochMsUs(text)
    : instantUs(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (us !== undefined) return us;
  const looksLike = meaningOf(text);
  const meant = looksLike === '' ? orMean(meantInstant(text)) : `; this ${looksLike}`;
  throw wrongValue(name, text, `${instantRule}${meant}`);
}

const instantRule =
  'an RFC 3339 instant with an offset, a day as YYYY-MM-DD, or whole epoch milliseconds from 100,000,000,000 on';

/** Reads digits as epoch milliseconds; undefined for those that are another unit, or a date (contract, section 5). */
function epochMsUs(text: string): number | undefined {
  const ms = Number(text);
  const isMeant = (meaningOfDigits(text)?.unit ?? 'milliseconds') === 'milliseconds';
  return isBelowEpochMs(ms) || !isMeant ? undefined : instantUs(ms);
}

function readBuckets(
  text: string,
  agg: string | undefined,
  calendar: BucketCalendar,
): BucketRequest {
  const span = parseBucket(text, calendar);
  if (!span) throw wrongValue('bucket', text, 'a span such as 30s, 5m, 1h or 1d, at most 36500d');
  return { ...span, aggregates: readAggregates(agg) };
}

function readAggregates(text: string | undefined): Aggregate[] {
  if (text === undefined) return ['avg'];
  const wanted = text.split(',');
  const known = aggregates.filter((aggregate) => wanted.includes(aggregate));
  if (known.length !== wanted.length) {
    throw wrongValue('agg', text, `some of ${aggregates.join(', ')}, each once, joined by commas`);
  }
  return known;
}

// --- the cursor: the instant at which the next page starts -------------------------------------------------------------

function readStart(cursor: string, digest: string): number {
  const [us, ...rest] = readCursor(cursor, digest);
  if (rest.length > 0 || !Number.isSafeInteger(us)) throw wrongCursor(cursor);
  return us as number; // a safe integer
}

/** A digest of the parameters that select the rows; the limit and the format may change from page to page. */
function queryDigest({ fromUs, toUs, buckets }: ReadingsQuery, { series }: Sensor): string {
  return fingerprint([series, fromUs, toUs, buckets]);
}

// --- the text -----------------------------------------------------------------------------------------------------

const formats = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
} as const;

function headOf(type: ReadingsType, { buckets }: ReadingsQuery): string {
  if (type === 'application/x-ndjson') return '';
  return type === 'text/csv' ? `${columnsOf(buckets).join(',')}\n` : '{"data":[';
}

function endOf(type: ReadingsType, cursor: string | null): string {
  return type === 'application/json'
    ? `],"next_cursor":${cursor === null ? 'null' : `"${cursor}"`}}\n`
    : '';
}

/** More bytes than any end of a document has. */
const longestEnd = 256;

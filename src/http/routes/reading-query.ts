import { HkctlError } from '../../core/errors.ts';
import { type Aggregate, aggregates, type BucketRequest } from '../../core/port/readings.ts';
import { digitsMeaning } from '../../core/readings/instant-faults.ts';
import { instantUs, isBelowEpochMs, meaningOfDigits } from '../../core/readings/instants.ts';
import type { TimeRange } from '../../core/readings/pages.ts';
import { type BucketCalendar, parseBucket } from '../../core/readings/reads/bucket-spans.ts';
import { fingerprint, readCursor, wrongCursor } from '../../core/records/cursors.ts';
import {
  readingPageLimit,
  readLimit,
  requireKnown,
  reversedRange,
  wrongValue,
} from '../../core/records/parameters.ts';
import { startOfDayMs } from '../../core/time/calendar.ts';
import { boundedUs, isDate } from '../../core/time/instants.ts';
import { meantInstant, orMean } from '../../core/time/meant-values.ts';
import { parseQuery } from '../request/exchange.ts';

const rangeParameters = [
  'from',
  'to',
  'limit',
  'cursor',
  'order',
  'last',
  'bucket',
  'agg',
] as const;

export const singleParameters = parametersOf(rangeParameters);
export const manyParameters = parametersOf(['sensor', ...rangeParameters]);

/** The most sensors of one request. */
const mostSensors = 100;

export interface ReadingsQuery extends TimeRange {
  /** The codes or ids of sensors, each once; empty if the path names one. */
  sensors: readonly string[];
  /** The list as it was sent, which may also be one code with commas; undefined if each sensor had a parameter. */
  sensorList: string | undefined;
  limit: number;
  /** The number of newest rows of each sensor that are wanted. */
  last: number | undefined;
  isNewestFirst: boolean;
  cursor: string | undefined;
  buckets: BucketRequest | undefined;
}

function parametersOf(names: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(names.map((name) => [name, name]));
}

/** Reads the query of readings. Throws `bad_parameter`. */
export function readReadingsQuery(
  queryText: string,
  parameters: ReadonlyMap<string, unknown>,
  calendar: BucketCalendar,
): ReadingsQuery {
  const query = parseQuery(queryText);
  const sensorValues = query.filter(([name]) => name === 'sensor').map(([, value]) => value);
  const isRepeated = sensorValues.length > 1 && parameters.has('sensor');
  const otherParameters = isRepeated ? query.filter(([name]) => name !== 'sensor') : query;
  const values = requireKnown(otherParameters, parameters);
  const bucket = values.get('bucket');
  const agg = values.get('agg');
  if (agg !== undefined && bucket === undefined) {
    throw new HkctlError('bad_parameter', 'agg needs bucket: send bucket=5m, for example.');
  }
  const sensors = parameters.has('sensor') ? readSensors(sensorValues) : [];
  const last = readLast(values.get('last'));
  return {
    sensors,
    sensorList: isRepeated ? undefined : sensorValues[0],
    ...readTimeRange(values.get('from'), values.get('to'), calendar.timezone),
    limit: readLimit(values.get('limit'), {
      ...readingPageLimit,
      default: defaultLimit(last, sensors.length),
    }),
    last,
    isNewestFirst: readOrder(values.get('order')),
    cursor: values.get('cursor'),
    buckets: bucket === undefined ? undefined : readBuckets(bucket, agg, calendar),
  };
}

/** Reads `from` and `to`. A range of no length is empty: a client that polls asks for it. */
function readTimeRange(
  from: string | undefined,
  to: string | undefined,
  timezone: string,
): TimeRange {
  const fromUs = readInstant('from', from, timezone);
  const toUs = readInstant('to', to, timezone);
  const isReversed = fromUs !== undefined && toUs !== undefined && fromUs > toUs;
  if (isReversed) throw reversedRange(['from', from ?? ''], ['to', to ?? '']);
  return { fromUs, toUs };
}

/** A request with `last` fits into one page if it can. */
function defaultLimit(last: number | undefined, sensorCount: number): number {
  if (last === undefined) return readingPageLimit.default;
  return Math.min(last * Math.max(1, sensorCount), readingPageLimit.max);
}

/** Reads a list of sensors, or `sensor` given several times: each is then one sensor, whose code may have commas. */
function readSensors(sensorValues: readonly string[]): string[] {
  const rule = `the codes or ids of 1 to ${mostSensors} sensors, joined by commas`;
  const [sensorList, ...furtherValues] = sensorValues;
  if (sensorList === undefined) {
    throw new HkctlError('bad_parameter', `The parameter "sensor" is missing: give ${rule}.`);
  }
  const isRepeated = furtherValues.length > 0;
  const sensorNames = [...new Set(isRepeated ? sensorValues : sensorList.split(','))];
  if (sensorNames.length > mostSensors || sensorNames.includes(''))
    throw wrongValue('sensor', sensorValues.join(','), rule);
  return sensorNames;
}

function readLast(lastText: string | undefined): number | undefined {
  if (lastText === undefined) return undefined;
  const last = /^\d{1,7}$/.test(lastText) ? Number(lastText) : 0;
  if (last < 1 || last > readingPageLimit.max)
    throw wrongValue('last', lastText, `a whole number from 1 to ${readingPageLimit.max}`);
  return last;
}

function readOrder(orderText: string | undefined): boolean {
  if (orderText !== undefined && orderText !== 'asc' && orderText !== 'desc')
    throw wrongValue('order', orderText, 'asc or desc');
  return orderText === 'desc';
}

function readInstant(
  parameterName: string,
  instantText: string | undefined,
  timezone: string,
): number | undefined {
  if (instantText === undefined) return undefined;
  // The start of the day, as in the commands.
  if (isDate(instantText)) return boundedUs(startOfDayMs(instantText, timezone) * 1000);
  const epochUs = /^-?\d+$/.test(instantText)
    ? epochMsUs(instantText)
    : instantUs(instantText.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (epochUs !== undefined) return epochUs;
  const digitHint = digitsMeaning(instantText);
  const suggestion = digitHint === '' ? orMean(meantInstant(instantText)) : `; this ${digitHint}`;
  throw wrongValue(parameterName, instantText, `${instantRule}${suggestion}`);
}

const instantRule =
  'an RFC 3339 instant with an offset, a day as YYYY-MM-DD, or whole epoch milliseconds from 100,000,000,000 on';

/** Reads digits as epoch milliseconds; undefined for digits in another unit, or of a date (promise 5.8). */
function epochMsUs(digits: string): number | undefined {
  const epochMs = Number(digits);
  const likelyUnit = meaningOfDigits(digits)?.unit ?? 'milliseconds';
  if (isBelowEpochMs(epochMs) || likelyUnit !== 'milliseconds') return undefined;
  return instantUs(epochMs);
}

function readBuckets(
  bucketText: string,
  aggregateList: string | undefined,
  calendar: BucketCalendar,
): BucketRequest {
  const span = parseBucket(bucketText, calendar);
  if (!span)
    throw wrongValue(
      'bucket',
      bucketText,
      'a span such as 30s, 5m, 1h or 1d, at most 36500d, or 1mo, 3mo or 1y',
    );
  return { ...span, aggregates: readAggregates(aggregateList) };
}

function readAggregates(aggregateList: string | undefined): Aggregate[] {
  if (aggregateList === undefined) return ['avg'];
  const wantedNames = aggregateList.split(',');
  const chosenAggregates = aggregates.filter((aggregate) => wantedNames.includes(aggregate));
  if (chosenAggregates.length !== wantedNames.length) {
    throw wrongValue(
      'agg',
      aggregateList,
      `some of ${aggregates.join(', ')}, each once, joined by commas`,
    );
  }
  return chosenAggregates;
}

// --- the cursor: the place of a sensor in the request, and the range of it that is still to be read ----------------------

export interface ReadingsPosition {
  sensor: number;
  /** Undefined if nothing of the sensor was read. */
  range: TimeRange | undefined;
}

/** A digest of the parameters that select the rows; the limit and the format may change from page to page. */
export function queryDigest(query: ReadingsQuery, series: readonly number[]): string {
  const { fromUs, toUs, buckets, last, isNewestFirst } = query;
  return fingerprint([series, fromUs, toUs, buckets, last, isNewestFirst]);
}

/** The parts of a position in a cursor, in the order of {@link readPosition}. */
export function cursorOf({ sensor, range }: ReadingsPosition): (string | number)[] {
  return range ? [sensor, boundOf(range.fromUs), boundOf(range.toUs)] : [sensor];
}

/** An instant beyond the range that is stored bounds nothing. */
function boundOf(instantUs: number | undefined): number | '' {
  return instantUs !== undefined && Number.isSafeInteger(instantUs) ? instantUs : '';
}

export function readPosition(cursor: string, digest: string): ReadingsPosition {
  const [sensor, ...range] = readCursor(cursor, digest);
  const [fromUs, toUs] = range.map((us) => (us === '' ? undefined : us));
  const isRange = range.length === 2 && isUs(fromUs) && isUs(toUs);
  const isPosition = range.length === 0 || isRange;
  if (!isPosition || !Number.isSafeInteger(sensor)) throw wrongCursor(cursor);

  return {
    sensor: Number(sensor),
    range: range.length === 0 ? undefined : { fromUs: numberOf(fromUs), toUs: numberOf(toUs) },
  };
}

function isUs(bound: unknown): boolean {
  return bound === undefined || Number.isSafeInteger(bound);
}

function numberOf(bound: unknown): number | undefined {
  return bound === undefined ? undefined : Number(bound);
}

import { isHkctlError } from '../../core/errors.ts';
import { LineProtocolLines, LineReader } from '../../core/items/lines.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import { longestName, type SensorDirectory } from '../../core/port/readings.ts';
import { digitsMeaning } from '../../core/readings/instant-faults.ts';
import {
  type EpochUnit,
  earliestMeasuredUs,
  maxAheadUs,
  statedInstant,
} from '../../core/readings/instants.ts';
import {
  type Fault,
  fault,
  longestItem,
  maxBatch,
  type Rejection,
  shown,
} from '../../core/readings/rejections.ts';
import { nounFor } from '../../core/text/words.ts';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { ApiError } from '../answers/problem.ts';
import type { SliceSteps } from '../fairness/slices.ts';
import { formatHint, notInFormat } from './body-formats.ts';
import { bodyOptions, type ItemTaker, isTorn } from './items.ts';
import { type FieldValue, type Line, type LineFault, parseLine } from './line-syntax.ts';
import { SensorNames } from './sensor-names.ts';

/** The units of timestamps by the words of the query, each with its number in a microsecond. */
export const precisions = {
  ns: 'nanoseconds',
  us: 'microseconds',
  ms: 'milliseconds',
  s: 'seconds',
} as const;
const microseconds = {
  nanoseconds: 1e-3,
  microseconds: 1,
  milliseconds: 1e3,
  seconds: 1e6,
} as const;

/** Words of the query: each number is a reading of the sensor `measurement.field`, or of `tag.field` next to that of `value`. */
export const fieldNamings = ['measurement.field', 'sensor.field'] as const;
type FieldNaming = (typeof fieldNamings)[number];

export interface LineOptions {
  precision: keyof typeof precisions;
  /** How fields name sensors; without it the field `value` is a reading of the sensor that the tag names. */
  naming: FieldNaming | undefined;
  /** Receives for each index the number of its line in the body, from 1. */
  lineNumbers?: number[];
  nowUs: number;
  /** The time of receipt, later at each call. */
  receiptUs: () => number;
  hasSensor: (name: string) => boolean;
}

/**
 * Reads the lines of InfluxDB's line protocol as readings for `taker`; an index counts lines without blank ones and comments. A line
 * that is invalid is refused by itself if another one is valid. Throws `bad_json` or `too_large`.
 */
export function* takeLines(body: Buffer, options: LineOptions, taker: ItemTaker): SliceSteps<void> {
  let lineIndex = 0;
  let readingCount = 0;
  let hasLine = false;
  let firstFault: string | undefined;
  const takeUsual = (lineStart: number): number => {
    if (options.naming === 'measurement.field') return 0;
    if (lineIndex === maxBatch || readingCount === maxBatch) return 0;
    const lineEnd = taker.addUsualLine?.(lineStart, lineIndex, options.precision) ?? 0;
    if (lineEnd === 0) return 0;
    options.lineNumbers?.push(reader.line);
    hasLine = true;
    lineIndex++;
    readingCount++;
    return lineEnd;
  };
  const reader = new LineReader(new LineProtocolLines(), { ...bodyOptions, takeUsual });
  reader.push(body);
  reader.finish();
  for (let found = reader.next(); found !== 'end'; found = reader.next()) {
    if (found === 'step') {
      yield;
      continue;
    }
    const lineText = found === 'item' ? reader.text() : beginningOf(reader);
    const text = lineText.trim();
    if (text === '' || text.startsWith('#')) continue;
    if (lineIndex === maxBatch) throw tooMany();
    options.lineNumbers?.push(reader.line);

    const parsedLine = found === 'too long' ? tooLongLine : parsedOf(reader, text);
    if ('rule' in parsedLine) {
      const indent = lineText.length - lineText.trimStart().length;
      const columnText = `column ${parsedLine.column + indent}`;
      firstFault ??= `line ${reader.line}, ${columnText}: ${parsedLine.rule}`;
      const detail = `The line is not line protocol: ${columnText}: ${parsedLine.rule}.`;
      taker.refuse(lineIndex, fault('invalid_reading', detail));
    } else {
      hasLine = true;
      readingCount += takeLine(parsedLine, lineIndex, options, taker);
      if (readingCount > maxBatch) throw tooMany();
    }
    lineIndex++;
  }
  if (hasLine) return;
  throw notInFormat('line protocol', formatHint(body, 'line protocol') ?? wrongLine(firstFault));
}

/** The sensors of an entity by the measurement and tags of a line. */
export function namesInLines(sensors: SensorDirectory): SensorNames {
  return new SensorNames(sensors.size, 32, (seriesText) => {
    const text = seriesText.trimStart();
    if (text.startsWith('#') || text.includes('\uFFFD')) return undefined;
    const line = parseLine(`${text} value=0`);
    const name = 'rule' in line ? undefined : line.tags.get('sensor');
    return name === undefined ? undefined : sensors.get(name);
  });
}

const tooLongLine: LineFault = { column: 1, rule: 'the line is longer than 16 KiB' };
const tornLine: LineFault = { column: 1, rule: 'the line is not UTF-8' };

function parsedOf(reader: LineReader, text: string): Line | LineFault {
  return isTorn(reader, text) ? tornLine : parseLine(text);
}

/** The beginning of a line that is too long, which may be a comment or blank. */
function beginningOf({ bytes, start }: LineReader): string {
  return bytes.toString('utf8', start, start + longestItem);
}

/** The message for a body of which no line is line protocol; without a fault it holds nothing but comments. */
function wrongLine(firstFault: string | undefined): string {
  if (firstFault === undefined) return 'The body holds only comments: send at least one line.';
  return `The body is not line protocol: ${firstFault}. A line looks like this: ${exampleLine}`;
}

const exampleLine = 'oven,sensor=OVEN-3-T1 value=182.4 1795162500000000000';

/** To clients of InfluxDB a field is something else than a tag. */
const noSensorTag = 'The line has no tag "sensor", which names the sensor.';

/** Takes the readings of a line; returns how many. */
function takeLine(line: Line, lineIndex: number, options: LineOptions, taker: ItemTaker): number {
  const sensor = line.tags.get('sensor');
  if (sensor === undefined && options.naming !== 'measurement.field') {
    taker.refuse(lineIndex, fault('missing_field', noSensorTag));
    return 1;
  }
  const timeOrFault = timeOf(line.timestamp, options);
  const readings = readingsOf(line, sensor, options);
  if (readings.length === 0) {
    taker.refuse(lineIndex, fault('missing_field', 'The line has no numeric field.'));
    return 1;
  }
  for (const reading of readings) {
    if (typeof timeOrFault === 'object') taker.refuse(lineIndex, timeOrFault, reading);
    else {
      reading.at = statedInstant(timeOrFault);
      taker.add(reading, lineIndex);
    }
  }
  return readings.length;
}

/** The fields that the validator checks: undefined members are missing. */
interface LineReading {
  sensor: string | undefined;
  value: FieldValue | undefined;
  quality: FieldValue | undefined;
  at: string | number | undefined;
}

function readingsOf(line: Line, sensor: string | undefined, options: LineOptions): LineReading[] {
  const value = line.fields.get('value');
  const quality = line.fields.get('quality');
  if (options.naming === 'measurement.field')
    return byField(line.fields, line.measurement, undefined, options);

  const ofSensor = { sensor, value, quality, at: undefined };
  if (options.naming === undefined || sensor === undefined) return [ofSensor];
  const otherFields = [...line.fields].filter(([key]) => key !== 'value');
  const readings = byField(otherFields, sensor, quality, options);
  return value === undefined ? readings : [ofSensor, ...readings];
}

/** Each number is a reading, and a boolean if a sensor has its name: a device reports many that are no measurements. */
function byField(
  fields: Iterable<readonly [string, FieldValue]>,
  prefix: string,
  quality: FieldValue | undefined,
  { hasSensor }: LineOptions,
): LineReading[] {
  const readings: LineReading[] = [];
  for (const [key, value] of fields) {
    const sensor = `${prefix}.${key}`;
    // A look-up reads the whole name: a line may have a tag of 8 KiB and thousands of booleans.
    const mayBeSensor = typeof value === 'boolean' && sensor.length <= longestName;
    if (typeof value === 'number' || (mayBeSensor && hasSensor(sensor)))
      readings.push({ sensor, value, quality, at: undefined });
  }
  return readings;
}

/** The instant of a line in epoch µs, or its fault. */
function timeOf(
  timestamp: string | undefined,
  { precision, nowUs, receiptUs }: LineOptions,
): number | Fault {
  if (timestamp === undefined) return receiptUs();
  const unit = precisions[precision];
  if (!/^-?\d{1,19}$/.test(timestamp)) {
    return fault('invalid_at', `${shown(timestamp)} is not a timestamp: give whole epoch ${unit}.`);
  }
  // Nanoseconds exceed the numbers that a double holds exactly.
  const timestampUs =
    precision === 'ns' ? Number(timestamp.slice(0, -3)) : Number(timestamp) * microseconds[unit];
  if (timestampUs > nowUs + maxAheadUs) {
    return outOfRange('in_future', { timestamp, unit, range: 'more than 24 hours ahead' });
  }
  if (timestampUs < earliestMeasuredUs) {
    return outOfRange('invalid_at', { timestamp, unit, range: `before 1990 in ${unit}` });
  }
  return timestampUs;
}

/** The fault of a timestamp outside of what is stored, which often has another precision than the request says. */
function outOfRange(
  code: 'in_future' | 'invalid_at',
  { timestamp, unit, range }: { timestamp: string; unit: EpochUnit; range: string },
): Fault {
  const likelyMeaning = digitsMeaning(Number(timestamp), unit);
  const likelyPrecision = Object.entries(precisions).find(([, unitName]) =>
    likelyMeaning.includes(` ${unitName} `),
  );
  const meaningClause = likelyMeaning === '' ? '' : ` and ${likelyMeaning}`;
  const hint = likelyPrecision ? `: send ?precision=${likelyPrecision[0]}` : ': set the clock';
  return fault(code, `${timestamp} is ${range}${meaningClause}${hint}.`);
}

function tooMany(): ApiError {
  return new ApiError(
    'too_large',
    `A body may hold at most ${maxBatch} readings; this one holds more.`,
  );
}

/** The rejected lines that an answer names. */
const namedLines = 5;

/** The answer that clients of InfluxDB understand: 204, or 400 with the first rejected lines. */
export function writeAnswer(
  rejected: readonly Rejection[],
  lineNumbers: readonly number[],
): Answer {
  if (rejected.length === 0)
    return { status: 204, headers: ['Cache-Control', 'no-store'], body: null };
  const lines = rejected
    .slice(0, namedLines)
    .map(({ index, code, detail }) => `line ${lineNumbers[index]}: ${code}: ${detail}`);
  const countText = `${rejected.length} ${nounFor(rejected.length, 'reading')}`;
  return refusal(`partial write: ${countText} rejected, the others are stored: ${lines.join(' ')}`);
}

/** Turns the refusal of a whole body or query, which is 400, into InfluxDB's JSON. */
export function asWriteRefusal(
  write: () => MaybePromise<Answer | ApiError>,
): MaybePromise<Answer | ApiError> {
  const refuse = (thrown: unknown): Answer => {
    if (isHkctlError(thrown) && (thrown.code === 'bad_json' || thrown.code === 'bad_parameter'))
      return refusal(thrown.message);
    throw thrown;
  };
  try {
    const outcome = write();
    return outcome instanceof Promise ? outcome.catch(refuse) : outcome;
  } catch (thrown) {
    return refuse(thrown);
  }
}

function refusal(message: string): Answer {
  return { ...jsonAnswer(JSON.stringify({ code: 'invalid', message })), status: 400 };
}

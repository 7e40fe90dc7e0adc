import { redactSecrets } from '../keys/secrets.ts';
import { type Heartbeat, qualities, type ReadingBatch, type Sensor, type SensorDirectory } from '../port/readings.ts';
import { boundedUs, type Clock, formatInstantUs, parseInstantUs } from '../time/instants.ts';

/** The most readings or heartbeats that one body may hold. */
export const maxBatch = 10_000;
/** The most characters of one reading or heartbeat: a hundred times what one has. */
export const longestItem = 16 * 1024;
/** Stands in a list for an item that was not parsed because it is longer than {@link longestItem}. */
export const tooLong = Symbol('too long');
/** So many items are judged in one step: others are served between two. */
const itemsInStep = 250;
/** How far ahead of the clock an instant may lie: gateways' clocks drift, but not by a day. */
export const maxAheadUs = 86_400_000_000;

/** Why one reading or heartbeat of a body was not taken; `index` is its position in the body. */
export interface Rejection {
  index: number;
  code: RejectionCode;
  detail: string;
}

/** Every reason for which a single reading or heartbeat is refused, and what it means. */
export const rejectionCodes = {
  invalid_reading: 'It is no JSON object, or longer than 16 KiB.',
  unknown_field: 'It has a field that there is not.',
  missing_field: 'It lacks a field that it needs.',
  unknown_sensor: 'No sensor of the entity has this code or id.',
  sensor_inactive: 'The sensor is marked as inactive.',
  invalid_at:
    'The instant is neither RFC 3339 with an offset nor whole epoch milliseconds from 100,000,000,000 on (less would be ' +
    'epoch seconds, which land in 1970), or before the year 1685.',
  in_future: 'The instant lies more than 24 hours ahead.',
  invalid_value: 'The value is neither a finite number nor a boolean.',
  unit_mismatch: "The unit is not the sensor's own.",
  invalid_quality: 'The quality is none of good, uncertain, bad.',
  reading_conflict: 'The sensor has another value at this instant; the first one stays.',
  invalid_status: 'The status is none of ok, degraded, fault.',
  invalid_battery: 'The battery is no number from 0 to 100.',
  invalid_signal: 'The signal is no number of dBm from -200 to 100.',
  invalid_firmware: 'The firmware is no text of 1 to 64 characters.',
} as const;

export type RejectionCode = keyof typeof rejectionCodes;

/** A judged body: the readings to keep, where each stood in the body, and those refused, in order. */
export interface ValidatedReadings {
  batch: ReadingBatch;
  /** Position in the body of each reading of the batch. */
  positions: Uint32Array;
  rejected: Rejection[];
}

/** Validators the readings of a body, each by itself (contract, section 5); anything JSON can hold may stand in the list. */
export function validateReadings(
  items: readonly unknown[],
  sensors: SensorDirectory,
  nowUs: number,
): ValidatedReadings {
  return lastOf(readingSteps(items, sensors, nowUs));
}

/** The same in steps of which each takes well under a millisecond or two. */
export function* readingSteps(
  items: readonly unknown[],
  sensors: SensorDirectory,
  nowUs: number,
): Generator<void, ValidatedReadings> {
  const batch: ReadingBatch = {
    count: 0,
    series: new Uint32Array(items.length),
    atUs: new Float64Array(items.length),
    value: new Float64Array(items.length),
    quality: new Uint8Array(items.length),
  };
  const positions = new Uint32Array(items.length);
  const rejected: Rejection[] = [];
  const latestUs = nowUs + maxAheadUs;
  for (let from = 0; from < items.length; from += itemsInStep) {
    if (from > 0) yield;
    const to = Math.min(from + itemsInStep, items.length);
    for (let index = from; index < to; index++) {
      const fault = addReading(items[index], batch, sensors, latestUs);
      if (fault === undefined) positions[batch.count++] = index;
      else rejected.push({ index, ...fault });
    }
  }
  return { batch: rejected.length === 0 ? batch : cutToCount(batch), positions, rejected };
}

/** Takes all steps of a piece of work at once, and gives its result. */
export function lastOf<T>(steps: Generator<void, T>): T {
  for (;;) {
    const result = steps.next();
    if (result.done) return result.value;
  }
}

/** Columns as long as the readings that are in them. */
function cutToCount({ count, series, atUs, value, quality }: ReadingBatch): ReadingBatch {
  return {
    count,
    series: series.slice(0, count),
    atUs: atUs.slice(0, count),
    value: value.slice(0, count),
    quality: quality.slice(0, count),
  };
}

type Fault = Pick<Rejection, 'code' | 'detail'>;

/** Writes one reading to the end of the batch, or tells what is wrong with it. */
function addReading(item: unknown, batch: ReadingBatch, sensors: SensorDirectory, latestUs: number): Fault | undefined {
  if (!isObject(item)) return notObject(item, 'A reading');
  let name: unknown;
  let at: unknown;
  let value: unknown;
  let unit: unknown;
  let quality: unknown;
  for (const field in item) {
    if (field === 'sensor') name = item.sensor;
    else if (field === 'at') at = item.at;
    else if (field === 'value') value = item.value;
    else if (field === 'unit') unit = item.unit;
    else if (field === 'quality') quality = item.quality;
    else return unknownField(field, 'sensor, at, value, unit and quality');
  }
  const sensor = typeof name === 'string' ? sensors.get(name) : undefined;
  if (sensor === undefined || !sensor.isActive) return sensorFault(name, sensor);
  const atUs = sampledUs(at);
  if (atUs === undefined || atUs === tooEarly) return instantFault(at, atUs);
  if (atUs > latestUs) return aheadFault(at, atUs);
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return value === undefined ? missing('value') : fault('invalid_value', rejectionCodes.invalid_value);
  }
  if (unit !== undefined && unit !== null && unit !== sensor.unit) return unitFault(unit, sensor);
  const index = batch.count;
  if (quality !== undefined && quality !== null) {
    const rank = qualities.indexOf(quality as (typeof qualities)[number]); // indexOf finds nothing else
    if (rank === -1) return fault('invalid_quality', rejectionCodes.invalid_quality);
    batch.quality[index] = rank + 1;
  } else {
    // A reading refused before this one may have left its mark here.
    batch.quality[index] = 0;
  }
  batch.series[index] = sensor.series;
  batch.atUs[index] = atUs;
  batch.value[index] = number;
  return undefined;
}

/** A judged body of heartbeats; as {@link ValidatedReadings}. */
export interface ValidatedHeartbeats {
  heartbeats: Heartbeat[];
  positions: number[];
  rejected: Rejection[];
}

export const heartbeatStatuses = ['ok', 'degraded', 'fault'] as const;

/** Validators the heartbeats of a body, each by itself; `at` defaults to the time of receipt, which `receiptUs` gives. */
export function validateHeartbeats(
  items: readonly unknown[],
  sensors: SensorDirectory,
  nowUs: number,
  receiptUs: () => number,
): ValidatedHeartbeats {
  return lastOf(heartbeatSteps(items, sensors, nowUs, receiptUs));
}

/** The same in steps, as {@link readingSteps}. */
export function* heartbeatSteps(
  items: readonly unknown[],
  sensors: SensorDirectory,
  nowUs: number,
  receiptUs: () => number,
): Generator<void, ValidatedHeartbeats> {
  const judged: ValidatedHeartbeats = { heartbeats: [], positions: [], rejected: [] };
  for (let index = 0; index < items.length; index++) {
    if (index > 0 && index % itemsInStep === 0) yield;
    const heartbeat = toHeartbeat(items[index], sensors, nowUs, receiptUs);
    if ('code' in heartbeat) {
      judged.rejected.push({ index, ...heartbeat });
    } else {
      judged.heartbeats.push(heartbeat);
      judged.positions.push(index);
    }
  }
  return judged;
}

const heartbeatFields = new Set(['sensor', 'at', 'status', 'battery', 'signal', 'firmware']);

function toHeartbeat(
  item: unknown,
  sensors: SensorDirectory,
  nowUs: number,
  receiptUs: () => number,
): Heartbeat | Fault {
  if (!isObject(item)) return notObject(item, 'A heartbeat');
  for (const field in item) {
    if (!heartbeatFields.has(field)) return unknownField(field, 'sensor, at, status, battery, signal and firmware');
  }
  const { sensor: name, at, status = null, battery = null, signal = null, firmware = null } = item;
  const sensor = typeof name === 'string' ? sensors.get(name) : undefined;
  // An inactive sensor may still say that it lives: that is no measurement.
  if (sensor === undefined) return sensorFault(name, undefined);
  const atUs = at === undefined || at === null ? receiptUs() : sampledUs(at);
  if (atUs === undefined || atUs === tooEarly) return instantFault(at, atUs);
  if (atUs > nowUs + maxAheadUs) return aheadFault(at, atUs);
  if (status !== null && !isStatus(status)) return fault('invalid_status', rejectionCodes.invalid_status);
  if (battery !== null && !isWithin(battery, 0, 100)) return fault('invalid_battery', rejectionCodes.invalid_battery);
  if (signal !== null && !isWithin(signal, -200, 100)) return fault('invalid_signal', rejectionCodes.invalid_signal);
  if (firmware !== null && !isFirmware(firmware)) return fault('invalid_firmware', rejectionCodes.invalid_firmware);
  return { series: sensor.series, atUs, status, battery, signal, firmware };
}

function isStatus(value: unknown): value is string {
  return (heartbeatStatuses as readonly unknown[]).includes(value);
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

function isFirmware(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 64 && !/\p{Cc}/u.test(value);
}

/** Puts what the store found into the refused ones, in order of the body. */
export function addConflicts(
  rejected: readonly Rejection[],
  conflicts: readonly number[],
  positions: ArrayLike<number>,
): Rejection[] {
  const found = conflicts.map((position) => ({
    index: positions[position] ?? position,
    ...fault('reading_conflict', rejectionCodes.reading_conflict),
  }));
  return [...rejected, ...found].sort((a, b) => a.index - b.index);
}

/**
 * Gives the times of receipt, in epoch microseconds: each one later than the one before, so that two things that came at
 * once are still two, but for a clock that was put back.
 */
export function createReceipts(clock: Clock): () => number {
  let lastUs = 0;
  return () => {
    const nowUs = clock() * 1000;
    const isInOrder = nowUs > lastUs || lastUs - nowUs > mostAtOnceUs;
    lastUs = isInOrder ? nowUs : lastUs + 1;
    return lastUs;
  };
}

/** A whole body that came within one millisecond, many times over. */
const mostAtOnceUs = 1e6;

/** See {@link boundedUs}. */
const tooEarly = Number.NEGATIVE_INFINITY;

/**
 * An instant of a body, RFC 3339 with an offset or whole epoch milliseconds, as {@link boundedUs} has it. Undefined where
 * it is neither.
 */
export function instantUs(at: unknown): number | undefined {
  if (typeof at === 'string') return quickInstantUs(at) ?? parseInstantUs(at);
  if (typeof at !== 'number' || !Number.isInteger(at)) return undefined;
  return boundedUs(at * 1000);
}

/** Whole numbers below this are epoch seconds, of before the year 5138: as milliseconds they would land in 1970 (contract, section 5). */
const leastEpochMs = 100_000_000_000;

/** The instant of a reading or heartbeat; undefined where it is none. A query may well begin in 1970, a gateway's clock not. */
function sampledUs(at: unknown): number | undefined {
  return isBelowEpochMs(at) ? undefined : instantUs(at);
}

function isBelowEpochMs(at: unknown): at is number {
  return typeof at === 'number' && at < leastEpochMs;
}

/**
 * The common shape, `2026-11-20T08:15:00[.123456]Z`, without a regular expression: ten times as fast. Undefined for any
 * other, which {@link parseInstantUs} validators.
 */
export function quickInstantUs(text: string): number | undefined {
  const { length } = text;
  if (length < 20 || length > 27 || text.charCodeAt(length - 1) !== 90) return undefined;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(10) !== 84) return undefined;
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // Leap days, and years in which microseconds are no exact numbers, are for the slow way, and so is NaN, for which no
  // comparison holds.
  if (!(year >= 1700 && year < 2200 && month >= 1 && month <= 12 && day >= 1)) return undefined;
  if (day > (monthDays[month - 1] ?? 0)) return undefined;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  const micros = length === 20 ? 0 : quickFraction(text, length - 1);
  if (micros < 0) return undefined;
  return (((daysBefore(year, month) + day - 1) * 24 + hour) * 60 + minute) * 60e6 + second * 1e6 + micros;
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** The digits of a fraction as microseconds; -1 where it is none of 1 to 6 digits. */
function quickFraction(text: string, end: number): number {
  if (text.charCodeAt(19) !== 46 || end < 21) return -1;
  let micros = 0;
  for (let i = 20; i < 26; i++) {
    const digit = i < end ? text.charCodeAt(i) - 48 : 0;
    if (digit < 0 || digit > 9) return -1;
    micros = micros * 10 + digit;
  }
  return micros;
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Days from 1970-01-01 to the first of a month of the Gregorian calendar. */
function daysBefore(year: number, month: number): number {
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * m + 2) / 5);
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}

function isObject(item: unknown): item is Record<string, unknown> {
  return typeof item === 'object' && item !== null && !Array.isArray(item);
}

function fault(code: RejectionCode, detail: string): Fault {
  return { code, detail };
}

function notObject(item: unknown, what: string): Fault {
  const detail = item === tooLong ? `at most ${longestItem / 1024} KiB long` : 'an object';
  return fault('invalid_reading', `${what} is ${detail}.`);
}

function missing(field: string): Fault {
  return fault('missing_field', `It lacks "${field}".`);
}

function unknownField(field: string, known: string): Fault {
  return fault('unknown_field', `There is no field ${shown(field)}; there are ${known}.`);
}

function sensorFault(name: unknown, sensor: Sensor | undefined): Fault {
  if (name === undefined) return missing('sensor');
  if (sensor) return fault('sensor_inactive', `The sensor ${shown(sensor.code)} is marked as inactive.`);
  return fault('unknown_sensor', `No sensor of this entity has the code or id ${shown(name)}.`);
}

function instantFault(at: unknown, atUs: number | undefined): Fault {
  if (at === undefined) return missing('at');
  if (atUs === tooEarly) return fault('invalid_at', `${shown(at)} lies before the year 1685.`);
  if (isBelowEpochMs(at) && Number.isInteger(at)) {
    const why = 'epoch seconds taken for milliseconds would land in 1970';
    return fault('invalid_at', `${at} is below 100,000,000,000: ${why}. Give whole epoch milliseconds or RFC 3339.`);
  }
  const allowed = 'give RFC 3339 with an offset, such as 2026-11-20T08:15:00Z, or whole epoch milliseconds';
  return fault('invalid_at', `${shown(at)} is no instant: ${allowed}.`);
}

function aheadFault(at: unknown, atUs: number): Fault {
  const instant = Number.isFinite(atUs) ? formatInstantUs(atUs) : shown(at);
  return fault('in_future', `${instant} lies more than 24 hours ahead.`);
}

function unitFault(unit: unknown, sensor: Sensor): Fault {
  const own = sensor.unit === null ? 'it has none' : `its own is ${shown(sensor.unit)}`;
  return fault('unit_mismatch', `${shown(unit)} is not the unit of the sensor; ${own}.`);
}

/** What a client sent, in a message: cut short, without its depths, and without a secret that strayed into it. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'A list' : 'An object';
  const text = redactSecrets(JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

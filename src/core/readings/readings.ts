import { qualities, type ReadingBatch, readingColumns, type SensorDirectory } from '../port/readings.ts';
import { maxAheadUs, measuredUs, tooEarly } from './instants.ts';
import {
  aheadFault,
  type Fault,
  fault,
  instantFault,
  isObject,
  missing,
  notObject,
  type Rejection,
  sensorFault,
  unitFault,
  unknownField,
} from './rejections.ts';

/** Readings or heartbeats validated in one step; other requests are served between two steps. A rejection takes up to 0.05 ms. */
export const itemsInStep = 40;

/** When readings are accepted (epoch µs): at most a day ahead of `nowUs`, and not before `retainedFromUs`. */
export interface AcceptedTime {
  nowUs: number;
  /** Negative infinity where nothing is too old. */
  retainedFromUs: number;
}

/** A validated body: the readings to keep, their positions in the body, and the rejected ones in order. */
interface ValidatedReadings {
  batch: ReadingBatch;
  /** Position in the body of each reading of the batch. */
  positions: Uint32Array;
  rejected: Rejection[];
}

/**
 * Validates the readings of a body, each by itself (contract, section 5), in steps of about a millisecond. The list may
 * hold anything that JSON can express.
 */
export function* validateReadings(
  items: readonly unknown[],
  sensors: SensorDirectory,
  { nowUs, retainedFromUs }: AcceptedTime,
): Generator<void, ValidatedReadings> {
  const batch: ReadingBatch = { count: 0, rows: new Float64Array(items.length * readingColumns) };
  const positions = new Uint32Array(items.length);
  const rejected: Rejection[] = [];
  const bounds = { earliestUs: retainedFromUs, latestUs: nowUs + maxAheadUs };
  for (let from = 0; from < items.length; from += itemsInStep) {
    if (from > 0) yield;
    const to = Math.min(from + itemsInStep, items.length);
    for (let index = from; index < to; index++) {
      const found = addReading(items[index], batch, sensors, bounds);
      if (found === undefined) positions[batch.count++] = index;
      else rejected.push({ index, ...found });
    }
  }
  return { batch, positions, rejected };
}

/** Writes one reading to the end of the batch, or returns what is wrong with it. */
function addReading(
  item: unknown,
  batch: ReadingBatch,
  sensors: SensorDirectory,
  { earliestUs, latestUs }: { earliestUs: number; latestUs: number },
): Fault | undefined {
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
  const atUs = measuredUs(at);
  if (atUs === undefined || atUs === tooEarly) return instantFault(at, atUs);
  if (atUs > latestUs) return aheadFault(at, atUs);
  if (atUs < earliestUs) return fault('past_retention');
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return value === undefined ? missing('value') : fault('invalid_value');
  }
  if (unit !== undefined && unit !== null && unit !== sensor.unit) return unitFault(unit, sensor);
  let rank = 0;
  if (quality !== undefined && quality !== null) {
    rank = qualities.indexOf(quality as (typeof qualities)[number]) + 1; // anything else is not found
    if (rank === 0) return fault('invalid_quality');
  }
  const place = batch.count * readingColumns;
  batch.rows[place] = sensor.series;
  batch.rows[place + 1] = atUs;
  batch.rows[place + 2] = number;
  batch.rows[place + 3] = rank;
  return undefined;
}

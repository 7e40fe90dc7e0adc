import {
  type BatchResult,
  qualities,
  type ReadingBatch,
  type ReadingStore,
  readingColumns,
  type SensorDirectory,
  sensorNamed,
} from '../port/readings.ts';
import { Spares } from '../sharing/spares.ts';
import { aheadFault, instantFault } from './instant-faults.ts';
import { earliestMeasuredUs, maxAheadUs, measuredUs } from './instants.ts';
import {
  type Fault,
  fault,
  isJsonObject,
  nothingKept,
  notObject,
  qualityFault,
  type Rejection,
  sensorFault,
  unitFault,
  unknownField,
  Validator,
  valueFault,
} from './rejections.ts';

/** The time for which readings are accepted (epoch µs): at most a day ahead of `nowUs`, and not before `retainedFromUs`. */
export interface AcceptedTime {
  nowUs: number;
  /** Negative infinity if nothing is too old. */
  retainedFromUs: number;
}

/** The valid readings of a body, each with its position in the body. */
interface BodyBatch extends ReadingBatch {
  positions: Uint32Array;
}

const createBatch = (size: number): BodyBatch => ({
  count: 0,
  rows: new Float64Array(size * readingColumns),
  positions: new Uint32Array(size),
});

/** Batches that bodies use one after the other, for 256 Ki readings (9 MiB) in all. */
export const createSpareBatches = (): Spares<BodyBatch> => new Spares(createBatch, 256 * 1024);

export class ReadingValidator extends Validator {
  batch: BodyBatch;
  readonly #sensors: SensorDirectory;
  readonly #earliestUs: number;
  readonly #latestUs: number;
  readonly #spareBatches: Spares<BodyBatch>;

  /** Begins with memory for the number of readings that is expected. */
  constructor(
    expectedCount: number,
    sensors: SensorDirectory,
    { nowUs, retainedFromUs }: AcceptedTime,
    spareBatches = createSpareBatches(),
  ) {
    super();
    this.#spareBatches = spareBatches;
    this.batch = spareBatches.take(expectedCount);
    this.batch.count = 0;
    this.#sensors = sensors;
    this.#earliestUs = Math.max(retainedFromUs, earliestMeasuredUs);
    this.#latestUs = nowUs + maxAheadUs;
  }

  get positions(): Uint32Array {
    return this.batch.positions;
  }

  /** The sensor that the last rejected reading of a code names, or that of one that the store refused. */
  override sensorOf(rejection: Rejection): string | null {
    const { batch, positions } = this;
    const readingIndex = positions.subarray(0, batch.count).indexOf(rejection.index);
    return (
      super.sensorOf(rejection) ??
      sensorCodeOf(this.#sensors, batch.rows[readingIndex * readingColumns])
    );
  }

  store(readings: Pick<ReadingStore, 'append'>): Promise<BatchResult> {
    return this.batch.count === 0 ? Promise.resolve(nothingKept) : readings.append(this.batch);
  }

  /** Keeps a reading if its instant is accepted; everything else about it was found valid. */
  keep(index: number, series: number, atUs: number, value: number, quality: number): boolean {
    if (!(atUs >= this.#earliestUs && atUs <= this.#latestUs)) {
      return false;
    }

    let { batch } = this;
    if (batch.count === batch.positions.length) {
      batch = this.#grow();
    }

    const offset = batch.count * readingColumns;
    batch.rows[offset] = series;
    batch.rows[offset + 1] = atUs;
    batch.rows[offset + 2] = value;
    batch.rows[offset + 3] = quality;
    batch.positions[batch.count++] = index;
    return true;
  }

  /** Removes the reading that was added last. */
  takeBack(): void {
    this.batch.count--;
  }

  override release(): void {
    this.#spareBatches.give(this.batch, this.batch.positions.length);
  }

  #grow(): BodyBatch {
    const largerBatch = this.#spareBatches.take(this.batch.count + 1);
    largerBatch.rows.set(this.batch.rows);
    largerBatch.positions.set(this.batch.positions);
    largerBatch.count = this.batch.count;
    this.release();
    this.batch = largerBatch;
    return largerBatch;
  }

  protected check(item: unknown, index: number): Fault | undefined {
    if (!isJsonObject(item)) return notObject(item, 'A reading');
    let sensorName: unknown;
    let at: unknown;
    let value: unknown;
    let unit: unknown;
    let quality: unknown;

    for (const field in item) {
      if (field === 'sensor') sensorName = item.sensor;
      else if (field === 'at') at = item.at;
      else if (field === 'value') value = item.value;
      else if (field === 'unit') unit = item.unit;
      else if (field === 'quality') quality = item.quality;
      else return unknownField(field, 'sensor, at, value, unit and quality');
    }

    const sensor =
      typeof sensorName === 'string' ? sensorNamed(this.#sensors, sensorName) : undefined;
    if (sensor === undefined || !sensor.isActive) {
      return sensorFault(sensorName, sensor);
    }

    const atUs = measuredUs(at);
    if (atUs === undefined || atUs < earliestMeasuredUs) {
      return instantFault(at, atUs);
    }
    if (atUs > this.#latestUs) return aheadFault(at, atUs);
    if (atUs < this.#earliestUs) return fault('past_retention');

    const numericValue = typeof value === 'boolean' ? Number(value) : value;
    if (typeof numericValue !== 'number' || !Number.isFinite(numericValue)) {
      return valueFault(value);
    }
    if (unit !== undefined && unit !== null && unit !== sensor.unit) {
      return unitFault(unit, sensor);
    }

    let qualityCode = 0;
    if (quality !== undefined && quality !== null) {
      qualityCode = qualities.indexOf(quality as (typeof qualities)[number]) + 1; // anything else is not found
      if (qualityCode === 0) return qualityFault(quality);
    }
    this.keep(index, sensor.series, atUs, numericValue, qualityCode);
    return undefined;
  }
}

function sensorCodeOf(sensors: SensorDirectory, series: number | undefined): string | null {
  for (const sensor of sensors.values()) {
    if (sensor.series === series) return sensor.code;
  }
  return null;
}

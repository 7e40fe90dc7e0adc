import {
  type BatchResult,
  type Heartbeat,
  type ReadingStore,
  type SensorDirectory,
  sensorNamed,
} from '../port/readings.ts';
import type { Clock } from '../time/instants.ts';
import { aheadFault, instantFault } from './instant-faults.ts';
import { earliestMeasuredUs, maxAheadUs, measuredUs } from './instants.ts';
import {
  type Fault,
  fault,
  isJsonObject,
  nothingKept,
  notObject,
  sensorFault,
  shown,
  unknownField,
  Validator,
} from './rejections.ts';

export const heartbeatStatuses = ['ok', 'degraded', 'fault'] as const;

export class HeartbeatValidator extends Validator {
  readonly heartbeats: Heartbeat[] = [];
  readonly positions: number[] = [];
  readonly #sensors: SensorDirectory;
  readonly #nowUs: number;
  readonly #receiptUs: () => number;

  /** Without `at` a heartbeat takes the time of receipt, which `receiptUs` gives. */
  constructor(sensors: SensorDirectory, nowUs: number, receiptUs: () => number) {
    super();
    this.#sensors = sensors;
    this.#nowUs = nowUs;
    this.#receiptUs = receiptUs;
  }

  store(readings: ReadingStore): Promise<BatchResult> {
    return this.heartbeats.length === 0
      ? Promise.resolve(nothingKept)
      : readings.appendHeartbeats(this.heartbeats);
  }

  protected check(item: unknown, index: number): Fault | undefined {
    if (!isJsonObject(item)) return notObject(item, 'A heartbeat');
    for (const field in item) {
      if (!heartbeatFields.has(field)) {
        return unknownField(field, 'sensor, at, status, battery, signal and firmware');
      }
    }

    const {
      sensor: sensorName,
      at,
      status = null,
      battery = null,
      signal = null,
      firmware = null,
    } = item;
    const sensor =
      typeof sensorName === 'string' ? sensorNamed(this.#sensors, sensorName) : undefined;
    // An inactive sensor may send heartbeats: they are not measurements.
    if (sensor === undefined) return sensorFault(sensorName, undefined);

    const atUs = at === undefined || at === null ? this.#receiptUs() : measuredUs(at);
    if (atUs === undefined || atUs < earliestMeasuredUs) {
      return instantFault(at, atUs);
    }
    if (atUs > this.#nowUs + maxAheadUs) {
      return aheadFault(at, atUs);
    }

    if (status !== null && !isStatus(status)) {
      return invalidField('status', status, 'use ok, degraded or fault');
    }
    if (battery !== null && !isWithin(battery, 0, 100)) {
      return invalidField('battery', battery, 'use a number from 0 to 100');
    }
    if (signal !== null && !isWithin(signal, -200, 100)) {
      return invalidField('signal', signal, 'use a number of dBm from -200 to 100');
    }
    if (firmware !== null && !isFirmware(firmware)) {
      return invalidField(
        'firmware',
        firmware,
        'use a text of 1 to 64 characters without control characters',
      );
    }

    this.heartbeats.push({
      series: sensor.series,
      atUs,
      status,
      battery,
      signal,
      firmware,
    });
    this.positions.push(index);
    return undefined;
  }
}

/** Creates times of receipt (epoch µs), each later than the one before unless the clock was set back: two at once stay two. */
export function createReceipts(clock: Clock): () => number {
  let lastUs = 0;
  return () => {
    const nowUs = clock() * 1000;

    const isInOrder = nowUs > lastUs || lastUs - nowUs > maxReceiptLeadUs;
    lastUs = isInOrder ? nowUs : lastUs + 1;
    return lastUs;
  };
}

/** Far more receipts than one millisecond can bring: a larger step back means that the clock was set back. */
const maxReceiptLeadUs = 1e6;

function invalidField(
  field: 'status' | 'battery' | 'signal' | 'firmware',
  value: unknown,
  rule: string,
): Fault {
  return fault(`invalid_${field}`, `The ${field} ${shown(value)} is not valid; ${rule}.`);
}

const heartbeatFields = new Set(['sensor', 'at', 'status', 'battery', 'signal', 'firmware']);

function isStatus(value: unknown): value is string {
  return (heartbeatStatuses as readonly unknown[]).includes(value);
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

function isFirmware(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= 64 &&
    !/[\p{Cc}\p{Cs}]/u.test(value)
  );
}

import { type Heartbeat, readingColumns, type SensorDirectory } from '../core/port/readings.ts';
import { dayAt } from '../core/time/calendar.ts';
import { createChance } from './random.ts';
import { assetList, sensorKinds } from './words.ts';

/** The thermocouple of this sensor broke some hours ago, and this one has been silent for more than a day. */
export const [faultySensor, silentSensor] = ['OVEN-2-T1', 'QUENCH-1-T2'];

const minuteMs = 60_000;
const stepMinutes = 2;
const faultyMinutes = 300;
const silentFrom = 33 * 60;
const silentTo = 27 * 60;
/** The other sensors have sent for a bit more than a day. */
const sentMinutes = 26 * 60;

/** Readings of a plant's sensors, and when readings of the faulty one were rejected since they had no value (epoch ms). */
interface SentData {
  rows: number[];
  heartbeats: Heartbeat[];
  rejectedMs: number[];
}

/** Draws a reading of every sensor for every other minute of the last day, and a heartbeat for each hour; with or without faults. */
export function demoReadings(
  sensors: SensorDirectory,
  plant: {
    nowMs: number;
    timezone: string;
    seed: number;
    hasFaults?: boolean;
  },
): SentData {
  const { nowMs, timezone, seed, hasFaults = true } = plant;
  const chance = createChance(seed);
  const sentData: SentData = {
    rows: [],
    heartbeats: [],
    rejectedMs: [],
  };
  const { fromMs } = dayAt(nowMs, timezone);
  const minuteOfToday = Math.floor((nowMs - fromMs) / minuteMs);
  // Two days more, so that no earlier minute is negative.
  const minuteAt = (minutesAgo: number) => minuteOfToday - minutesAgo + 2 * 1440;

  for (const [assetIndex, [machine, , , levels]] of assetList.entries()) {
    for (const [kind] of sensorKinds) {
      const code = `${machine}-${kind}`;
      const series = sensors.get(code)?.series;
      if (series === undefined) continue;

      const isSilent = hasFaults && code === silentSensor;
      const [sentFrom, sentTo] = isSilent ? [silentFrom, silentTo] : [sentMinutes, 0];
      const measure = createMeter(levels, kind, chance.fraction);
      for (let minutesAgo = silentFrom; minutesAgo >= sentTo; minutesAgo -= stepMinutes) {
        const measured = measure(works(machine, minuteAt(minutesAgo), assetIndex));
        if (minutesAgo > sentFrom) continue;

        const atMs = Math.floor(nowMs / minuteMs - minutesAgo) * minuteMs;
        const isFaulty = hasFaults && code === faultySensor && minutesAgo <= faultyMinutes;
        if (isFaulty && minutesAgo % 4 === 0) {
          sentData.rejectedMs.push(atMs);
        } else {
          const value = isFaulty ? openThermocoupleCel : measured;
          const quality = isFaulty ? qualityBad : 0;
          sentData.rows.push(series, atMs * 1000, value, quality);
        }
        if ((minutesAgo - sentTo) % 60 === 0) {
          const status = isFaulty ? 'fault' : 'ok';
          sentData.heartbeats.push(heartbeat(series, atMs, status, minutesAgo));
        }
      }
    }
  }
  return sentData;
}

/** An open thermocouple reads as the end of its range. */
const openThermocoupleCel = 1372;

const qualityBad = 3;

export function* batchesOf(rows: readonly number[], batchSize: number) {
  const batchLength = batchSize * readingColumns;
  for (let batchStart = 0; batchStart < rows.length; batchStart += batchLength) {
    const batchRows = Float64Array.from(rows.slice(batchStart, batchStart + batchLength));
    yield { count: batchRows.length / readingColumns, rows: batchRows };
  }
}

/** Ovens work through three batches a day, each with five hours of heat; machines in two shifts with breaks. */
function works(machine: string, minute: number, assetIndex: number): boolean {
  if (machine.startsWith('OVEN')) {
    return (minute + assetIndex * 110) % 480 < 300;
  }
  const minuteOfDay = minute % 1440;
  const isBreak = [540, 740, 1080].some((breakMinute) => {
    const breakStart = breakMinute + assetIndex;
    return minuteOfDay >= breakStart && minuteOfDay < breakStart + 30;
  });
  const isShift = minuteOfDay >= 360 && minuteOfDay < 1320;
  return isShift && !isBreak;
}

/** Creates the measurement of a sensor, step by step: it approaches the level of its machine at rest or at work, with some noise. */
function createMeter(machineLevels: readonly number[], kind: string, fraction: () => number) {
  const [restCel = 0, workCel = 0, lagMinutes = 1] = machineLevels;
  const [, , , restBar = 0, workBar = 0, restKw = 0, workKw = 0] = machineLevels;
  const isPower = kind === 'E1';
  const isPressure = kind === 'P1';
  let restLevel = restCel;
  let workLevel = workCel;
  if (isPower) {
    restLevel = restKw;
    workLevel = workKw;
  } else if (isPressure) {
    restLevel = restBar;
    workLevel = workBar;
  }

  const approachMinutes = kind.startsWith('T') ? lagMinutes : 3;
  const noise = isPower ? 0.06 : 0.005;
  let level = restLevel;
  let wasAtWork = false;
  let openSteps = 0;
  return (isAtWork: boolean): number => {
    if (wasAtWork !== isAtWork) openSteps = 4;
    wasAtWork = isAtWork;
    // The second zone stays a little cooler.
    const zoneFactor = kind === 'T2' ? 0.985 : 1;
    const target = (isAtWork ? workLevel : restLevel) * zoneFactor;
    level += (target - level) * (stepMinutes / approachMinutes);
    if (kind === 'S1') return openSteps-- > 0 ? 1 : 0;

    const measured = level * (1 + (fraction() - 0.5) * noise);
    return Number(measured.toFixed(isPressure ? 3 : 1));
  };
}

function heartbeat(series: number, atMs: number, status: string, minutesAgo: number): Heartbeat {
  return {
    series,
    atUs: atMs * 1000,
    status,
    // Most sensors hang on a cable.
    battery: series % 5 === 0 ? 15 + ((series * 37) % 83) : null,
    signal: -48 - (minutesAgo % 7),
    firmware: '2.4.1',
  };
}

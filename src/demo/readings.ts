import { type Heartbeat, readingColumns, type SensorDirectory } from '../core/port/readings.ts';
import { dayAt } from '../core/time/calendar.ts';
import { createChance } from './random.ts';
import { assetList, sensorKinds } from './words.ts';

/** The thermocouple of this sensor broke some hours ago, and this one has been silent for more than a day. */
export const [faultySensor, silentSensor] = ['OVEN-2-T1', 'QUENCH-1-T2'];

const minuteMs = 60_000;
const stepMinutes = 2;
const faultyMinutes = 300;
const [silentFrom, silentTo] = [33 * 60, 27 * 60];
/** The other sensors have sent for a bit more than a day. */
const sentMinutes = 26 * 60;

/** Readings of a plant's sensors, and when readings of the faulty one were rejected since they had no value (epoch ms). */
interface Sent {
  rows: number[];
  heartbeats: Heartbeat[];
  rejectedMs: number[];
}

/** Draws a reading of every sensor for every other minute of the last day, and a heartbeat for each hour; with or without faults. */
export function demoReadings(
  sensors: SensorDirectory,
  {
    nowMs,
    timezone,
    seed,
    hasFaults = true,
  }: { nowMs: number; timezone: string; seed: number; hasFaults?: boolean },
): Sent {
  const chance = createChance(seed);
  const sent: Sent = { rows: [], heartbeats: [], rejectedMs: [] };
  const { fromMs } = dayAt(nowMs, timezone);
  const minute = (ago: number) => Math.floor((nowMs - fromMs) / minuteMs) - ago + 2 * 1440;
  for (const [place, [machine, , , levels]] of assetList.entries()) {
    for (const [kind] of sensorKinds) {
      const code = `${machine}-${kind}`;
      const series = sensors.get(code)?.series;
      if (series === undefined) continue;
      const [from, to] =
        hasFaults && code === silentSensor ? [silentFrom, silentTo] : [sentMinutes, 0];
      const next = meterOf(levels, kind, chance.fraction);
      for (let ago = silentFrom; ago >= to; ago -= stepMinutes) {
        const measured = next(works(machine, minute(ago), place));
        if (ago > from) continue;
        const atMs = Math.floor(nowMs / minuteMs - ago) * minuteMs;
        const isFaulty = hasFaults && code === faultySensor && ago <= faultyMinutes;
        if (isFaulty && ago % 4 === 0) sent.rejectedMs.push(atMs);
        // An open thermocouple reads as the end of its range.
        else
          sent.rows.push(
            series,
            atMs * 1000,
            isFaulty ? 1372 : measured,
            isFaulty ? qualityBad : 0,
          );
        if ((ago - to) % 60 === 0)
          sent.heartbeats.push(heartbeat(series, atMs, isFaulty ? 'fault' : 'ok', ago));
      }
    }
  }
  return sent;
}

const qualityBad = 3;

export function* batchesOf(rows: readonly number[], batchSize: number) {
  for (let at = 0; at < rows.length; at += batchSize * readingColumns) {
    const part = Float64Array.from(rows.slice(at, at + batchSize * readingColumns));
    yield { count: part.length / readingColumns, rows: part };
  }
}

/** Ovens work through three batches a day, each with five hours of heat; machines in two shifts with breaks. */
function works(machine: string, minute: number, place: number): boolean {
  if (machine.startsWith('OVEN')) return (minute + place * 110) % 480 < 300;
  const ofDay = minute % 1440;
  const isBreak = [540, 740, 1080].some(
    (start) => ofDay >= start + place && ofDay < start + place + 30,
  );
  return ofDay >= 360 && ofDay < 1320 && !isBreak;
}

/** Creates what a sensor measures step by step: it approaches the level of its machine at rest or at work, with some noise. */
function meterOf(
  [
    restCel = 0,
    workCel = 0,
    lag = 1,
    restBar = 0,
    workBar = 0,
    restKw = 0,
    workKw = 0,
  ]: readonly number[],
  kind: string,
  fraction: () => number,
) {
  const isPower = kind === 'E1';
  const levels = isPower
    ? [restKw, workKw]
    : kind === 'P1'
      ? [restBar, workBar]
      : [restCel, workCel];
  const minutes = kind.startsWith('T') ? lag : 3;
  const noise = isPower ? 0.06 : 0.005;
  let level = levels[0] ?? 0;
  let worked = false;
  let isOpen = 0;
  return (isAtWork: boolean): number => {
    if (worked !== isAtWork) isOpen = 4;
    worked = isAtWork;
    // The second zone stays a little cooler.
    const target = (levels[isAtWork ? 1 : 0] ?? 0) * (kind === 'T2' ? 0.985 : 1);
    level += (target - level) * (stepMinutes / minutes);
    if (kind === 'S1') return isOpen-- > 0 ? 1 : 0;
    return Number((level * (1 + (fraction() - 0.5) * noise)).toFixed(kind === 'P1' ? 3 : 1));
  };
}

function heartbeat(series: number, atMs: number, status: string, ago: number): Heartbeat {
  return {
    series,
    atUs: atMs * 1000,
    status,
    // Most sensors hang on a cable.
    battery: series % 5 === 0 ? 15 + ((series * 37) % 83) : null,
    signal: -48 - (ago % 7),
    firmware: '2.4.1',
  };
}

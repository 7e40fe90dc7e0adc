import type { Domain } from '../domain/domain.ts';
import type { Reading, Sensor } from '../port/readings.ts';

export interface SensorReading extends Reading {
  sensor: Sensor;
}

/** Readings of parallel connections arrive in any order; what is older than this is of a gateway that catches up. */
const lateUs = 60_000_000;
const pageSize = 1000;

/** Yields what any process stores from now on, until the signal aborts; nothing for the first look at the store. */
export async function* followReadings(
  domain: Domain,
  sensors: readonly Sensor[],
  signal: AbortSignal,
): AsyncGenerator<SensorReading[]> {
  const followed = sensors.map((sensor) => ({
    sensor,
    newestUs: Number.NEGATIVE_INFINITY,
    known: new Set<number>(),
  }));
  const series = sensors.map((sensor) => sensor.series);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const states = await domain.store.readings.states(series);
    const found: SensorReading[] = [];
    for (const one of followed) {
      const newestUs = states.get(one.sensor.series)?.lastReadingAtUs ?? Number.NEGATIVE_INFINITY;
      if (newestUs === one.newestUs) continue;
      // What arrived since the last look, however much that is, and what came late.
      const fromUs = Math.min(newestUs, isFirst ? newestUs : one.newestUs) - lateUs;
      const readings = await readFrom(
        domain,
        one.sensor,
        Math.max(fromUs, Number.MIN_SAFE_INTEGER),
      );
      // Nothing new has arrived if the newest were erased.
      const isNew = !isFirst && newestUs > one.newestUs;
      if (isNew) found.push(...readings.filter(({ atUs }) => !one.known.has(atUs)));
      one.newestUs = newestUs;
      one.known = new Set(
        readings.map(({ atUs }) => atUs).filter((atUs) => atUs >= newestUs - lateUs),
      );
    }
    yield found.sort((a, b) => a.atUs - b.atUs);
  }
}

async function readFrom(domain: Domain, sensor: Sensor, fromUs: number): Promise<SensorReading[]> {
  const all: SensorReading[] = [];
  for (let nextUs = fromUs; ; ) {
    const page = await domain.store.readings.range({
      series: sensor.series,
      fromUs: nextUs,
      limit: pageSize,
    });
    all.push(...page.map((reading) => ({ ...reading, sensor })));
    const last = page.at(-1);
    if (page.length < pageSize || !last) return all;
    nextUs = last.atUs + 1;
  }
}

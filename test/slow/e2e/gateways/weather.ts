import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SensorRow } from '../../../e2e/plant.ts';
import type { GatewayReading } from './gateway.ts';

/** What the stations measured each day, with its unit in UCUM. */
const measures = { precipitation: 'mm', temp_max: 'Cel', temp_min: 'Cel', wind: 'm/s' } as const;

export interface Station {
  sensors: SensorRow[];
  /** In order of time. */
  readings: GatewayReading[];
}

/**
 * What the weather stations of Seattle and New York measured on each day of 2012 to 2015 (NOAA; shipped by the npm package
 * vega-datasets): 2,922 station days of four measures. The file contains days; the microseconds within them are made here, an
 * odd one for each reading, so that a clock rounded to milliseconds would be seen.
 */
export function readWeather(): Map<string, Station> {
  const main = createRequire(__filename).resolve('vega-datasets');
  const [head = '', ...lines] = readFileSync(
    join(dirname(main), '..', 'data', 'weather.csv'),
    'utf8',
  )
    .trim()
    .split(/\r?\n/);
  const columns = head.split(',');
  const stations = new Map<string, Station>();
  for (const line of lines) {
    const cells = line.split(',');
    const day = Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
    const name = day.location ?? '';
    const station = stations.get(name) ?? { sensors: sensorsOf(name), readings: [] };
    stations.set(name, station);
    for (const [index, [measure, unit]] of Object.entries(measures).entries()) {
      const at = `${day.date}T18:${String(10 + index)}:07.${oddMicros(station.readings.length)}Z`;
      station.readings.push({
        sensor: codeOf(name, measure),
        at,
        value: Number(day[measure]),
        unit,
      });
    }
  }
  return stations;
}

function sensorsOf(station: string): SensorRow[] {
  return Object.entries(measures).map(([measure, unit]) => ({
    id: `WX-${codeOf(station, measure)}`,
    code: codeOf(station, measure),
    name: `${station}, ${measure}`,
    unit,
  }));
}

function codeOf(station: string, measure: string): string {
  return `${station.replaceAll(' ', '')}.${measure}`;
}

/** Six digits, the last of them odd; steps by a prime so that they look like a clock's. */
function oddMicros(index: number): string {
  return String(((index * 104_729) % 500_000) * 2 + 1).padStart(6, '0');
}

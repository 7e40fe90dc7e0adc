import { join } from 'node:path';
import { createReadings } from '../../../src/core/readings/series-readings.ts';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../src/store/sqlite/readings/stored.ts';
import { compactWhileIdle } from '../../../src/store/sqlite/readings/writer/compaction.ts';
import { type BenchPlant, createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, isShort, median } from '../harness.ts';
import {
  type Api,
  apiOf,
  dashboardReads,
  daySeconds,
  days,
  distanceSeconds,
  instant,
  pairedTimes,
  type Query,
  rounds,
  shownMs,
  startMs,
  warmUp,
} from './dashboards.ts';
import { type Peer, startInflux } from './peers.ts';

/** Sensors whose values have two decimals and wander. */
const sensors = isShort ? 20 : 100;
/** One reading a second of a sensor of its own, and the seconds between those of twenty more. */
const dense = { days: isShort ? 30 : 365, distanceSeconds: 1 } as const;
const sparse = { sensors: 20, distanceSeconds: 10 } as const;

/** Readings as dashboards read them, beside InfluxDB where it is installed; and years, in a given time. */
export async function run(): Promise<BenchReport[]> {
  const plant = createPlant();
  let peer: Peer | undefined;
  try {
    plant.importSensors(sensors + 1 + sparse.sensors);
    // The first list gives each sensor its number.
    plant.hkctl(['sensors', 'list', '--entity', 'ONE']);
    fill(plant);
    const api = await apiOf(plant);
    const reports = [await ofYears(api)];
    if (hasProgram('influxd') && hasProgram('cc')) {
      peer = await startInflux();
      reports.push(await beside(peer, api));
    }
    return reports;
  } finally {
    await peer?.remove();
    await plant.remove();
  }
}

/** The wandering value of each reading of a sensor, in hundredths. */
function* wandering(sensor: number, count: number): Generator<number> {
  let [hundredths, state] = [5000, sensor + 1];
  for (let n = 0; n < count; n++) {
    state = (state * 48_271) % 2_147_483_647;
    hundredths += (state % 41) - 20;
    yield hundredths;
  }
}

function fill(plant: BenchPlant): void {
  const connection = openFile(join(plant.folder, 'hkctl.readings.db'));
  const stored = new StoredReadings(connection);
  const seriesOf = connection
    .prepare<[string], number>('select series from series where sensor_id = ?')
    .pluck();
  const fillOne = (sensor: number, seconds: number, distance: number) => {
    const readings = createReadings(16_384);
    const values = wandering(sensor, seconds / distance);
    let second = 0;
    while (second < seconds) {
      readings.count = Math.min(readings.atUs.length, (seconds - second) / distance);
      for (let place = 0; place < readings.count; place++, second += distance) {
        readings.atUs[place] = (startMs + second * 1000) * 1000;
        readings.values[place] = Number(values.next().value) / 100;
      }
      stored.writing(() => stored.chunks.add(seriesOf.get(`S-${sensor}`) ?? 0, readings));
    }
  };
  for (let sensor = 0; sensor < sensors; sensor++)
    fillOne(sensor, days * daySeconds, distanceSeconds);
  fillOne(sensors, dense.days * daySeconds, dense.distanceSeconds);
  for (let n = 1; n <= sparse.sensors; n++)
    fillOne(sensors + n, dense.days * daySeconds, sparse.distanceSeconds);
  while (compactWhileIdle(stored));
  connection.close();
}

async function ofYears({ get }: Api): Promise<BenchReport> {
  const range = `from=${instant(0)}&to=${instant(dense.days * daySeconds)}&limit=10000`;
  const aggregates = 'agg=avg,min,max,count';
  const many = Array.from({ length: sparse.sensors }, (_, n) => `S-${sensors + 1 + n}`).join(',');
  const of = async (name: string, path: string, mostMs: number): Promise<BenchRow> => {
    const measure = async () => {
      const before = performance.now();
      const answer = await get(path);
      const { next_cursor: next } = (await answer.json()) as { next_cursor: string | null };
      if (next !== null) throw new Error(`${name} is more than one answer`);
      return performance.now() - before;
    };
    await warmUp(measure);
    const figures: number[] = [];
    for (let round = 0; round < rounds; round++) figures.push(await measure());
    const ours = median(figures);
    const bound = '<= 1';
    const shown = (ms: number) => `${ms.toFixed(0)} ms`;
    return { name, ours: shown(ours), baseline: shown(mostMs), ratio: ours / mostMs, bound };
  };
  const year = `/sensors/S-${sensors}/readings?${range}&${aggregates}`;
  return {
    title: `${dense.days} days of one sensor at 1 Hz, and of ${sparse.sensors} sensors at 0.1 Hz`,
    baseline: 'at most',
    rows: [
      await of('one sensor in hours, one answer', `${year}&bucket=1h`, 150),
      await of('one sensor in days, one answer', `${year}&bucket=1d`, 150),
      await of(
        `${sparse.sensors} sensors in days, one request`,
        `/readings?sensor=${many}&${range}&${aggregates}&bucket=1d`,
        500,
      ),
    ],
  };
}

async function beside(peer: Peer, api: Api): Promise<BenchReport> {
  await fillPeer(peer);
  const rows: BenchRow[] = [];
  for (const measuredRead of dashboardReads.filter(({ isBrief }) => !(isShort && isBrief))) {
    const { ours, baseline, ratio } = await pairedTimes(measuredRead, api, influxAddress(peer));
    rows.push({
      name: measuredRead.name,
      ours: shownMs(ours),
      baseline: shownMs(baseline),
      ratio,
      bound: `<= ${measuredRead.ofInflux}`,
    });
  }
  return {
    title: `Readings of ${sensors} sensors in ${days} days, one each ${distanceSeconds} s, beside InfluxDB`,
    baseline: 'InfluxDB',
    rows,
  };
}

const linesAtOnce = 20_000;

async function fillPeer({ writeUrl }: Peer): Promise<void> {
  const write = async (lines: readonly string[]) => {
    const answer = await fetch(writeUrl, { method: 'POST', body: lines.join('\n') });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  };
  for (let sensor = 0; sensor < sensors; sensor++) {
    let lines: string[] = [];
    let second = 0;
    for (const hundredths of wandering(sensor, (days * daySeconds) / distanceSeconds)) {
      const at = `${startMs + second * 1000}000000`;
      lines.push(`reading,sensor=S-${sensor} value=${hundredths / 100} ${at}`);
      second += distanceSeconds;
      if (lines.length < linesAtOnce) continue;
      await write(lines);
      lines = [];
    }
    if (lines.length > 0) await write(lines);
  }
}

function influxAddress({ writeUrl }: Peer): (query: Query) => string {
  const url = writeUrl.replace(/\/write.*/, '/query?db=bench&q=');
  const textOf = ({ sensor, fromSeconds, toSeconds, bucket }: Query) => {
    if (sensor === undefined) return 'select last(value) from reading group by sensor';
    const where = `sensor = 'S-${sensor}' and time >= '${instant(fromSeconds)}' and time < '${instant(toSeconds)}'`;
    return bucket
      ? `select mean(value), min(value), max(value) from reading where ${where} group by time(${bucket})`
      : `select value from reading where ${where}`;
  };
  return (query) => url + encodeURIComponent(textOf(query));
}

import { join } from 'node:path';
import { createColumns } from '../../../src/core/readings/columns.ts';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../src/store/sqlite/readings/stored.ts';
import { compactWhileIdle } from '../../../src/store/sqlite/readings/writer/compaction.ts';
import { type BenchPlant, createPlant } from '../daemon.ts';
import {
  type BenchReport,
  type BenchRow,
  hasProgram,
  isShort,
  median,
  paired,
} from '../harness.ts';
import { type Peer, startInflux, startVictoria } from './peers.ts';

/** One reading each ten seconds of each sensor, with two decimals, wandering. */
const distanceSeconds = 10;
const daySeconds = 86_400;
const sensors = isShort ? 20 : 100;
const days = 30;
/** One reading a second of a sensor of its own, and the seconds between those of twenty more. */
const dense = { days: isShort ? 60 : 365, distanceSeconds: 1 } as const;
const sparse = { sensors: 20, distanceSeconds: 10 } as const;
const startMs = Date.UTC(2025, 0, 1);
const rounds = isShort ? 5 : 15;
/** The first reads of a kind measure the compiler of V8. */
const warmUps = 3;
const panels = 20;
/** Where the panels begin: in the middle of what is stored. */
const middle = Math.floor(days / 2) * daySeconds;

/** What is read: the part of the time, and how long a bucket is. */
interface Query {
  /** Undefined for the newest reading of each sensor. */
  sensor: number | undefined;
  fromSeconds: number;
  toSeconds: number;
  bucket?: '1m' | '5m' | '1h';
}

type Ask = (queries: readonly Query[]) => Promise<void>;

interface Measured {
  name: string;
  queries: readonly Query[];
  /** Of InfluxDB's time at most. */
  bound: number;
  /** Whether hkctl is asked in one request. */
  isOne?: boolean;
}

const whole = { sensor: 7, fromSeconds: 0, toSeconds: days * daySeconds };
const oneDay = { sensor: 7, fromSeconds: middle, toSeconds: middle + daySeconds };
const panelQueries = Array.from({ length: panels }, (_, sensor): Query => {
  const toSeconds = middle + 6 * 3600;
  return { sensor, fromSeconds: middle, toSeconds, bucket: '1m' };
});
const measured: readonly Measured[] = [
  { name: 'a day, raw', queries: [oneDay], bound: 0.5 },
  { name: 'a day in 5 minutes', queries: [{ ...oneDay, bucket: '5m' }], bound: 0.3 },
  { name: `${days} days in hours`, queries: [{ ...whole, bucket: '1h' }], bound: 0.1 },
  { name: `${days} days, raw`, queries: [whole], bound: 0.45 },
  {
    name: 'last value of every sensor',
    queries: [{ ...whole, sensor: undefined }],
    bound: 0.2,
  },
  { name: `${panels} panels of 6 hours in 1 minute, at once`, queries: panelQueries, bound: 1 },
  {
    name: 'the same panels in one request of hkctl',
    queries: panelQueries,
    bound: 0.5,
    isOne: true,
  },
];

/** Readings as dashboards read them, beside InfluxDB and VictoriaMetrics where they are installed; and years, in a given time. */
export async function run(): Promise<BenchReport[]> {
  const plant = createPlant();
  const peers: Peer[] = [];
  try {
    plant.importSensors(sensors + 1 + sparse.sensors);
    // The first list gives each sensor its number.
    plant.hkctl(['sensors', 'list', '--entity', 'ONE']);
    fill(plant);
    const get = await client(plant);
    const reports = [await ofYears(get)];
    for (const [program, start] of [
      ['influxd', startInflux],
      ['victoria-metrics', startVictoria],
    ] as const) {
      if (!hasProgram(program)) continue;
      const peer = await start();
      peers.push(peer);
      reports.push(await beside(peer, get));
    }
    return reports;
  } finally {
    for (const peer of peers) await peer.remove();
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
    const columns = createColumns(16_384);
    const values = wandering(sensor, seconds / distance);
    let second = 0;
    while (second < seconds) {
      columns.count = Math.min(columns.atUs.length, (seconds - second) / distance);
      for (let place = 0; place < columns.count; place++, second += distance) {
        columns.atUs[place] = (startMs + second * 1000) * 1000;
        columns.values[place] = Number(values.next().value) / 100;
      }
      stored.writing(() => stored.chunks.add(seriesOf.get(`S-${sensor}`) ?? 0, columns));
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

type Get = (path: string) => Promise<Response>;

async function client(plant: BenchPlant): Promise<Get> {
  const create = ['keys', 'create', '--name', 'dashboard', '--entity', 'ONE'];
  const secret = plant.hkctl([...create, '--preset', 'operational-core']).trim();
  const url = await plant.serve();
  // Without compression, which fetch would ask for.
  const headers = { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity' };
  return async (path) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer;
  };
}

const instant = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();

const parametersOf = ({ fromSeconds, toSeconds, bucket }: Query) => {
  const range = `from=${instant(fromSeconds)}&to=${instant(toSeconds)}&limit=100000`;
  return bucket ? `${range}&bucket=${bucket}&agg=avg,min,max` : range;
};

/** Reads all pages of a path. */
async function readAll(get: Get, path: string): Promise<void> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await get(`${path}${cursor}`);
    await answer.arrayBuffer();
    const next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(answer.headers.get('link') ?? '');
    cursor = next ? `&cursor=${next[1]}` : null;
  }
}

function askHkctl(get: Get): Ask {
  return async (queries) => {
    await Promise.all(
      queries.map((query) =>
        query.sensor === undefined
          ? readAll(get, '/sensors?limit=500')
          : readAll(get, `/sensors/S-${query.sensor}/readings?${parametersOf(query)}`),
      ),
    );
  };
}

function askInOne(get: Get): Ask {
  return ([first, ...others]) => {
    if (!first) throw new Error('nothing is asked for');
    const names = [first, ...others].map(({ sensor }) => `S-${sensor}`).join(',');
    return readAll(get, `/readings?sensor=${names}&${parametersOf(first)}`);
  };
}

async function ofYears(get: Get): Promise<BenchReport> {
  const range = `from=${instant(0)}&to=${instant(dense.days * daySeconds)}&limit=10000`;
  const aggregates = 'agg=avg,min,max,count';
  const many = Array.from({ length: sparse.sensors }, (_, n) => `S-${sensors + 1 + n}`).join(',');
  const of = async (name: string, path: string, mostMs: number): Promise<BenchRow> => {
    const figures: number[] = [];
    for (let round = -warmUps; round < rounds; round++) {
      const before = performance.now();
      const answer = await get(path);
      const { next_cursor: next } = (await answer.json()) as { next_cursor: string | null };
      if (next !== null) throw new Error(`${name} is more than one answer`);
      if (round >= 0) figures.push(performance.now() - before);
    }
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

async function beside(peer: Peer, get: Get): Promise<BenchReport> {
  await fillPeer(peer);
  const isInflux = peer.name === 'InfluxDB';
  const askPeer = isInflux ? askInflux(peer) : askVictoria(peer);
  const rows: BenchRow[] = [];
  for (const { name, queries, bound, isOne } of measured) {
    const askOurs = isOne ? askInOne(get) : askHkctl(get);
    const ofOurs = () => timed(() => askOurs(queries));
    const ofPeer = () => timed(() => askPeer(queries));
    for (let n = 0; n < warmUps; n++) await Promise.all([ofOurs(), ofPeer()]);
    const { ours, baseline, ratio } = await paired(rounds, ofOurs, ofPeer);
    const shown = (ms: number) => `${ms.toFixed(1)} ms`;
    rows.push({
      name,
      ours: shown(ours),
      baseline: shown(baseline),
      ratio,
      bound: isInflux ? `<= ${bound}` : null,
    });
  }
  return {
    title: `Readings of ${sensors} sensors in ${days} days, one each ${distanceSeconds} s, beside ${peer.name}`,
    baseline: peer.name,
    rows,
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
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

function askInflux({ writeUrl }: Peer): Ask {
  const url = writeUrl.replace(/\/write.*/, '/query?db=bench&q=');
  const textOf = ({ sensor, fromSeconds, toSeconds, bucket }: Query) => {
    if (sensor === undefined) return 'select last(value) from reading group by sensor';
    const where = `sensor = 'S-${sensor}' and time >= '${instant(fromSeconds)}' and time < '${instant(toSeconds)}'`;
    return bucket
      ? `select mean(value), min(value), max(value) from reading where ${where} group by time(${bucket})`
      : `select value from reading where ${where}`;
  };
  return async (queries) => {
    await Promise.all(queries.map((query) => read(url + encodeURIComponent(textOf(query)))));
  };
}

/** VictoriaMetrics computes one aggregate of a query where the others compute three. */
function askVictoria({ writeUrl }: Peer): Ask {
  const url = writeUrl.replace(/\/write.*/, '/api/v1');
  const pathOf = ({ sensor, fromSeconds, toSeconds, bucket }: Query) => {
    if (sensor === undefined) return `/query?query=last_over_time(reading_value[${days}d])`;
    const name = encodeURIComponent(`reading_value{sensor="S-${sensor}"}`);
    const [start, end] = [fromSeconds, toSeconds].map(instant);
    return bucket
      ? `/query_range?query=avg_over_time(${name}[${bucket}])&start=${start}&end=${end}&step=${bucket}`
      : `/export?match[]=${name}&start=${start}&end=${end}`;
  };
  return async (queries) => {
    await Promise.all(queries.map((query) => read(url + pathOf(query))));
  };
}

async function read(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

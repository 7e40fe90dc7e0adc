import { Client } from 'pg';
import { startServer } from '../store/postgres/server.ts';
import { type BenchPlant, createPlant } from './daemon.ts';
import { type BenchReport, type BenchRow, paired } from './harness.ts';
import { load } from './load/load.ts';

const connections = 64;
const seconds = 3;
const rounds = 3;

/** Small requests of a store on PostgreSQL against one on SQLite, on one machine over a Unix socket. */
export async function run(): Promise<BenchReport[]> {
  const server = await startServer(['shared_buffers=512MB']);
  const plants = [createPlant(server.address), createPlant()] as const;
  try {
    const [ours, sqlite] = await Promise.all(plants.map(open));
    if (!ours || !sqlite) throw new Error('a side is missing');
    const rows: BenchRow[] = [];
    for (const [name, path, bound] of [
      ['GET /me', '/me', '>= 0.6'],
      ['a kept page of 50', '/parts?limit=50', '>= 0.6'],
    ] as const) {
      const measured = await paired(rounds, ours(path), sqlite(path));
      const shown = (figure: number) => Math.round(figure).toLocaleString('en');
      rows.push({
        name,
        ours: shown(measured.ours),
        baseline: shown(measured.baseline),
        ratio: measured.ratio,
        bound,
      });
    }
    const title = `PostgreSQL: requests/s at ${connections} connections`;
    const buckets = await compareBuckets(server.address, plants[0]);
    return [{ title, baseline: 'hkctl on SQLite', rows }, buckets];
  } finally {
    for (const plant of plants) await plant.remove();
    await server.stop();
  }
}

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 8, 1);
/** Of a reading every ten seconds, and of one a second, each by a sensor of its own. */
const ranges = [
  { name: 'a month in hours', days: 30, stepMs: 10_000, bucket: '1h', width: '1 hour' },
  { name: 'a day in 5 minutes', days: 1, stepMs: 10_000, bucket: '5m', width: '5 minutes' },
  { name: 'a day at 1 Hz in 5 minutes', days: 1, stepMs: 1000, bucket: '5m', width: '5 minutes' },
] as const;
const bucketPairs = 41;

/** Buckets of a daemon that is up against a query of the same means, minima and maxima; one after the other, by turns. */
async function compareBuckets(address: string, plant: BenchPlant): Promise<BenchReport> {
  plant.importSensors(ranges.length);
  const lines = ranges.flatMap(({ days, stepMs }, sensor) =>
    Array.from({ length: (days * dayMs) / stepMs }, (_, n) => {
      const value = Math.round(2000 + 500 * Math.sin(n / 600) + (n % 17)) / 100;
      return `SENSOR-${sensor},${new Date(startMs + n * stepMs).toISOString()},${value}`;
    }),
  );
  const file = ['sensor,at,value', ...lines].join('\n');
  plant.hkctl(['import', 'readings', '-', '--entity', 'ONE', '--format', 'csv'], file);
  const headers = { authorization: `Bearer ${plant.key('operational-core')}` };
  await plant.stop();
  const url = `${await plant.serve()}/api/v1`;
  const client = new Client({ connectionString: address });
  await client.connect();
  const timed = (work: () => Promise<unknown>) => async () => {
    const beganMs = performance.now();
    await work();
    return performance.now() - beganMs;
  };
  try {
    await client.query('vacuum analyze hkctl.readings');
    const rows: BenchRow[] = [];
    for (const [sensor, { name, days, bucket, width }] of ranges.entries()) {
      const {
        rows: [numbers = []],
      } = await client.query<number[]>({
        text: 'select entity, series from hkctl.series where sensor_id = $1',
        values: [`S-${sensor}`],
        rowMode: 'array',
      });
      const toMs = startMs + days * dayMs;
      let turn = 0;
      const ours = timed(async () => {
        // No answer is one kept in memory.
        const from = startMs - ++turn;
        const path = `/sensors/S-${sensor}/readings?bucket=${bucket}&agg=avg,min,max&limit=10000&from=${from}&to=${toMs}`;
        await (await fetch(url + path, { headers })).text();
      });
      const bare = timed(() =>
        client.query(
          `select date_bin('${width}', to_timestamp(at_us / 1e6), 'epoch') as at, avg(value), min(value), max(value)
           from hkctl.readings where entity = $1 and series = $2 and at_us >= $3 and at_us < $4 group by 1 order by 1`,
          [...numbers, startMs * 1000, toMs * 1000],
        ),
      );
      for (let round = 0; round < 5; round++) await ours();
      const measured = await paired(bucketPairs, ours, bare);
      const shown = (ms: number) => `${ms.toFixed(1)} ms`;
      rows.push({
        name,
        ours: shown(measured.ours),
        baseline: shown(measured.baseline),
        ratio: 1 / measured.ratio,
        bound: '>= 0.8',
      });
    }
    return { title: 'PostgreSQL: buckets, rate against', baseline: 'a bare query', rows };
  } finally {
    await client.end();
  }
}

/** Serves a plant with a page of parts; gives what measures a path of it. */
async function open(plant: BenchPlant): Promise<(path: string) => () => Promise<number>> {
  const parts = Array.from({ length: 50 }, (_, n) => `P-${n},Part ${n},PN-${n},true`);
  const file = ['id,name,part_number,is_active', ...parts].join('\n');
  plant.hkctl(['import', 'parts', '-', '--entity', 'ONE', '--format', 'csv'], file);
  const headers = { authorization: `Bearer ${plant.key('operational-core')}` };
  const url = `${await plant.serve()}/api/v1`;
  return (path) => async () =>
    (await load({ url: `${url}${path}`, headers, seconds, connections })).requestsPerSecond;
}

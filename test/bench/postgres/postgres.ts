import { startServer } from '../../store/postgres/server.ts';
import { type BenchPlant, createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, paired } from '../harness.ts';
import { load, loadReadings } from '../load/load.ts';
import { type BareServer, insertRate, startBareServer } from './bare.ts';
import { importing } from './import.ts';

const sizes = [1, 10, 100, 1000, 5000] as const;
const sensorCount = 5000;
const connections = 64;
const seconds = 3;
const rounds = 3;

/** A store on PostgreSQL beside one on SQLite and beside the bare driver, on one machine over a Unix socket, with fsync. */
export async function run(): Promise<BenchReport[]> {
  const title = 'PostgreSQL';
  if (!hasProgram('cc'))
    return [{ title, baseline: '', rows: [], notes: ['skipped: it needs a C compiler'] }];
  // As on a server of its own; the tests have many small ones.
  const memory = ['shared_buffers=512MB', 'max_wal_size=4GB'];
  const server = await startServer(['fsync=on', 'full_page_writes=on', ...memory]);
  const postgres = createPlant(server.address);
  const sqlite = createPlant();
  try {
    const sides = [await open(postgres), await open(sqlite)] as const;
    const series = new Map(Array.from({ length: sensorCount }, (_, n) => [`SENSOR-${n}`, n]));
    const bare = await startBareServer(server.address, series);
    try {
      return [
        await reads(...sides),
        await ingest(sides[0], bare, server.address),
        await importing(server),
      ];
    } finally {
      await bare.close();
    }
  } finally {
    await postgres.remove();
    await sqlite.remove();
    await server.stop();
  }
}

interface Side {
  url: string;
  headers: Record<string, string>;
}

async function open(plant: BenchPlant): Promise<Side> {
  plant.importSensors(sensorCount);
  plant.hkctl(['import', 'parts', '-', '--entity', 'ONE', '--format', 'csv'], partsCsv());
  const secret = plant
    .hkctl(['keys', 'create', '--name', 'bench', '--entity', 'ONE', '--preset', 'operational-core'])
    .trim();
  return {
    url: await plant.serve(),
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
  };
}

async function reads(ours: Side, baseline: Side): Promise<BenchReport> {
  const requests = [
    { name: 'GET /me', path: '/me', floor: 0.7 },
    { name: 'a page of 50, kept', path: '/parts?limit=50', floor: 0.7 },
    { name: 'a page of 50, read anew', path: anewPath, floor: null },
  ];
  const rows: BenchRow[] = [];
  for (const { name, path, floor } of requests) {
    const measure =
      ({ url, headers }: Side) =>
      async () =>
        (await load({ url: `${url}/api/v1${path}`, headers, seconds, connections }))
          .requestsPerSecond;
    rows.push(rowOf(name, await paired(rounds, measure(ours), measure(baseline)), floor));
  }
  return {
    title: `Requests/s at ${connections} connections`,
    baseline: 'hkctl on SQLite',
    rows,
  };
}

async function ingest(ours: Side, bare: BareServer, address: string): Promise<BenchReport> {
  const rows: BenchRow[] = [];
  let start = Date.UTC(2001, 0, 1) / 1000;
  for (const size of sizes) {
    const measure = (url: string, headers: Record<string, string>) => async () => {
      // Another stretch of time for every run: nothing is a duplicate.
      start += 2_000_000;
      const given = {
        connections: size >= 1000 ? 8 : connections,
        seconds,
        sensors: sensorCount,
        inBody: size,
        size,
        start,
      };
      return (
        (await loadReadings({ ...given, url, headers, format: 'json' })).requestsPerSecond * size
      );
    };
    const hkctl = measure(`${ours.url}/api/v1/sensors/readings`, ours.headers);
    // Large bodies would measure the parser of JSON: there the baseline has no server at all.
    const baseline =
      size >= 1000 ? () => insertRate(address, size, seconds) : measure(bare.url, {});
    rows.push(rowOf(`${size} a POST`, await paired(rounds, hkctl, baseline), 0.8));
  }
  return {
    title: `Readings/s at ${connections} connections (8 from 1000 a POST on), ${sensorCount} sensors, answered after the commit`,
    baseline: 'pg behind node:http, alone from 1000 on',
    rows,
  };
}

function rowOf(
  name: string,
  { ours, baseline, ratio }: Awaited<ReturnType<typeof paired>>,
  floor: number | null,
): BenchRow {
  const shown = (figure: number) => Math.round(figure).toLocaleString('en');
  return {
    name,
    ours: shown(ours),
    baseline: shown(baseline),
    ratio,
    bound: floor === null ? null : `>= ${floor}`,
  };
}

/** Each request asks for another instant, of which the daemon keeps no finished page. */
const anewPath = '/parts?limit=50&updated_since=2001-01-01T00:00:00.@@@@@@Z';

function partsCsv(): string {
  const lines = Array.from(
    { length: 20_000 },
    (_, n) => `P-${n},Part ${n},PN-${n % 400},true,C${n % 9},${n / 8}`,
  );
  return `id,name,part_number,is_active,category,weight_kg\n${lines.join('\n')}\n`;
}

import { join } from 'node:path';
import { type BenchPlant, commandCpuUs, createPlant } from './daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, threadsCpuUs } from './harness.ts';
import { load, loadReadings } from './load/load.ts';

/** What each plant has, from a workshop to the largest that is promised. */
const plants = [
  { keys: 100, parts: 1000, sensors: 50, readings: 1_000_000 },
  { keys: 10_000, parts: 100_000, sensors: 500, readings: 5_000_000 },
  { keys: 100_000, parts: 1_000_000, sensors: 5000, readings: 24_000_000 },
].slice(0, Number(process.env.BENCH_HKCTL_PLANTS ?? 3));
const stepMs = 10_000;
const startMs = Date.UTC(2026, 8, 1);
const times = 3;
const seconds = 1;
const connections = 16;

const commands = (folder: string): readonly string[][] => [
  ['keys', 'list'],
  ['keys', 'list', '--limit', '20'],
  ['keys', 'create', '--name', 'another', '--entity', 'ONE', '--preset', 'sensor-gateway'],
  ['sensors', 'list'],
  ['status'],
  ['doctor', '--quick'],
  ['doctor'],
  ['audit', 'verify'],
  ['backup', join(folder, 'one.backup'), '--force'],
  ['backup', join(folder, 'one.backup.gz'), '--force'],
];

const countingFrom = `${Math.floor(startMs / 1_000_000) - 1}@@@@@@`;
const requests: readonly { name: string; path: string }[] = [
  { name: 'GET /me', path: '/me' },
  {
    name: 'parts by their number',
    path: '/parts?limit=50&part_number=N-@@@@@@',
  },
  { name: 'a part', path: '/parts/P-7' },
  { name: 'a page of 50 sensors with their last values', path: '/sensors?limit=50' },
  {
    name: 'an hour of a sensor in 5 minutes',
    path: `/sensors/S-1/readings?bucket=5m&agg=avg&from=${countingFrom}&to=${startMs + 3_600_000}`,
  },
];

/** Processor time of commands and requests on stores of growing size: what does not grow with its answer is to stay level. */
export async function run(): Promise<BenchReport> {
  const sizes = plants.map(({ keys, parts, sensors, readings }) =>
    [keys, parts, sensors, readings].map((count) => count.toLocaleString('en')).join(' / '),
  );
  const title = `Processor time on stores of ${sizes.join(', then ')} keys / parts / sensors / readings`;
  if (!hasProgram('cc'))
    return { title, baseline: '', rows: [], notes: ['skipped: it needs a C compiler'] };
  const figures = new Map<string, string[]>();
  for (const size of plants) {
    const plant = createPlant();
    try {
      fill(plant, size);
      for await (const [name, figure] of measure(plant, size.sensors))
        figures.set(name, [...(figures.get(name) ?? []), figure]);
    } finally {
      await plant.remove();
    }
  }
  const rows: BenchRow[] = [...figures].map(([name, taken]) => ({
    name,
    ours: taken.join(' | '),
    baseline: '',
    ratio: null,
    bound: null,
  }));
  return { title, baseline: '', rows };
}

function fill(
  plant: BenchPlant,
  { keys, parts, sensors, readings }: (typeof plants)[number],
): void {
  plant.addKeys(keys);
  plant.importSensors(sensors);
  const importLines = (
    noun: string,
    format: string,
    head: string,
    count: number,
    line: (n: number) => string,
  ) => {
    const most = 1_000_000;
    for (let from = 0; from < count; from += most) {
      const lines = Array.from({ length: Math.min(most, count - from) }, (_, n) => line(from + n));
      plant.hkctl(
        ['import', noun, '-', '--entity', 'ONE', '--format', format],
        head + lines.join('\n'),
      );
    }
  };
  importLines('parts', 'ndjson', '', parts, (n) =>
    JSON.stringify({ id: `P-${n}`, part_number: `N-${n}`, name: `Part ${n}`, is_active: true }),
  );
  importLines('readings', 'csv', 'sensor,at,value\n', readings, (n) => {
    const at = new Date(startMs + Math.floor(n / sensors) * stepMs).toISOString();
    return `SENSOR-${n % sensors},${at},${Math.round(2000 + 500 * Math.sin(n / 600) + (n % 17)) / 100}`;
  });
}

/** Names each command and request, with its processor time. */
async function* measure(plant: BenchPlant, sensors: number): AsyncGenerator<[string, string]> {
  const secret = plant.key('operational-core');
  const url = `${await plant.serve()}/api/v1`;
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const answered = async (work: () => Promise<{ requests: number }>) => {
    await work();
    const before = threadsCpuUs(plant.pid());
    const { requests } = await work();
    return `${((threadsCpuUs(plant.pid()) - before) / requests).toFixed(0)} µs`;
  };
  for (const { name, path } of requests) {
    const target = { url: `${url}${path}`, headers, connections, seconds };
    yield [name, await answered(() => load(target))];
  }
  let start = Date.UTC(2001, 0, 1) / 1000;
  const post = { headers, connections, seconds, format: 'json', inBody: 20, size: 100 } as const;
  const ingest = () => {
    start += 2_000_000;
    return loadReadings({ ...post, url: `${url}/sensors/readings`, sensors, start });
  };
  yield ['POST of 100 readings', await answered(ingest)];
  for (const args of commands(plant.folder)) {
    const ms = commandCpuUs(plant, args, times) / 1000;
    const shown = args.map((arg) => arg.replace(`${plant.folder}/`, '')).join(' ');
    yield [`hkctl ${shown}`, ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`];
  }
}

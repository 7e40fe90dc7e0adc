import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createColumns } from '../../../src/core/readings/columns.ts';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../src/store/sqlite/readings/stored.ts';
import { IngestWriter, toGroup } from '../../../src/store/sqlite/readings/writer/ingest-writer.ts';
import { type BenchPlant, createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, median, paired } from '../harness.ts';

const sensors = 5000;
const day = 86_400;
const year = 365 * day;
const exported = 30 * day;
const startMs = Date.UTC(2025, 0, 1);
const rounds = 7;
const cli = join(process.cwd(), 'bin', 'hkctl.js');

/**
 * Readings read back: a year of one sensor at 1 Hz with two decimals in chunks, and 400,000 of 5,000 sensors that are in the
 * log alone while commands read.
 */
export async function run(): Promise<BenchReport> {
  const plant = createPlant();
  try {
    plant.importSensors(sensors);
    // The first list gives each sensor its number.
    plant.hkctl(['sensors', 'list', '--entity', 'ONE']);
    fill(plant);
    const commands = [
      await exportOf(plant),
      command(plant, ['sensors', 'list', '--entity', 'ONE']),
      command(plant, ['status']),
    ];
    const secret = plant
      .hkctl([
        'keys',
        'create',
        '--name',
        'reader',
        '--entity',
        'ONE',
        '--preset',
        'operational-core',
      ])
      .trim();
    const url = `${await plant.serve()}/api/v1/sensors/S-0/readings`;
    const get = async (query: string) => {
      // Without compression, which fetch would ask for.
      const headers = { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity' };
      const answer = await fetch(`${url}?${query}`, { headers });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      return answer;
    };
    const rows = [await dayOf(plant, get), await yearOf(plant, get), ...commands];
    return {
      title: `Readings read back (medians of ${rounds} paired runs)`,
      baseline: 'baseline',
      rows,
    };
  } finally {
    await plant.remove();
  }
}

function fill(plant: BenchPlant): void {
  const connection = openFile(join(plant.folder, 'hkctl.readings.db'));
  const stored = new StoredReadings(connection);
  const seriesOf = connection
    .prepare<[string], number>('select series from series where sensor_id = ?')
    .pluck();
  const [first = 0] = [seriesOf.get('S-0')];
  const columns = createColumns(200_000);
  let hundredths = 5000;
  for (let from = 0; from < year; from += columns.count) {
    columns.count = Math.min(columns.atUs.length, year - from);
    for (let place = 0; place < columns.count; place++) {
      hundredths += Math.round((Math.random() - 0.5) * 40);
      columns.atUs[place] = (startMs + (from + place) * 1000) * 1000;
      columns.values[place] = hundredths / 100;
    }
    stored.writing(() => stored.chunks.add(first, columns));
  }
  const numbers = connection
    .prepare<[], number>('select series from series order by series')
    .pluck()
    .all();
  const writer = new IngestWriter(connection, stored);
  for (let second = 0; second < 80; second++) {
    const atUs = (startMs + (year + second) * 1000) * 1000;
    const rows = Float64Array.from(
      numbers.flatMap((series) => [series, atUs, 20 + (second % 50) / 10, 0]),
    );
    writer.write([toGroup([{ count: numbers.length, rows }])]);
  }
  connection.close();
}

type Get = (query: string) => Promise<Response>;

const instant = (second: number) => new Date(startMs + second * 1000).toISOString();

/** CPU of both, since a machine that is busy with something else delays the two threads and the client of a read. */
async function dayOf(plant: BenchPlant, get: Get): Promise<BenchRow> {
  const queryOf = (number: number) =>
    `limit=${day}&from=${instant(number * day)}&to=${instant((number + 1) * day)}`;
  const { data } = (await (await get(queryOf(1))).json()) as { data: unknown[] };
  const days = 10;
  const read = async (round: number) => {
    const before = plant.cpuMs();
    for (let n = 0; n < days; n++) await (await get(queryOf(2 + round * days + n))).arrayBuffer();
    return (plant.cpuMs() - before) / days;
  };
  const stringify = () => {
    const before = process.cpuUsage();
    for (let n = 0; n < days; n++) JSON.stringify(data);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / days;
  };
  let round = 0;
  const { ours, baseline, ratio } = await paired(rounds, () => read(round++), stringify);
  const shown = (ms: number) => `${ms.toFixed(0)} ms`;
  return {
    name: 'a day of 1 Hz through the API, JSON.stringify, CPU',
    ours: shown(ours),
    baseline: shown(baseline),
    ratio: 1 / ratio,
    bound: '>= 0.5',
  };
}

async function yearOf(plant: BenchPlant, get: Get): Promise<BenchRow> {
  const figures: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = plant.cpuMs();
    let buckets = 0;
    const query = `bucket=1h&agg=avg,min,max&limit=10000&from=${instant(0)}&to=${instant(year)}`;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = (await (await get(`${query}${cursor}`)).json()) as {
        data: unknown[];
        next_cursor: string | null;
      };
      buckets += page.data.length;
      cursor = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`;
    }
    if (buckets !== year / 3600) throw new Error(`${buckets} buckets`);
    figures.push((plant.cpuMs() - before) / 1000);
  }
  const ours = median(figures);
  return {
    name: 'bucket=1h over a year of 1 Hz, CPU',
    ours: `${ours.toFixed(2)} s`,
    baseline: '0.5 s',
    ratio: ours / 0.5,
    bound: '<= 1',
  };
}

async function exportOf(plant: BenchPlant): Promise<BenchRow> {
  const range = ['--from', instant(0), '--to', instant(exported)];
  const args = ['sensors', 'export', 'SENSOR-0', '--entity', 'ONE', ...range];
  const csv = join(plant.folder, 'export.csv');
  const plain = join(plant.folder, 'plain.db');
  const into = (file: string, program: string, given: readonly string[]) =>
    timed(async () => {
      const output = openSync(file, 'w');
      execFileSync(program, given, { stdio: ['ignore', output, 'inherit'], env: plant.env });
      closeSync(output);
    });
  const ours = () => into(csv, process.execPath, [cli, ...args]);
  await ours();
  const table = 'create table readings (sensor text, at text, value real, quality text);';
  execFileSync('sqlite3', [plain, table, '.mode csv', `.import --skip 1 ${csv} readings`]);
  const select = () => into(`${csv}.plain`, 'sqlite3', ['-csv', plain, 'select * from readings']);
  const figures = await paired(rounds, ours, select);
  const shown = (ms: number) => `${Math.round(exported / ms).toLocaleString('en')} readings/ms`;
  return {
    name: `sensors export of ${exported.toLocaleString('en')}, sqlite3 -csv of a plain table`,
    ours: shown(figures.ours),
    baseline: shown(figures.baseline),
    ratio: 1 / figures.ratio,
    bound: '>= 0.5',
  };
}

function command(plant: BenchPlant, args: readonly string[]): BenchRow {
  const figures = Array.from({ length: rounds }, () => {
    const before = performance.now();
    // `status` ends with 5 if something needs a hand.
    const { status } = spawnSync(process.execPath, [cli, ...args], { env: plant.env });
    if (status !== 0 && status !== 5) throw new Error(`${args.join(' ')} ended with ${status}`);
    return performance.now() - before;
  });
  const ours = median(figures);
  return {
    name: `${args.join(' ')} of ${sensors.toLocaleString('en')} sensors`,
    ours: `${ours.toFixed(0)} ms`,
    baseline: '300 ms',
    ratio: ours / 300,
    bound: '<= 1',
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { makeOlder } from '../../store/sqlite/older.ts';
import { type BenchPlant, createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, memoryMb, paired } from '../harness.ts';
import { loadReadings } from '../load/load.ts';

/** So many are stored; `HKCTL_BENCH_READINGS` for another number. */
const readings = Number(process.env.HKCTL_BENCH_READINGS ?? 100_000_000);
const sensors = 5000;
const sizes = [10, 100, 1000] as const;
const connections = 32;
const seconds = 3;
const rounds = 3;
const mostSeconds = 300;
const mostMb = 300;

/** Years of readings, one row each, in a store of the version before chunks: they are migrated, and more are sent to them than to an empty store. */
export async function run(): Promise<BenchReport> {
  const [full, empty] = [createPlant(), createPlant()];
  try {
    for (const plant of [full, empty]) plant.importSensors(sensors);
    // The first list gives each sensor its number.
    full.hkctl(['sensors', 'list', '--entity', 'ONE']);
    makeOlder(full.env.HKCTL_STORE ?? '');
    fill(full);
    const rows = await migrate(full);
    const [ofFull, ofEmpty] = [await senderOf(full), await senderOf(empty)];
    let start = Date.UTC(2015, 0, 1) / 1000;
    for (const size of sizes) {
      const next = (send: Send) => () => {
        start += 2_000_000;
        return send(size, start);
      };
      // The first seconds measure the compiler of V8.
      for (const send of [ofFull, ofEmpty]) await next(send)();
      const { ours, baseline, ratio } = await paired(rounds, next(ofFull), next(ofEmpty));
      const shown = (perSecond: number) => Math.round(perSecond).toLocaleString('en');
      const name = `${size} a POST with all of them stored, against an empty store`;
      rows.push({ name, ours: shown(ours), baseline: shown(baseline), ratio, bound: '>= 0.9' });
    }
    return {
      title: `${readings.toLocaleString('en')} readings of ${sensors} sensors`,
      baseline: 'bound or empty',
      rows,
    };
  } finally {
    for (const plant of [full, empty]) await plant.remove();
  }
}

/** One reading a second of each sensor, with two decimals. */
function fill(plant: BenchPlant): void {
  const connection = openFile(join(plant.folder, 'hkctl.readings.db'));
  connection.pragma('synchronous = off');
  const put = connection.prepare(`insert into readings (series, at_us, value, quality)
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < @count)
    select @series, 1262304000000000 + n * 1000000, round(20 + (n * 7 + @series) % 1000 * 0.01, 2), 0 from numbers`);
  for (const series of connection
    .prepare<[], number>('select series from series order by series')
    .pluck()
    .all()) {
    put.run({ series, count: readings / sensors });
  }
  connection.pragma('wal_checkpoint(truncate)');
  connection.close();
}

/** As a person migrates, with a backup before. */
async function migrate(plant: BenchPlant): Promise<BenchRow[]> {
  const began = performance.now();
  const child = spawn(process.execPath, [join(process.cwd(), 'bin', 'hkctl.js'), 'migrate'], {
    env: plant.env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('exit', resolve),
  );
  let mostSeen = 0;
  while (child.exitCode === null && child.signalCode === null) {
    mostSeen = Math.max(mostSeen, memoryMb(child.pid ?? 0, 'VmHWM') || 0);
    await Promise.race([ended, setTimeout(200)]);
  }
  if ((await ended) !== 0) throw new Error('the migration failed');
  const taken = (performance.now() - began) / 1000;
  const row = (name: string, figure: number, most: number, unit: string): BenchRow => ({
    name,
    ours: `${figure.toFixed(0)} ${unit}`,
    baseline: `${most} ${unit}`,
    ratio: figure / most,
    bound: '<= 1',
  });
  return [
    row('the migration from one row each, with its backup', taken, mostSeconds, 's'),
    row('memory of the migration at most', mostSeen, mostMb, 'MB'),
  ];
}

type Send = (size: number, start: number) => Promise<number>;

/** Readings a second of a daemon on a plant's store. */
async function senderOf(plant: BenchPlant): Promise<Send> {
  const create = [
    'keys',
    'create',
    '--name',
    'gateway',
    '--entity',
    'ONE',
    '--preset',
    'sensor-gateway',
  ];
  const headers = {
    authorization: `Bearer ${plant.hkctl(create).trim()}`,
    'content-type': 'application/json',
  };
  const url = `${await plant.serve()}/api/v1/sensors/readings`;
  return async (size, start) => {
    const load = {
      url,
      headers,
      connections,
      seconds,
      format: 'json',
      sensors,
      inBody: 20,
      size,
      start,
    } as const;
    return (await loadReadings(load)).requestsPerSecond * size;
  };
}

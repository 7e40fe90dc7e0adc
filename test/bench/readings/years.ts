import { join } from 'node:path';
import { createColumns } from '../../../src/core/readings/columns.ts';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { Chunks } from '../../../src/store/sqlite-file/chunks/chunks.ts';
import { type BenchPlant, createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, paired } from '../harness.ts';
import { loadReadings } from '../load/load.ts';

/** So many are stored; `BENCH_HKCTL_READINGS` for another number. */
const readings = Number(process.env.BENCH_HKCTL_READINGS ?? 100_000_000);
const sensors = 5000;
const sizes = [10, 100, 1000] as const;
const connections = 32;
const seconds = 3;
const rounds = 3;

/** Years of readings are stored, and more are sent to them than to an empty store. */
export async function run(): Promise<BenchReport> {
  const [full, empty] = [createPlant(), createPlant()];
  try {
    for (const plant of [full, empty]) plant.importSensors(sensors);
    // The first list gives each sensor its number.
    full.hkctl(['sensors', 'list', '--entity', 'ONE']);
    fill(full);
    const rows: BenchRow[] = [];
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

/** One reading a second of each sensor, with two decimals, in chunks as a daemon leaves them. */
function fill(plant: BenchPlant): void {
  const connection = openFile(join(plant.folder, 'hkctl.readings.db'));
  connection.pragma('synchronous = off');
  const chunks = new Chunks(connection);
  const columns = createColumns(readings / sensors);
  columns.count = readings / sensors;
  const numbers = connection.prepare<[], number>('select series from series order by series');
  for (const series of numbers.pluck().all()) {
    for (let n = 0; n < columns.count; n++) {
      columns.atUs[n] = 1_262_304_000_000_000 + n * 1_000_000;
      columns.values[n] = (2000 + ((n * 7 + series) % 1000)) / 100;
    }
    connection.transaction(() => chunks.add(series, columns))();
  }
  connection.pragma('wal_checkpoint(truncate)');
  connection.close();
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

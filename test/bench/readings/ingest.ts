import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { createPlant } from '../daemon.ts';
import {
  type BenchReport,
  type BenchRow,
  cpuMs,
  hasProgram,
  isShort,
  median,
  memoryMb,
} from '../harness.ts';
import { loadReadings, type ReadingsLoad } from '../load/load.ts';
import { nextToReads } from './next-to-reads.ts';
import { startInflux } from './peers.ts';

/** Readings a POST, and how much of InfluxDB's rate is asked for. */
const sizes = [
  { size: 1, floor: 1.1 },
  { size: 10, floor: 1.4 },
  { size: 100, floor: 1.8 },
  { size: 1000, floor: 2 },
  { size: 5000, floor: 2 },
].filter(({ size }) => !isShort || [1, 100, 5000].includes(size));
/** At one reading a POST the disk decides, and this is how much of InfluxDB's processor time is asked for. */
const mostCpu = 0.8;
const mostBytes = 2;
const mostMb = 300;

/** The sensors of a plant, and how many of them one gateway has. */
interface Plant {
  sensors: number;
  inBody(size: number): number;
}

const workshop: Plant = { sensors: 50, inBody: () => 10 };
const hall: Plant = { sensors: 200, inBody: () => 20 };
/** 250 gateways of 20 sensors each; bodies of 5000 readings come from fewer and larger ones, so that all sensors are used. */
const factory: Plant = { sensors: 5000, inBody: (size) => Math.max(20, size / 50) };

const connections = 32;
const seconds = isShort ? 1 : 3;
/** How long each side is driven before its figures at a size are taken: a daemon runs for years, and its code is compiled in the first seconds. */
const warmUpSeconds = 3;
const rounds = isShort ? 2 : 3;

interface Figures {
  perSecond: number;
  p99Ms: number;
  /** Processor time of the server for one POST, in microseconds. */
  cpuUs: number;
}

interface Side {
  measure(size: number, start: number, seconds: number): Promise<Figures>;
  folder: string;
  /** The readings that it was given. */
  stored: number;
}

/**
 * Ingest over HTTP, each answer after the readings are synced to disk, against InfluxDB in the same run: one key, every reading
 * new, one a second of each sensor.
 */
export async function run(): Promise<BenchReport[]> {
  const reports: BenchReport[] = [];
  const chosen = process.env.BENCH_HKCTL_SENSORS?.split(',').map(Number);
  for (const plant of isShort ? [hall] : [workshop, hall, factory]) {
    if (chosen === undefined || chosen.includes(plant.sensors))
      reports.push(await measurePlant(plant));
  }
  return reports;
}

async function measurePlant({ sensors, inBody }: Plant): Promise<BenchReport> {
  const title = `Ingest from ${sensors} sensors, readings/s at ${connections} connections, answered after fsync (medians of ${rounds} paired runs, all warm)`;
  const missing = ['cc', 'influxd'].filter((name) => !hasProgram(name));
  if (missing.length > 0)
    return { title, baseline: 'InfluxDB', rows: [], notes: [`skipped: without ${missing}`] };
  const plant = createPlant();
  const peer = await startInflux();
  try {
    plant.importSensors(sensors);
    const authorization = `Bearer ${plant.key('sensor-gateway')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const sensorsUrl = `${await plant.serve()}/api/v1/sensors`;
    const sideOf = (
      { folder, pid }: Pick<Side, 'folder'> & { pid: number },
      given: Pick<ReadingsLoad, 'format' | 'url' | 'headers'>,
    ): Side => ({
      folder,
      stored: 0,
      async measure(size, start, seconds) {
        const before = cpuMs(pid);
        const body = { sensors, inBody: inBody(size), size, start };
        const done = await loadReadings({ ...given, ...body, connections, seconds });
        this.stored += done.requests * size;
        return {
          perSecond: done.requestsPerSecond * size,
          p99Ms: done.p99Ms,
          cpuUs: ((cpuMs(pid) - before) * 1000) / done.requests,
        };
      },
    });
    const ours = sideOf(
      { folder: plant.folder, pid: plant.pid() },
      { format: 'json', url: `${sensorsUrl}/readings`, headers },
    );
    const influx = sideOf(peer, { format: 'line', url: peer.writeUrl });
    const rows = await measureSizes(ours, influx);
    if (!isShort) {
      rows.push(await bytesRow(ours, influx));
      const measure = (size: number, start: number) => ours.measure(size, start, seconds);
      const secret = plant.key('operational-core');
      rows.push(...(await nextToReads(measure, { sensorsUrl, secret, seconds })));
      rows.push(memoryRow(plant.pid()));
    }
    return { title, baseline: 'InfluxDB', rows };
  } finally {
    await plant.remove();
    await peer.remove();
  }
}

async function measureSizes(ours: Side, influx: Side): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  let start = Date.UTC(2001, 0, 1) / 1000;
  for (const { size, floor } of sizes) {
    const figures: { ours: Figures; influx: Figures }[] = [];
    // Another stretch of time for every run: nothing is a duplicate.
    const next = async (seconds: number) => {
      start += 2_000_000;
      return {
        ours: await ours.measure(size, start, seconds),
        influx: await influx.measure(size, start, seconds),
      };
    };
    await next(warmUpSeconds);
    for (let round = 0; round < rounds; round++) figures.push(await next(seconds));
    const row = (
      name: string,
      of: (one: Figures) => number,
      bound: string | null,
      maximumFractionDigits = 0,
    ) => {
      const shown = (side: 'ours' | 'influx') =>
        median(figures.map((taken) => of(taken[side]))).toLocaleString('en', {
          maximumFractionDigits,
        });
      const ratio = median(figures.map((taken) => of(taken.ours) / of(taken.influx)));
      rows.push({ name, ours: shown('ours'), baseline: shown('influx'), ratio, bound });
    };
    row(`${size} a POST`, ({ perSecond }) => perSecond, `>= ${floor}`);
    row(`${size} a POST, p99 in ms`, ({ p99Ms }) => p99Ms, '<= 1', 1);
    const cpuBound = size === 1 ? `<= ${mostCpu}` : null;
    row(`${size} a POST, µs of processor a POST`, ({ cpuUs }) => cpuUs, cpuBound);
  }
  return rows;
}

/** Everything on disk, logs included, so that it says little after short runs. */
async function bytesRow(ours: Side, influx: Side): Promise<BenchRow> {
  const bytes = (await settledBytes(ours.folder)) / ours.stored;
  const baseline = (await settledBytes(influx.folder)) / influx.stored;
  const name = 'bytes of a reading on disk (the ratio is to 1)';
  return {
    name,
    ours: bytes.toFixed(2),
    baseline: baseline.toFixed(2),
    ratio: bytes,
    bound: `<= ${mostBytes}`,
  };
}

/** The most that the daemon took in all of these runs. */
function memoryRow(pid: number): BenchRow {
  const most = memoryMb(pid, 'VmHWM');
  const name = 'memory of the daemon at most, with and without reads, MB';
  return {
    name,
    ours: most.toFixed(0),
    baseline: String(mostMb),
    ratio: most / mostMb,
    bound: '<= 1',
  };
}

/** The size of a folder once it does not change any more, or after a minute. */
async function settledBytes(folder: string): Promise<number> {
  let last = 0;
  for (let tries = 0; tries < 20; tries++) {
    const now = Number(
      spawnSync('du', ['-sb', folder], { encoding: 'utf8' }).stdout.split('\t')[0],
    );
    if (now === last) break;
    last = now;
    await setTimeout(3000);
  }
  return last;
}

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
import { loadReadings } from '../load/load.ts';
import { nextToReads } from './next-to-reads.ts';
import { type Peer, startInflux, startVictoria } from './peers.ts';

/** Readings a POST, and how much of InfluxDB's rate is asked for. */
const sizes = [
  { size: 1, floor: 1.1 },
  { size: 10, floor: 1.4 },
  { size: 100, floor: 1.8 },
  { size: 1000, floor: 2 },
  { size: 5000, floor: 2 },
] as const;
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
 * Ingest over HTTP, each answer after the readings are synced to disk, against InfluxDB in the same run, and against VictoriaMetrics,
 * which does not sync: one key, every reading new, one a second of each sensor.
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

async function measurePlant(sensors: Plant): Promise<BenchReport> {
  const title = `Ingest from ${sensors.sensors} sensors, readings/s at ${connections} connections, answered after fsync (medians of ${rounds} paired runs, all warm)`;
  const missing = ['cc', 'influxd', 'victoria-metrics'].filter((name) => !hasProgram(name));
  if (missing.length > 0) {
    const note = `skipped: it needs ${missing.join(', ')} (Debian's packages influxdb and victoria-metrics, and a C compiler)`;
    return { title, baseline: 'InfluxDB', rows: [], notes: [note] };
  }
  const plant = createPlant();
  const peers: Peer[] = [];
  try {
    peers.push(await startInflux());
    if (!isShort) peers.push(await startVictoria());
    plant.importSensors(sensors.sensors);
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
    const sensorsUrl = `${await plant.serve()}/api/v1/sensors`;
    const url = `${sensorsUrl}/readings`;
    const sideOf = (
      folder: string,
      pid: number,
      format: 'json' | 'line',
      url: string,
      headers = {},
    ): Side => ({
      folder,
      stored: 0,
      async measure(size, start, seconds) {
        const before = cpuMs(pid);
        const inBody = sensors.inBody(size);
        const given = {
          url,
          headers,
          connections,
          seconds,
          format,
          sensors: sensors.sensors,
          inBody,
          size,
          start,
        };
        const { requests, requestsPerSecond, p99Ms } = await loadReadings(given);
        this.stored += requests * size;
        return {
          perSecond: requestsPerSecond * size,
          p99Ms,
          cpuUs: ((cpuMs(pid) - before) * 1000) / requests,
        };
      },
    });
    const ours = sideOf(plant.folder, plant.pid(), 'json', url, headers);
    const others = peers.map(({ folder, pid, writeUrl }) => sideOf(folder, pid, 'line', writeUrl));
    const rows = await measureSizes([ours, ...others]);
    if (!isShort) {
      rows.push(await bytesRow(ours, others[0]));
      const secret = plant.hkctl([
        'keys',
        'create',
        '--name',
        'reader',
        '--entity',
        'ONE',
        '--preset',
        'operational-core',
      ]);
      const measure = (size: number, start: number) => ours.measure(size, start, seconds);
      rows.push(...(await nextToReads(measure, sensorsUrl, secret.trim(), sensors.sensors)));
      rows.push(memoryRow(plant.pid()));
    }
    return { title, baseline: 'InfluxDB', rows };
  } finally {
    await plant.remove();
    for (const peer of peers) await peer.remove();
  }
}

async function measureSizes(sides: readonly Side[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  let start = Date.UTC(2001, 0, 1) / 1000;
  for (const { size, floor } of sizes) {
    const figures: Figures[][] = [];
    start += 2_000_000;
    for (const side of sides) await side.measure(size, start, warmUpSeconds);
    for (let round = 0; round < rounds; round++) {
      // Another stretch of time for every run: nothing is a duplicate.
      start += 2_000_000;
      const taken: Figures[] = [];
      for (const side of sides) taken.push(await side.measure(size, start, seconds));
      figures.push(taken);
    }
    const row = (
      name: string,
      peer: number,
      of: (one: Figures) => number,
      bound: string | null,
      digits = 0,
    ): BenchRow => {
      const shown = (side: number) =>
        median(figures.map((taken) => figureOf(taken[side], of))).toLocaleString('en', {
          maximumFractionDigits: digits,
        });
      const ratio = median(
        figures.map((taken) => figureOf(taken[0], of) / figureOf(taken[peer], of)),
      );
      return { name, ours: shown(0), baseline: shown(peer), ratio, bound };
    };
    rows.push(row(`${size} a POST`, 1, ({ perSecond }) => perSecond, `>= ${floor}`));
    rows.push(row(`${size} a POST, p99 in ms`, 1, ({ p99Ms }) => p99Ms, '<= 1', 1));
    rows.push(
      row(
        `${size} a POST, µs of processor a POST`,
        1,
        ({ cpuUs }) => cpuUs,
        size === 1 ? `<= ${mostCpu}` : null,
      ),
    );
    if (sides.length > 2)
      rows.push(
        row(
          `${size} a POST, against VictoriaMetrics without fsync`,
          2,
          ({ perSecond }) => perSecond,
          null,
        ),
      );
  }
  return rows;
}

function figureOf(figures: Figures | undefined, of: (one: Figures) => number): number {
  return figures === undefined ? Number.NaN : of(figures);
}

/** Everything on disk, logs included, so that it says little after short runs. */
async function bytesRow(ours: Side, influx: Side | undefined): Promise<BenchRow> {
  const bytes = (await settledBytes(ours.folder)) / ours.stored;
  const baseline = influx ? (await settledBytes(influx.folder)) / influx.stored : Number.NaN;
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

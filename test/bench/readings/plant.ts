import { statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../src/store/sqlite/readings/stored.ts';
import { type BenchPlant, createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, median, memoryMb } from '../harness.ts';

/** An hour; `BENCH_HKCTL_SECONDS` for another time. */
const seconds = Number(process.env.BENCH_HKCTL_SECONDS ?? 3600);
const gateways = 250;
const sensorsOfGateway = 20;
const sensors = gateways * sensorsOfGateway;
const readsPerSecond = 2;
const page = 1000;
const samples = 60;
const mostMb = 300;
/** Garbage is collected when it pays and settled readings leave the log in steps: what is held goes up and down. */
const mostGrowth = 1.1;

interface Sample {
  memoryMb: number;
  /** Of the readings' database, with what has been settled since its last checkpoint. */
  walBytes: number;
  /** Of readings that are not settled. */
  logBytes: number;
}

/**
 * A plant at its usual work: 250 gateways send one reading a second of each of their 20 sensors, each over a connection of its
 * own, and somebody reads two pages of 1000 readings a second. What the daemon holds is sampled on the way.
 */
export async function run(): Promise<BenchReport> {
  const plant = createPlant();
  try {
    plant.importSensors(sensors);
    const create = ['keys', 'create', '--entity', 'ONE', '--name'];
    const secrets = Array.from({ length: gateways }, (_, n) =>
      plant.hkctl([...create, `gateway ${n}`, '--preset', 'sensor-gateway']).trim(),
    );
    const reader = plant.hkctl([...create, 'reader', '--preset', 'operational-core']).trim();
    // With the usual limits: a gateway stays within them.
    const url = await plant.serve(['--log-level', 'warn']);
    const endMs = Date.now() + seconds * 1000;
    const waitsMs: number[] = [];
    const sent = secrets.map((secret, n) => sendReadings(url, secret, n, endMs, waitsMs));
    const [accepted, readMs, taken] = await Promise.all([
      Promise.all(sent),
      readPages(url, reader, endMs),
      sample(plant, endMs),
    ]);
    await plant.stop();
    const given = accepted.reduce((sum, count) => sum + count, 0);
    return {
      title: `A plant for ${(seconds / 60).toFixed(0)} minutes: ${gateways} gateways, ${sensors} sensors, a reading of each a second`,
      baseline: 'bound or third quarter',
      rows: [
        memoryRow(taken),
        growth(
          'memory of the daemon, last quarter against third',
          taken,
          (one) => one.memoryMb,
          'MB',
        ),
        growth('WAL of the readings', taken, (one) => one.walBytes / 1e6, 'MB'),
        growth('readings in the log', taken, (one) => one.logBytes / 1e6, 'MB'),
        storedRow(plant, given),
        { name: 'POST, p99 in ms', ours: p99(waitsMs), baseline: '', ratio: null, bound: null },
        {
          name: `a page of ${page}, p99 in ms`,
          ours: p99(readMs),
          baseline: '',
          ratio: null,
          bound: null,
        },
      ],
    };
  } finally {
    await plant.remove();
  }
}

/** Sends once a second until the end, gateways spread over the second; gives the number of readings that were accepted. */
async function sendReadings(
  url: string,
  secret: string,
  gateway: number,
  endMs: number,
  waitsMs: number[],
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  let accepted = 0;
  await setTimeout((gateway / gateways) * 1000);
  for (let dueMs = Date.now(); dueMs < endMs; dueMs += 1000) {
    await setTimeout(dueMs - Date.now());
    const readings = Array.from({ length: sensorsOfGateway }, (_, n) => ({
      sensor: `SENSOR-${gateway * sensorsOfGateway + n}`,
      at: new Date(dueMs).toISOString(),
      value: Math.round(2000 + 500 * Math.sin(dueMs / 60_000 + n) + Math.random() * 20) / 100,
    }));
    const beganMs = performance.now();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(
        `${url}/api/v1/sensors/readings`,
        { method: 'POST', agent, headers },
        (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode));
        },
      );
      sending.once('error', reject).end(JSON.stringify({ readings }));
    });
    waitsMs.push(performance.now() - beganMs);
    if (status !== 200) throw new Error(`a gateway was answered with ${status}`);
    accepted += sensorsOfGateway;
  }
  agent.destroy();
  return accepted;
}

async function readPages(url: string, secret: string, endMs: number): Promise<number[]> {
  const waitsMs: number[] = [];
  for (let n = 0; Date.now() < endMs; n++) {
    const beganMs = performance.now();
    const from = new Date(Date.now() - page * 1000).toISOString();
    const address = `${url}/api/v1/sensors/S-${(n * 7) % sensors}/readings?from=${from}&limit=${page}`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${secret}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    waitsMs.push(performance.now() - beganMs);
    await setTimeout(1000 / readsPerSecond);
  }
  return waitsMs;
}

async function sample(plant: BenchPlant, endMs: number): Promise<Sample[]> {
  const taken: Sample[] = [];
  const file = join(plant.folder, 'hkctl.readings.db');
  const connection = openFile(file);
  const logBytes = connection
    .prepare<[], number>('select coalesce(sum(length(body)), 0) from log')
    .pluck();
  while (Date.now() < endMs) {
    await setTimeout((seconds / samples) * 1000);
    taken.push({
      memoryMb: memoryMb(plant.pid(), 'VmRSS'),
      walBytes: statSync(`${file}-wal`).size,
      logBytes: logBytes.get() ?? Number.NaN,
    });
  }
  connection.close();
  return taken;
}

function memoryRow(taken: readonly Sample[]): BenchRow {
  const most = Math.max(...taken.map((one) => one.memoryMb));
  return {
    name: 'memory of the daemon at most',
    ours: `${most.toFixed(0)} MB`,
    baseline: `${mostMb} MB`,
    ratio: most / mostMb,
    bound: '<= 1',
  };
}

function growth(
  name: string,
  taken: readonly Sample[],
  of: (one: Sample) => number,
  unit: string,
): BenchRow {
  const quarter = Math.floor(taken.length / 4);
  const figures = taken.map(of);
  const [before, after] = [
    median(figures.slice(2 * quarter, 3 * quarter)),
    median(figures.slice(-quarter)),
  ];
  const shown = (figure: number) => `${figure.toFixed(1)} ${unit}`;
  return {
    name,
    ours: shown(after),
    baseline: shown(before),
    ratio: after / before,
    bound: `<= ${mostGrowth}`,
  };
}

/** Each reading that was accepted is stored once. */
function storedRow(plant: BenchPlant, accepted: number): BenchRow {
  const connection = openFile(join(plant.folder, 'hkctl.readings.db'));
  const stored = new StoredReadings(connection);
  let count = 0;
  stored.reading(() => {
    for (const series of connection
      .prepare<[], number>('select series from series')
      .pluck()
      .all()) {
      for (const { from, to } of stored.read(
        series,
        Number.NEGATIVE_INFINITY,
        Number.POSITIVE_INFINITY,
      ))
        count += to - from;
    }
  });
  connection.close();
  return {
    name: 'readings stored, against accepted',
    ours: count.toLocaleString('en'),
    baseline: accepted.toLocaleString('en'),
    ratio: count === accepted ? 1 : 0,
    bound: '>= 1',
  };
}

function p99(waitsMs: readonly number[]): string {
  const sorted = waitsMs.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN).toFixed(1);
}

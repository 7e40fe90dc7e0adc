import { type ChildProcess, spawn } from 'node:child_process';
import { cpus, setPriority } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../store/postgres/server.ts';
import { connectionAttacks } from './attacks/connections.ts';
import type { Target } from './attacks/flood.ts';
import { readAttacks } from './attacks/reads.ts';
import {
  type Experience,
  experience,
  type Innocents,
  mePerSecond,
  postsPerSecond,
  readingsPerPost,
} from './fairness/innocents.ts';
import { createFairnessPlant, type FairnessPlant, gatewaySensors } from './fairness/plant.ts';
import type { BenchReport, BenchRow } from './harness.ts';

/** So many readings are stored: a fifth of them, over years, are of one sensor. */
const storedReadings = Number(process.env.BENCH_HKCTL_READINGS ?? 50_000_000);
/** Over PostgreSQL a tenth: a read of the long sensor still takes longer than an attack. */
const storedInDatabase = Math.min(storedReadings, 5_000_000);
/** So long each attack lasts, and each quiet stretch before it. */
const seconds = Number(process.env.BENCH_HKCTL_SECONDS ?? 10);
/** Only these attacks, where some are named: `pagesJson,firstBucket`. */
const chosen = process.env.BENCH_HKCTL_ATTACKS?.split(',');
/** An attack needs a moment until all of its connections are open; `openAndClose` measures the opening. */
const warmUpMs = 2000;
/** The attacker's machine is another one in a plant: here it may only use the time that the daemon and the innocent leave. */
const attackerPriority = 15;

/** A daemon without requests uses less of a second than this. */
const restingMs = 100;
/** It reads an unfinished body for 60 s, and Node looks for those only every 30 s. */
const mostCalmingSeconds = 100;

const mostMs = 50;
const mostIngestMs = 1000;
const leastShare = 0.9;

/** Those that TLS makes another matter. */
const overTls: ReadonlySet<string> = new Set([
  'silentConnections',
  'halfHello',
  'halfClosed',
  'idleWithKey',
  'idleWithoutKey',
  'openAndClose',
  'documentFiles',
  'everything',
  'unfinishedBodies',
  'refusedBodies',
  'pagesJson',
  'pagesUntaken',
  'unreadAnswers',
  'volleys',
  'allowedVolleys',
  'chunkVolleys',
  'shortVolleys',
  'resetPipelines',
]);

/**
 * What innocent clients see while one key does the worst it may, within the usual limits: their `/me` and their readings,
 * against the same daemon left in peace just before.
 */
export async function run(): Promise<BenchReport[]> {
  const plant = await createFairnessPlant(storedReadings);
  try {
    const shared = sharedBy(plant);
    const all = [...readAttacks, ...connectionAttacks].map(({ name }) => name).filter(isChosen);
    return [
      await measure('without TLS', plant, shared, all, []),
      await measure(
        'with TLS',
        plant,
        shared,
        all.filter((name) => overTls.has(name)),
        plant.tls,
      ),
    ];
  } finally {
    await plant.remove();
  }
}

/** The same over PostgreSQL, for what differs there: everything that reads. The server shares the machine, too. */
export async function runOnPostgres(): Promise<BenchReport> {
  const server = await startServer([
    'shared_buffers=512MB',
    'max_wal_size=4GB',
    'fsync=on',
    'full_page_writes=on',
  ]);
  const plant = await createFairnessPlant(storedInDatabase, server.address);
  try {
    const names = readAttacks.map(({ name }) => name).filter(isChosen);
    return await measure('over PostgreSQL', plant, sharedBy(plant), names, [], storedInDatabase);
  } finally {
    await plant.remove();
    await server.stop();
  }
}

function sharedBy(plant: FairnessPlant): Omit<Innocents, 'target'> {
  const keys = Array.from({ length: 40 }, () => plant.key('operational-core'));
  return { keys, gatewayKey: plant.key('sensor-gateway'), sensors: gatewaySensors };
}

function isChosen(name: string): boolean {
  return chosen === undefined || chosen.includes(name);
}

async function measure(
  how: string,
  plant: FairnessPlant,
  shared: Omit<Innocents, 'target'>,
  names: readonly string[],
  tls: readonly string[],
  stored = storedReadings,
): Promise<BenchReport> {
  const { port, hostname, protocol } = new URL(await plant.serve(['--log-level', 'warn', ...tls]));
  const target = { host: hostname, port: Number(port), tls: protocol === 'https:' };
  const innocents = { ...shared, target };
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  // Everything is compiled and in memory when the first figure is taken.
  await experience(innocents, 3);
  for (const name of names) {
    await calm(plant);
    const quiet = await experience(innocents, seconds);
    const attacker = attack(name, { ...target, key: plant.key('operational-core') });
    await new Promise((resolve) => setTimeout(resolve, warmUpMs));
    const attacked = await experience(innocents, seconds);
    await end(attacker);
    rows.push(...rowsOf(name, attacked, quiet));
    if (attacked.failures.size > 0)
      notes.push(`${name}: ${[...attacked.failures].map((one) => one.join(' x ')).join(', ')}`);
  }
  await plant.stop();
  const [cpu] = cpus();
  return {
    title: `Fairness ${how}: innocent clients while one key does its worst, ${stored.toLocaleString('en')} readings stored`,
    baseline: 'in peace',
    rows,
    notes: [
      `${mePerSecond} GET /me/s and ${postsPerSecond} POST/s of ${readingsPerPost} readings, ${seconds} s each; delays from the instant a request was due`,
      `daemon, innocent clients and attacker (nice ${attackerPriority}) share ${cpus().length} x ${cpu?.model ?? 'unknown'}, Node ${process.version}`,
      ...notes,
    ],
  };
}

function rowsOf(name: string, attacked: Experience, quiet: Experience): BenchRow[] {
  const ms = (delay: number) => `${delay.toFixed(1)} ms`;
  return [
    {
      name: `${name}: /me p99`,
      ours: ms(attacked.me.p99),
      baseline: ms(quiet.me.p99),
      ratio: attacked.me.p99 / mostMs,
      bound: '<= 1',
    },
    {
      name: '  readings, p99 and longest',
      ours: `${ms(attacked.ingest.p99)} ${ms(attacked.ingest.max)}`,
      baseline: `${ms(quiet.ingest.p99)} ${ms(quiet.ingest.max)}`,
      ratio: attacked.ingest.max / mostIngestMs,
      bound: '<= 1',
    },
    {
      name: '  answered a second',
      ours: attacked.answered.toFixed(1),
      baseline: quiet.answered.toFixed(1),
      ratio: attacked.answered / quiet.answered,
      bound: `>= ${leastShare}`,
    },
  ];
}

/** Waits until the daemon rests: what an attack has left on its connections would add to the next one. */
async function calm(plant: FairnessPlant): Promise<void> {
  for (let second = 0; second < mostCalmingSeconds; second++) {
    const before = plant.cpuMs();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    if (plant.cpuMs() - before < restingMs) return;
  }
  throw new Error(`the daemon is still busy ${mostCalmingSeconds} s after an attack`);
}

function attack(name: string, target: Target): ChildProcess {
  // Beside the benchmarks in the build.
  const script = join(process.cwd(), 'dist', 'attacker.cjs');
  const child = spawn(process.execPath, [script, name, JSON.stringify(target)], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  if (child.pid !== undefined) setPriority(child.pid, attackerPriority);
  return child;
}

/** Waits until the attacker has closed its connections. */
function end(attacker: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    if (attacker.exitCode !== null)
      return reject(new Error(`the attacker ended early with ${attacker.exitCode}`));
    attacker.once('exit', () => resolve());
    attacker.stdin?.end();
  });
}

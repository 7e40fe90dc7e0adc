import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchPlant, commandCpuUs, createPlant } from './daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, paired, threadsCpuUs } from './harness.ts';
import { load, loadReadings } from './load/load.ts';

/** More processor time than this of the baseline's is a regression; repeated runs differ by about 2 %. */
const mostRatio = 1.08;
const pairs = Number(process.env.BENCH_HKCTL_PAIRS ?? 7);
const warmUps = 2;
/** A daemon keeps its state of garbage collection for a minute, which alone takes up to a third: others may miss again. */
const attempts = 3;
const seconds = 1;
const connections = 16;
/** For answers of which an older build makes few a second: others would not begin before the load ends. */
const fewConnections = 2;
const sensors = 200;
const sensorsInBody = 20;
const commandsOfSample = 5;
/** A year of one reading a minute, and a day of one a second in it. */
const yearStartMs = Date.UTC(2024, 0, 1);
const dayStartMs = Date.UTC(2024, 5, 1);
const [minutesOfYear, secondsOfDay, dayMs] = [366 * 24 * 60, 86_400, 86_400_000];

/** A build under test: its plant, and what its measurements have used so far. */
interface Side {
  plant: BenchPlant;
  url: string;
  headers: Record<string, string>;
  /** Where the next new readings begin, in epoch seconds, so that no reading is a duplicate. */
  nextSeconds: number;
}

/** What is compared; `measure` gives the processor time of one request or command in µs. */
interface Measurement {
  name: string;
  measure(side: Side): Promise<number> | number;
}

/**
 * Processor time of this work tree against that of the commit in `baseline.txt` (or `BENCH_HKCTL_AGAINST`), in pairs by turns: time on
 * a wall clock hides a third on a busy machine, processor time shows a twentieth. `BENCH_HKCTL_OF` names another commit than the work tree.
 */
export async function run(): Promise<BenchReport> {
  const baseline = commitOf(process.env.BENCH_HKCTL_AGAINST ?? baselineCommit());
  const ours = process.env.BENCH_HKCTL_OF ? commitOf(process.env.BENCH_HKCTL_OF) : undefined;
  const title = `Processor time of ${ours ?? 'the work tree'} against ${baseline} (medians of ${pairs} pairs)`;
  if (!hasProgram('cc'))
    return { title, baseline, rows: [], notes: ['skipped: it needs a C compiler'] };
  // Not inside node_modules, where builds of older commits look for their packages in the wrong folder.
  const builds = mkdtempSync(join(tmpdir(), 'hkctl-against-'));
  const sides: BenchPlant[] = [];
  try {
    const checkouts = [ours ? build(ours, builds) : process.cwd(), build(baseline, builds)];
    for (const checkout of checkouts) sides.push(createPlant(undefined, checkout));
    const [current, previous] = await Promise.all(sides.map(prepare));
    if (!current || !previous) throw new Error('a side is missing');
    const rows: BenchRow[] = [];
    for (const measurement of measurements)
      rows.push(await compare(measurement, current, previous));
    return { title, baseline, rows };
  } finally {
    for (const plant of sides) await plant.remove();
    rmSync(builds, { recursive: true });
  }
}

/** The commit that this version must not be slower than: the first word of `baseline.txt`. */
function baselineCommit(): string {
  return readFileSync(join(process.cwd(), 'test/bench/baseline.txt'), 'utf8').trim();
}

function commitOf(revision: string): string {
  return git('rev-parse', '--short=8', '--verify', `${revision}^{commit}`).toString().trim();
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Builds a commit in a folder of its own; packages are shared if the lock file is the same. */
function build(commit: string, builds: string): string {
  const checkout = mkdtempSync(join(builds, `${commit}-`));
  execFileSync('tar', ['-x', '-C', checkout], { input: git('archive', commit) });
  const lockFile = readFileSync(join(checkout, 'package-lock.json'));
  if (!lockFile.equals(readFileSync('package-lock.json'))) {
    // Its scripts compile the driver where Node needs that, and build.
    execFileSync('npm', ['ci'], { cwd: checkout, stdio: 'ignore' });
    return checkout;
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
  const bundler = join(checkout, 'node_modules/.bin/rolldown');
  execFileSync(bundler, ['-c', 'rolldown.config.mjs'], { cwd: checkout, stdio: 'ignore' });
  return checkout;
}

/** Fills a store with what the measurements read, and serves it. */
async function prepare(plant: BenchPlant): Promise<Side> {
  plant.importSensors(sensors);
  const parts = Array.from({ length: 5000 }, (_, n) =>
    JSON.stringify({ id: `P-${n}`, part_number: `N-${n}`, name: `Part ${n}`, is_active: true }),
  );
  plant.hkctl(['import', 'parts', '-', '--entity', 'ONE', '--format', 'ndjson'], parts.join('\n'));
  const rows = ['sensor,at,value'];
  const addRows = (code: string, count: number, startMs: number, stepMs: number) => {
    for (let n = 0; n < count; n++) {
      const value = Math.round(2000 + 500 * Math.sin(n / 600) + (n % 17)) / 100;
      rows.push(`${code},${new Date(startMs + n * stepMs).toISOString()},${value}`);
    }
  };
  addRows('SENSOR-0', minutesOfYear, yearStartMs, 60_000);
  addRows('SENSOR-1', secondsOfDay, dayStartMs, 1000);
  plant.hkctl(['import', 'readings', '-', '--entity', 'ONE', '--format', 'csv'], rows.join('\n'));
  for (let n = 0; n < 10; n++) plant.key('production-only');
  const secret = plant.key('operational-core');
  const url = await serve(plant);
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  return { plant, url, headers, nextSeconds: Date.UTC(2001, 0, 1) / 1000 };
}

async function serve(plant: BenchPlant): Promise<string> {
  return `${await plant.serve()}/api/v1`;
}

async function restart(side: Side): Promise<void> {
  await side.plant.stop();
  side.url = await serve(side.plant);
}

/** A request whose address counts up, so that no answer is one kept in memory; `@@@@@@` is the counter. */
function read(name: string, path: string, over = connections): Measurement {
  return {
    name,
    async measure({ plant, url, headers }) {
      const before = threadsCpuUs(plant.pid());
      const target = { url: `${url}${path}`, headers, connections: over, seconds };
      const { requests } = await load(target);
      return (threadsCpuUs(plant.pid()) - before) / requests;
    },
  };
}

function ingest(size: number): Measurement {
  return {
    name: `ingest, ${size} a POST`,
    async measure(side) {
      const before = threadsCpuUs(side.plant.pid());
      const { requests } = await loadReadings({
        url: `${side.url}/sensors/readings`,
        headers: side.headers,
        connections,
        seconds,
        format: 'json',
        sensors,
        inBody: sensorsInBody,
        size,
        start: side.nextSeconds,
      });
      side.nextSeconds += 2_000_000;
      return (threadsCpuUs(side.plant.pid()) - before) / requests;
    },
  };
}

function command(args: readonly string[]): Measurement {
  return {
    name: `hkctl ${args.slice(0, 2).join(' ')}`,
    measure: ({ plant }) => commandCpuUs(plant, args, commandsOfSample),
  };
}

/** Epoch milliseconds before an instant whose last six digits count up, less than 17 minutes in all. */
const countingFrom = (ms: number) => `${Math.floor(ms / 1_000_000) - 1}@@@@@@`;
const create = ['keys', 'create', '--name', 'another', '--entity', 'ONE'];

const measurements: readonly Measurement[] = [
  ...[1, 100, 1000, 5000].map(ingest),
  read('GET /me', '/me'),
  read('a page of 50 parts', '/parts?limit=50'),
  read(
    'a day in 5 minutes',
    `/sensors/S-1/readings?bucket=5m&agg=avg,min,max&limit=1000&from=${countingFrom(dayStartMs)}&to=${dayStartMs + dayMs}`,
  ),
  read(
    'a year in hours',
    `/sensors/S-0/readings?bucket=1h&agg=avg,min,max&limit=10000&from=${countingFrom(yearStartMs)}&to=${yearStartMs + 365 * dayMs}`,
    fewConnections,
  ),
  command(['keys', 'list']),
  command([...create, '--preset', 'sensor-gateway']),
];

async function compare(
  { name, measure }: Measurement,
  current: Side,
  previous: Side,
): Promise<BenchRow> {
  const pairedRounds = (rounds: number) =>
    paired(
      rounds,
      () => measure(current),
      () => measure(previous),
    );
  await pairedRounds(warmUps);
  let result = await pairedRounds(pairs);
  // A regression shows in each pair of daemons.
  for (let attempt = 1; attempt < attempts && result.ratio > mostRatio; attempt++) {
    await Promise.all([current, previous].map(restart));
    await pairedRounds(warmUps);
    result = await pairedRounds(pairs);
  }

  const shown = (us: number) => `${us < 1000 ? us.toFixed(1) : us.toFixed(0)} µs`;
  const { ours, baseline, ratio } = result;
  return { name, ours: shown(ours), baseline: shown(baseline), ratio, bound: `<= ${mostRatio}` };
}

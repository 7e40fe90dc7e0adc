import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createPlant, ended } from '../daemon.ts';
import { type BenchReport, type BenchRow, median, memoryMb } from '../harness.ts';
import { BadClient, documentedStatuses } from './bad-requests.ts';

/** So many bad requests are sent; `HKCTL_SOAK_REQUESTS` for another number. */
const requests = Number(process.env.HKCTL_SOAK_REQUESTS ?? 1_000_000);
const connections = 64;
const samples = 40;
/** The table of addresses, the caches and V8's own areas fill in the first half; in the second nothing more may come. */
const mostGrowth = 1.1;

interface Sample {
  sent: number;
  rssMb: number;
  heapMb: number;
  clients: number;
}

/**
 * A million requests that are wrong in every way, over many connections and from a million addresses behind a proxy, to a
 * real daemon with its limits and its log on. What it holds is sampled on the way: of the second half, the medians of the
 * second part stand against those of the first.
 */
export async function run(): Promise<BenchReport> {
  const plant = createPlant();
  const create = [
    'keys',
    'create',
    '--name',
    'soak',
    '--entity',
    'ONE',
    '--preset',
    'operational-core',
  ];
  const secret = plant.hkctl(create).trim();
  plant.hkctl(['import', 'sensors', '-', '--entity', 'ONE', '--format', 'ndjson'], sensor);
  const { daemon, url } = await start(plant.folder);
  try {
    const seen = new Map<number, number>();
    const taken: Sample[] = [];
    let sent = 0;
    let sampling = Promise.resolve();
    const clients = Array.from(
      { length: connections },
      (_, index) => new BadClient(url, secret, index, 200_000),
    );
    const work = async (client: BadClient): Promise<void> => {
      while (sent < requests) {
        // Nothing is under way while it is measured but what was sent before.
        await sampling;
        const number = ++sent;
        const status = await client.next();
        seen.set(status, (seen.get(status) ?? 0) + 1);
        if (number % Math.ceil(requests / samples) !== 0) continue;
        sampling = sample(daemon, url, number).then((one) => void taken.push(one));
      }
      client.close();
    };
    await Promise.all(clients.map(work));
    await sampling;
    const statuses = [...seen].sort(([a], [b]) => a - b);
    return {
      title: `Bad requests, ${sent.toLocaleString('en')} over ${connections} connections`,
      baseline: 'third quarter',
      rows: [
        growth(taken, 'rssMb', 'resident memory'),
        growth(taken, 'heapMb', 'heap in use'),
        undocumented(statuses),
      ],
      notes: [
        ...table(taken),
        `statuses: ${statuses.map(([status, count]) => `${status || 'cut'} ${count.toLocaleString('en')}`).join(', ')}`,
      ],
    };
  } finally {
    await ended(daemon);
    await plant.remove();
  }
}

const sensor = '{"id":"S-1","code":"OVEN","name":"Oven","unit":"Cel","is_active":true}';

/** Before it is measured the daemon collects its garbage: what is left then is what it keeps. */
const collector = "data:text/javascript,process.on('SIGUSR2', () => gc())";
const collectMs = 300;

async function start(folder: string): Promise<{ daemon: ChildProcess; url: string }> {
  const limits = ['--limit-requests', 'off', '--limit-ingest', 'off', '--trust-proxy', '127.0.0.1'];
  const log = openSync(join(folder, 'daemon.log'), 'w');
  const collecting = ['--expose-gc', '--import', collector];
  const daemon = spawn(
    process.execPath,
    [...collecting, 'bin/hkctl.js', 'serve', '--port', '0', ...limits],
    {
      env: { ...process.env, HKCTL_STORE: join(folder, 'hkctl.db'), HKCTL_USER: 'bench' },
      stdio: ['ignore', log, 'pipe'],
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    daemon.stderr?.on('data', (chunk: Buffer) => {
      const found = /https?:\/\/[\d.:]+/.exec(chunk.toString());
      if (found) resolve(found[0]);
    });
    daemon.once('exit', (code) => reject(new Error(`the daemon ended with ${code}`)));
  });
  return { daemon, url };
}

async function sample(daemon: ChildProcess, url: string, sent: number): Promise<Sample> {
  daemon.kill('SIGUSR2');
  await new Promise((resolve) => setTimeout(resolve, collectMs));
  const text = await (await fetch(`${url}/metrics`)).text();
  const metric = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  return {
    sent,
    rssMb: memoryMb(daemon.pid ?? 0, 'VmRSS'),
    heapMb: metric('nodejs_heap_size_used_bytes') / 1024 / 1024,
    clients: metric('hkctl_limited_clients\\{limit="failed_checks"\\}'),
  };
}

/** The last quarter against the third: the medians, since some requests are always under way. */
function growth(taken: readonly Sample[], figure: 'rssMb' | 'heapMb', name: string): BenchRow {
  const quarter = Math.floor(taken.length / 4);
  const figures = taken.map((one) => one[figure]);
  const [before, after] = [
    median(figures.slice(2 * quarter, 3 * quarter)),
    median(figures.slice(-quarter)),
  ];
  const mb = (value: number) => `${value.toFixed(1)} MB`;
  return {
    name,
    ours: mb(after),
    baseline: mb(before),
    ratio: after / before,
    bound: `<= ${mostGrowth}`,
  };
}

function undocumented(statuses: readonly (readonly [number, number])[]): BenchRow {
  const wrong = statuses.filter(([status]) => !documentedStatuses.has(status));
  const count = wrong.reduce((sum, [, times]) => sum + times, 0);
  return {
    name: 'statuses that are not documented',
    ours: String(count),
    baseline: '',
    ratio: count,
    bound: '<= 0',
  };
}

function table(taken: readonly Sample[]): string[] {
  const line = (cells: string[]) => cells.map((cell) => cell.padStart(12)).join('');
  const rows = taken.map(({ sent, rssMb, heapMb, clients }) =>
    line([
      sent.toLocaleString('en'),
      rssMb.toFixed(1),
      heapMb.toFixed(1),
      clients.toLocaleString('en'),
    ]),
  );
  return [line(['sent', 'RSS, MB', 'heap, MB', 'addresses']), ...rows];
}

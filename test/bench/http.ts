import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { drawSecret } from '../../src/core/secrets.ts';
import { type BenchPlant, createPlant, ended } from './daemon.ts';
import { type BenchReport, type BenchRow, cpuMs, hasProgram, isShort, paired } from './harness.ts';
import { load } from './load/load.ts';

const rounds = isShort ? 3 : 5;
const seconds = isShort ? 1 : 2;
const connections = 32;
/** Other keys in the store; `BENCH_HKCTL_KEYS=1000000` for the full measure. */
const otherKeys = Number(process.env.BENCH_HKCTL_KEYS ?? 10_000);

/**
 * Reading over HTTP with logs, limits and all headers on, against a bare node:http server that sends the same bytes; both
 * are processes of their own, measured by turns. CPU is what the daemon's process took, its threads included.
 */
export async function run(): Promise<BenchReport> {
  const title = `Reading, requests/s at ${connections} connections (medians of ${rounds} paired runs, ${otherKeys} other keys)`;
  if (!hasProgram('cc'))
    return { title, baseline: 'node:http', rows: [], notes: ['skipped: it needs a C compiler'] };
  const plant = createPlant();
  const children: ChildProcess[] = [];
  try {
    plant.hkctl(
      ['import', 'parts', '-', '--entity', 'ONE', '--format', 'ndjson'],
      partsNdjson(5000),
    );
    plant.importSensors(2);
    const secret = plant.key('operational-core');
    plant.addKeys(otherKeys);
    const daemon = await startDaemon(plant.folder, children);
    const headers = { authorization: `Bearer ${secret}` };
    const rows: BenchRow[] = [];
    const measure = async (name: string, path: string, bound: string, cpuBound?: string) => {
      const body = Buffer.from(
        await (await fetch(`${daemon.url}${path}`, { headers })).arrayBuffer(),
      );
      const bare = await startBare(body, plant.folder, children);
      const result = await compare(
        { ...daemon, url: `${daemon.url}${path}`, headers },
        { ...bare, headers: {} },
      );
      rows.push({
        name,
        ours: shown(result.ours),
        baseline: shown(result.baseline),
        ratio: result.ratio,
        bound,
      });
      if (cpuBound) rows.push({ name: `${name}, CPU a request`, ...result.cpu, bound: cpuBound });
      await ended(bare.child);
      return result.ours;
    };
    await measure('GET /me', '/api/v1/me', '>= 0.75', '<= 1.8');
    if (isShort) return { title, baseline: 'node:http', rows };
    const calm = disturb(plant, daemon.url);
    await measure('GET /me while others write', '/api/v1/me', '>= 0.75', '<= 1.8');
    await calm();
    await measure('GET /parts?limit=50', '/api/v1/parts?limit=50', '>= 0.5');
    await measure('GET /parts?limit=500', '/api/v1/parts?limit=500', '>= 0.6');
    const me = { url: `${daemon.url}/api/v1/me`, headers, status: 200 };
    const page = `${daemon.url}/api/v1/parts?limit=50`;
    const { headers: given } = await fetch(page, {
      headers: { ...headers, 'accept-encoding': 'identity' },
    });
    const known = { ...headers, 'if-none-match': given.get('etag') ?? '' };
    rows.push(await againstMe('304', { url: page, headers: known, status: 304 }, me, 0.8));
    for (const [what, wrong] of wrongKeys) {
      const refused = { ...me, headers: { authorization: `Bearer ${wrong}` }, status: 401 };
      rows.push(await againstMe(`${what} refused`, refused, me, 1));
    }
    return { title, baseline: 'node:http', rows };
  } finally {
    for (const child of children) await ended(child);
    await plant.remove();
  }
}

/**
 * While both sides are measured, a gateway posts ten readings 50 times a second, and a script makes a key and revokes it
 * about twice a second. Gives a function that ends it.
 */
function disturb(plant: BenchPlant, url: string): () => Promise<void> {
  let isOn = true;
  const script = async () => {
    while (isOn) {
      const create = 'keys create --name other --entity ONE --preset production-only';
      const secret = (await plant.hkctlAside(create.split(' '))).trim();
      await plant.hkctlAside(['keys', 'revoke', secret.slice(0, 8), '--yes']);
      await pause(300);
    }
  };
  const gateway = async () => {
    const secret = plant.key('sensor-gateway');
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    for (let second = 0; isOn; second++) {
      const readings = Array.from({ length: 10 }, (_, n) => ({
        sensor: 'SENSOR-1',
        at: new Date(Date.UTC(2001, 0, 1) + second * 1000 + n).toISOString(),
        value: n,
      }));
      const answer = await fetch(`${url}/api/v1/sensors/readings`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ readings }),
      });
      if (answer.status !== 200)
        throw new Error(`ingest answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      await pause(20);
    }
  };
  const both = Promise.all([script(), gateway()]);
  return async () => {
    isOn = false;
    await both;
  };
}

interface Target {
  url: string;
  pid: number;
  headers: Record<string, string>;
}

async function compare(ours: Target, bare: Target) {
  const cpu = { ours: [] as number[], baseline: [] as number[] };
  const run = (target: Target, times: number[]) => async () => {
    const before = cpuMs(target.pid);
    const result = await load({ url: target.url, headers: target.headers, seconds, connections });
    times.push(((cpuMs(target.pid) - before) * 1000) / (result.requestsPerSecond * seconds));
    return result.requestsPerSecond;
  };
  const figures = await paired(rounds, run(ours, cpu.ours), run(bare, cpu.baseline));
  const times = { ours: average(cpu.ours), baseline: average(cpu.baseline) };
  const micros = (us: number) => `${us.toFixed(1)} µs`;
  const shownCpu = {
    ours: micros(times.ours),
    baseline: micros(times.baseline),
    ratio: times.ours / times.baseline,
  };
  return { ...figures, cpu: shownCpu };
}

/** A 304 must not cost more than a fifth above a small answer, and a wrong key no more than a good one. */
async function againstMe(name: string, asked: Asked, me: Asked, floor: number): Promise<BenchRow> {
  const run =
    ({ status, ...target }: Asked) =>
    async () =>
      (await load({ ...target, seconds, connections }, status)).requestsPerSecond;
  const { ours, baseline, ratio } = await paired(rounds, run(asked), run(me));
  const bound = `>= ${floor}`;
  return {
    name: `${name}, against GET /me`,
    ours: shown(ours),
    baseline: shown(baseline),
    ratio,
    bound,
  };
}

interface Asked {
  url: string;
  headers: Record<string, string>;
  status: number;
}

/** The second is drawn anew in each run: whole, and in no store. */
const wrongKeys = [
  ['garbage', `hk_${'A'.repeat(49)}`],
  ['unknown key', drawSecret()],
] as const;

/** The daemon as it is run: its log goes to a file, its limits are on and far away. */
async function startDaemon(folder: string, children: ChildProcess[]): Promise<Target> {
  const far = '100000000/m';
  const limits = ['--limit-requests', far, '--limit-ingest', far, '--limit-failed-checks', far];
  const log = openSync(join(folder, 'daemon.log'), 'w');
  const child = spawn(process.execPath, ['bin/hkctl.js', 'serve', '--port', '0', ...limits], {
    env: { ...process.env, HKCTL_STORE: join(folder, 'hkctl.db'), HKCTL_USER: 'bench' },
    stdio: ['ignore', log, 'pipe'],
  });
  closeSync(log);
  children.push(child);
  return { url: await addressFrom(child.stderr), pid: child.pid ?? 0, headers: {} };
}

const bareServer = `
const body = require('node:fs').readFileSync(process.argv[1]);
const server = require('node:http').createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.error('http://127.0.0.1:' + server.address().port));
`;

async function startBare(body: Buffer, folder: string, children: ChildProcess[]) {
  const file = join(folder, 'body.json');
  writeFileSync(file, body);
  const child = spawn(process.execPath, ['-e', bareServer, file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  return { url: await addressFrom(child.stderr), pid: child.pid ?? 0, headers: {}, child };
}

function addressFrom(stream: NodeJS.ReadableStream | null): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /https?:\/\/[\d.:]+/.exec(text);
      if (found && text.includes('\n')) resolve(found[0]);
    });
    stream?.on('end', () => reject(new Error(`no address: ${text}`)));
  });
}

function average(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

function shown(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en');
}

function partsNdjson(count: number): string {
  const categories = ['Castings', 'Shafts', 'Sheet metal', 'Fasteners'];
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: `P-${10_000 + index}`,
      name: `Bearing housing ${index}`,
      part_number: `BH-${10_000 + index}-A`,
      revision: 'C',
      is_active: index % 7 !== 0,
      category: categories[index % 4],
      unit: '{piece}',
      material: 'EN-GJS-400-15',
      weight_kg: 12.4,
      standard_cost: 48.5,
      currency: 'EUR',
    }),
  );
  return lines.join('\n');
}

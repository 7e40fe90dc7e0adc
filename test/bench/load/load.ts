import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

interface Target {
  url: string;
  headers?: Readonly<Record<string, string>>;
  connections: number;
  seconds: number;
}

/** Readings of `sensors`, in gateways of `inBody`; `size` in a POST, from `start` (epoch seconds) on. */
export interface ReadingsLoad extends Target {
  format: 'json' | 'seconds' | 'millis' | 'senml' | 'line';
  sensors: number;
  inBody: number;
  size: number;
  start: number;
}

/** GETs over some connections at once that are answered with a status; a `@@@@@@` in the address counts up. */
export function load(target: Target, status = 200): Promise<LoadResult> {
  return run(target, ['get', `GET ${headOf(target)}\r\n`, String(status), '0']);
}

/** GETs over one connection at an even pace. */
export function pacedLoad(target: Omit<Target, 'connections'>, perSecond: number) {
  const pace = String(1000 / perSecond);
  return run({ ...target, connections: 1 }, ['get', `GET ${headOf(target)}\r\n`, '200', pace]);
}

/** POSTs of new readings over some connections at once. */
export function loadReadings(target: ReadingsLoad): Promise<LoadResult> {
  const { format, sensors, inBody, size, start } = target;
  return run(target, [
    format,
    `POST ${headOf(target)}`,
    ...[sensors, inBody, size, start].map(String),
  ]);
}

function headOf({ url, headers = {} }: Pick<Target, 'url' | 'headers'>): string {
  const { pathname, search, host } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${pathname}${search} HTTP/1.1\r\n${lines.join('')}`;
}

/** Throws if an answer is not the one that was wanted: a figure with errors is worth nothing. */
async function run(
  { url, connections, seconds }: Target,
  args: readonly string[],
): Promise<LoadResult> {
  program ??= compile();
  const child = spawn(program, [new URL(url).port, String(connections), String(seconds), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [requests = 0, taken = 0, p50Ms = 0, p99Ms = 0, errors = 0] = output.split(' ').map(Number);
  if (code !== 0 || errors > 0)
    throw new Error(`${url}: exit code ${code}, ${errors} errors in ${requests} answers`);
  return { requests, requestsPerSecond: requests / taken, p50Ms, p99Ms };
}

let program: string | undefined;

/** The client is in C, so that it costs the servers next to none of the two cores. */
function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-load-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  execFileSync('cc', [
    '-O2',
    '-o',
    join(folder, 'load'),
    join(process.cwd(), 'test/bench/load/load.c'),
  ]);
  return join(folder, 'load');
}

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One line of a benchmark's table: what was measured, the baseline of the same run, and the floor or ceiling asked for. */
export interface BenchRow {
  name: string;
  ours: string;
  baseline: string;
  /** ours / baseline, in the sense the bound is stated in. */
  ratio: number | null;
  /** `>= 0.5` or `<= 1.25`; null where none is asked for. */
  bound: string | null;
}

/** A benchmark: its name, the baseline it stands against and the rows it measured. */
export interface BenchReport {
  title: string;
  baseline: string;
  rows: BenchRow[];
  notes?: string[];
}

/** Prints a report as an aligned table, with each row's bound and whether it was kept. */
export function printReport(report: BenchReport): void {
  const head = ['', 'hkctl', report.baseline, 'ratio', 'bound', ''];
  const lines = report.rows.map((row) => [
    row.name,
    row.ours,
    row.baseline,
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.bound ?? '',
    keepsBound(row) === undefined ? '' : keepsBound(row) ? 'kept' : 'MISSED',
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => (line[column] ?? '').length)));
  process.stdout.write(`\n${report.title}\n`);
  for (const line of [head, ...lines]) {
    const cells = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    process.stdout.write(`  ${cells.join('  ').trimEnd()}\n`);
  }
  for (const note of report.notes ?? []) process.stdout.write(`  ${note}\n`);
}

/** Whether a row keeps its bound; undefined where it has none or nothing was measured. */
export function keepsBound({ ratio, bound }: BenchRow): boolean | undefined {
  if (ratio === null || bound === null) return undefined;
  const limit = Number(bound.slice(3));
  return bound.startsWith('>=') ? ratio >= limit : ratio <= limit;
}

/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Runs two measurements by turns, so that a busy machine is busy for both; gives each one's figures and the median of the paired ratios. */
export async function paired(
  rounds: number,
  ours: () => Promise<number> | number,
  baseline: () => Promise<number> | number,
): Promise<{ ours: number; baseline: number; ratio: number }> {
  const pairs: { a: number; b: number }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ a: await ours(), b: await baseline() });
  return {
    ours: median(pairs.map(({ a }) => a)),
    baseline: median(pairs.map(({ b }) => b)),
    ratio: median(pairs.map(({ a, b }) => a / b)),
  };
}

export interface LoadRequest {
  url: string;
  seconds: number;
  connections: number;
  headers?: Readonly<Record<string, string>>;
  /** A wrk Lua script, for bodies that differ. */
  script?: string;
}

export interface LoadResult {
  requestsPerSecond: number;
  p99Ms: number;
  /** Answers other than 2xx and 3xx, and socket errors: a figure with any of these is worth nothing. */
  errors: number;
}

/** Time on a processor of a process and all its threads; Linux counts it in hundredths of a second. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Whether a program is on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** Puts load on an address of this machine with wrk (one thread: the client must not be the limit nor take the cores). */
export async function load(request: LoadRequest): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-wrk-'));
  const script = join(folder, 'load.lua');
  writeFileSync(script, `${request.script ?? ''}\n${reportScript}`, { mode: 0o600 });
  const headers = Object.entries(request.headers ?? {}).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const args = ['-t1', `-c${request.connections}`, `-d${request.seconds}s`, '-s', script, ...headers, request.url];
  try {
    const output = await outputOf('wrk', args);
    const found = /^RESULT ([\d.]+) ([\d.]+) (\d+)$/m.exec(output);
    if (!found) throw new Error(`wrk reported no result:\n${output}`);
    return { requestsPerSecond: Number(found[1]), p99Ms: Number(found[2]), errors: Number(found[3]) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const reportScript = `
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %.2f %.3f %d\\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end
`;

function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} ended with ${code}:\n${output}`)),
    );
  });
}

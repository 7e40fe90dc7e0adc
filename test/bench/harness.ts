import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

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
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => (line[column] ?? '').length)),
  );
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
  return bound.startsWith('>=') ? ratio >= limit * leeway : ratio <= limit / leeway;
}

/** Whether this is the short form, for every commit: it fails only if something is much slower than it should be. */
export const isShort = process.env.BENCH_HKCTL_SHORT === '1';
/** What part of a bound is asked for. */
const leeway = isShort ? 0.6 : 1;

/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
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

/** Whether a program is on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** Time on a processor of a process and all its threads, in ms; Linux counts it in hundredths of a second. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Time on a processor of all threads that a process has now, or of one, in µs; Linux counts it in nanoseconds. */
export function threadsCpuUs(pid: number, only?: string): number {
  let sumNs = 0;
  for (const thread of only === undefined ? readdirSync(`/proc/${pid}/task`) : [only])
    sumNs += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return sumNs / 1000;
}

/** The memory of a process in RAM in MB: now (`VmRSS`), or the most that it has had so far (`VmHWM`). */
export function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { errnoOf } from '../../../src/core/errors.ts';
import { filesOf } from '../../../src/store/sqlite/connection/files.ts';
import type { Plant } from '../../e2e/plant.ts';
import { cli, type Running, until } from '../../e2e/program.ts';
import type { Outcome } from '../../run-program.ts';
import { needStrace } from '../machine/needs.ts';

needStrace();

/** A system call that touches a file of the store. */
export interface Point {
  call: string;
  /** The how manieth of its name. */
  when: number;
}

function storeFiles(path: string): string[] {
  const { restored: store, ready } = filesOf(path);
  const bases = [...Object.values(filesOf(path)), ...Object.values(filesOf(store))];
  const files = [...bases.filter((file) => file !== null), ready];
  return [
    ...files,
    ...files.flatMap((file) => [`${file}-wal`, `${file}-shm`, `${file}-journal`]),
    dirname(path),
  ];
}

const strace = (path: string, ...more: string[]) => [
  '-f',
  '-qq',
  ...storeFiles(path).flatMap((file) => ['-P', file]),
  ...more,
];

/** Every system call of a command on the store's files, in order. */
export async function pointsOf(plant: Plant, args: readonly string[]): Promise<Point[]> {
  const log = plant.path('calls');
  const traced = plant.attach('strace', [
    ...strace(plant.store, '-o', log),
    process.execPath,
    cli,
    ...args,
  ]);
  expect((await traced.ended).code).toBe(0);
  const counts = new Map<string, number>();
  const lines = readFileSync(log, 'utf8').split('\n');
  const main = lines[0]?.split(' ')[0];
  const points: Point[] = [];
  for (const line of lines) {
    const [pid, call] = /^(\d+) +(\w+)\(/.exec(line)?.slice(1) ?? [];
    // Each thread has its own count; databases are the main one's.
    if (pid !== main || call === undefined) continue;
    const when = (counts.get(call) ?? 0) + 1;
    counts.set(call, when);
    points.push({ call, when });
  }
  expect(points.length).toBeGreaterThan(50);
  return points;
}

/** Runs a command that gets a signal at a point. */
export function runAt(
  plant: Plant,
  { call, when }: Point,
  signal: 'KILL' | 'STOP',
  args: readonly string[],
): Running {
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=${signal}:when=${when}`];
  return plant.attach('strace', [
    ...strace(plant.store, '-o', '/dev/null', ...inject),
    process.execPath,
    cli,
    ...args,
  ]);
}

/** Waits until the program under strace is halted; its number, or undefined where it has ended. */
export async function halted(traced: Running): Promise<number | undefined> {
  let seen = 0;
  return until(
    'the program is halted or has ended',
    () => {
      if (traced.hasEnded) return { pid: undefined };
      const pid = childOf(traced.child.pid ?? 0);
      const isHalted = pid !== undefined && /^\d+ \(.*\) [tT] /.test(readStat(pid));
      // Every system call halts it for a moment: what stays so is halted.
      seen = isHalted ? seen + 1 : 0;
      return seen > 8 ? { pid } : undefined;
    },
    { everyMs: 10 },
  ).then(({ pid }) => pid);
}

/** Lets it go on until its end. On a busy machine it may have seemed halted before it was: then it is so only later. */
export async function resumed(traced: Running): Promise<Outcome> {
  const resume = () => {
    const pid = childOf(traced.child.pid ?? 0);
    try {
      if (pid !== undefined) process.kill(pid, 'SIGCONT');
    } catch (thrown) {
      // It has ended meanwhile.
      if (errnoOf(thrown) !== 'ESRCH') throw thrown;
    }
  };
  resume();
  const again = setInterval(resume, 100);
  try {
    return await traced.ended;
  } finally {
    clearInterval(again);
  }
}

function childOf(pid: number): number | undefined {
  try {
    return (
      Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]) || undefined
    );
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runProgram } from '../../../run-program.ts';
import { emptyDatabase, Model, step } from '../../../store/sqlite/readings/model/model.ts';
import { Process, type Step } from '../../../store/sqlite/readings/model/process.ts';
import { needStrace } from '../../machine/needs.ts';
import { buildStepper, modelOf } from './stepper.ts';

needStrace();

/** What a process has done with a file, or that it has reported the end of a step. */
type Call =
  | { file: string; at: number; bytes: Buffer }
  | { file: string; length: number }
  | { file: string; isSync: true }
  | { report: string };

const losses = 150;

it('after a loss of power at any instant, what was reported is there, whatever of the rest had reached the disk', async () => {
  const { folder, empty } = emptyDatabase();
  const database = join(folder, 'traced.db');
  copyFileSync(empty, database);
  // As they arrive in the other process: JSON has no -0.
  const steps: Step[] = JSON.parse(JSON.stringify(fc.sample(step, { seed: 1, numRuns: 250 })));
  const file = join(folder, 'steps.json');
  writeFileSync(file, JSON.stringify(steps));
  const calls = callsOf(join(folder, 'trace'), [await buildStepper(), database, file], database);
  expect(calls.filter((call) => 'report' in call)).toHaveLength(steps.length);
  const lost = join(folder, 'lost.db');
  for (let loss = 0; loss < losses; loss++) {
    const until = Math.floor((calls.length * (loss + 1)) / losses);
    const reports = calls
      .slice(0, until)
      .flatMap((call) => ('report' in call ? [call.report] : []));
    const model = new Model();
    for (const [i, report] of reports.entries()) model.apply(steps[i] as Step, JSON.parse(report)); // fewer than steps
    for (const reachesDisk of [() => false, (place: number) => (place * 7919 + loss) % 3 === 0]) {
      for (const end of ['', '-wal', '-shm']) rmSync(lost + end, { force: true });
      const files = filesAfter(
        calls.slice(0, until),
        new Map([[database, readFileSync(empty)]]),
        reachesDisk,
      );
      for (const [name, bytes] of files) writeFileSync(name.replace(database, lost), bytes);
      const reader = new Process(lost, '');
      modelOf(reader, model, steps[reports.length]);
      expect(reader.parts.connection.pragma('integrity_check', { simple: true })).toBe('ok');
      reader.close();
    }
  }
}, 600_000);

/** The calls of a program on a database and its log, in order. */
function callsOf(trace: string, program: readonly string[], database: string): Call[] {
  const traced = 'trace=openat,pwrite64,ftruncate,fsync,fdatasync,write';
  // Without -f: of the thread that writes alone. Calls of others would split its lines.
  const options = ['-qq', '-xx', '-s', '70000', '-e', traced, '-e', 'signal=none', '-o', trace];
  const { code, stderr } = runProgram('strace', [...options, process.execPath, ...program]);
  expect(code, stderr).toBe(0);
  const names = new Map<string, string>();
  const calls: Call[] = [];
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    const [, name, rest] = /^(\w+)\((.*)$/.exec(line) ?? [];
    if (rest === undefined) continue;
    const [fd = ''] = rest.split(/[,)]/);
    const bytes = () =>
      Buffer.from(/"([^"]*)"/.exec(rest)?.[1]?.replaceAll('\\x', '') ?? '', 'hex');
    const number = (pattern: RegExp) => Number(pattern.exec(rest)?.[1]);
    const opened = name === 'openat' ? bytes().toString() : '';
    if (opened === database || opened === `${database}-wal`)
      names.set(String(number(/= (\d+)$/)), opened);
    const file = names.get(fd);
    if (name === 'write' && fd === '1') calls.push({ report: bytes().toString() });
    else if (file === undefined) continue;
    else if (name === 'pwrite64') calls.push({ file, at: number(/, (\d+)\) += /), bytes: bytes() });
    else if (name === 'ftruncate') calls.push({ file, length: number(/, (\d+)\) += /) });
    else if (name?.endsWith('sync')) calls.push({ file, isSync: true });
  }
  expect(new Set(names.values()), 'opened as the trace tells').toEqual(
    new Set([database, `${database}-wal`]),
  );
  return calls;
}

/** The files after calls: all that was written before the last sync of its file, and of the rest what happens to reach the disk. */
function filesAfter(
  calls: readonly Call[],
  files: ReadonlyMap<string, Buffer>,
  reachesDisk: (place: number) => boolean,
): Map<string, Buffer> {
  const after = new Map(files);
  const synced = new Map<string, number>();
  for (const [place, call] of calls.entries()) if ('isSync' in call) synced.set(call.file, place);
  for (const [place, call] of calls.entries()) {
    if ('report' in call || 'isSync' in call) continue;
    if (place > (synced.get(call.file) ?? -1) && !reachesDisk(place)) continue;
    const before = after.get(call.file) ?? Buffer.alloc(0);
    if ('length' in call) {
      after.set(call.file, Buffer.concat([before, Buffer.alloc(call.length)], call.length));
      continue;
    }
    const bytes = Buffer.alloc(Math.max(before.length, call.at + call.bytes.length));
    before.copy(bytes);
    call.bytes.copy(bytes, call.at);
    after.set(call.file, bytes);
  }
  return after;
}

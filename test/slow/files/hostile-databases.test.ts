import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../../cli/harness.ts';
import { Plant } from '../../e2e/plant.ts';
import { cli as program, root } from '../../e2e/program.ts';
import { createRandom } from '../../e2e/random.ts';
import { reseal } from '../../store/changed-backups.ts';
import { needStrace } from '../machine/needs.ts';
import { mutations } from './mutations.ts';

const rounds = Number(process.env.TEST_HKCTL_ROUNDS ?? 10);
const firstSeed = Number(process.env.TEST_HKCTL_SEED ?? 1);
needStrace();
/** What a restore may end with that meets such a file: done, no backup, nobody who may act, nobody left to act, damage. */
const ends = [0, 2, 4, 5, 6];

/** Mutates a file by one to three of the ways; gives their names. One that the file does not allow any more changes nothing. */
function mutate(file: string, random: (bound: number) => number, victim: string): string[] {
  const done: string[] = [];
  for (let count = 1 + random(3); count > 0; count--) {
    const { name, apply } = mutations[random(mutations.length)] as (typeof mutations)[number]; // within
    try {
      apply(file, random, victim);
      done.push(name);
    } catch (thrown) {
      // What an earlier mutation has broken, SQLite refuses to change further.
      if (
        !(thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('SQLITE_'))
      )
        throw thrown;
    }
  }
  return done;
}

describe('a hostile backup', () => {
  it(`ends no command unexpectedly, and leaves the store as it was (${rounds * 8} files, seeds from ${firstSeed})`, async () => {
    const cli = await new Cli().seed();
    await cli.ok('keys create --name A --entity BER --preset sensor-gateway --json');
    const folder = dirname(dirname(cli.store));
    const whole = join(folder, 'whole.backup');
    await cli.ok(['backup', whole]);
    const victim = join(folder, 'victim');
    const outcomes = new Map<string, number>();
    for (let seed = firstSeed; seed < firstSeed + rounds * 8; seed++) {
      const random = createRandom(seed);
      const bad = join(folder, `bad-${seed}`);
      mkdirSync(bad);
      const file = join(bad, 'a.backup');
      cpSync(whole, file);
      const done = mutate(file, random, victim);
      // As its author would: what no digest refuses is what there is to see.
      reseal(file);
      const line = ['restore', file, '--yes', '--store', join(bad, 'new', 'hkctl.db')];
      const { code, stderr } = await cli.run([...line, '--debug']);
      const what = `seed ${seed}: restore after ${done.join(', ')}\n${stderr}`;
      expect(ends, what).toContain(code);
      expect(existsSync(victim), what).toBe(false);
      outcomes.set(`restore ${code}`, (outcomes.get(`restore ${code}`) ?? 0) + 1);
      rmSync(bad, { recursive: true, force: true });
    }
    // Of each kind some: a fuzz whose files are all refused at the first byte would prove nothing.
    for (const kind of ['restore 2', 'restore 6'])
      expect(outcomes.get(kind), kind).toBeGreaterThan(0);
    await cli.ok('doctor');
    process.stdout.write(
      `hostile backups: ${JSON.stringify(Object.fromEntries([...outcomes].sort()))}\n`,
    );
  });
});

describe('a hostile backup, under strace', () => {
  let plant: Plant;
  beforeAll(async () => {
    plant = await Plant.open();
  });
  afterAll(() => plant.close());

  it(`makes a restore open and change expected paths only (${rounds} files, seeds from ${firstSeed})`, async () => {
    await plant.createKey('A', 'sensor-gateway');
    const whole = plant.path('whole.backup');
    await plant.ok(['backup', whole]);
    const victim = plant.path('victim');
    writeFileSync(victim, 'nobody has a reason to touch this');
    for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
      const random = createRandom(seed * 7919);
      const bad = plant.path(`bad-${seed}`);
      mkdirSync(bad);
      const file = join(bad, 'a.backup');
      cpSync(whole, file);
      const done = mutate(file, random, victim);
      // As its author would: what no digest refuses is what there is to see.
      reseal(file);
      const line = ['restore', file, '--yes', '--store', join(bad, 'new', 'hkctl.db')];
      const trace = join(bad, 'trace');
      // At no other system call does it halt the program, which takes half of the time.
      const args = [
        '-f',
        '--seccomp-bpf',
        '-qq',
        '-e',
        'trace=%file',
        '-o',
        trace,
        process.execPath,
        program,
        ...line,
      ];
      const { code, stderr } = await plant.attach('strace', args).ended;
      const what = `seed ${seed}: ${line[0]} after ${done.join(', ')}\n${stderr}`;
      expect(ends, what).toContain(code);
      const { opened, changed } = pathsOf(readFileSync(trace, 'utf8'));
      expect(opened.length, what).toBeGreaterThan(0);
      expect(
        opened.filter((path) => !mayBeRead(path, bad)),
        what,
      ).toEqual([]);
      expect(
        changed.filter((path) => !mayBeChanged(path, bad)),
        what,
      ).toEqual([]);
      expect(readFileSync(victim, 'utf8')).toBe('nobody has a reason to touch this');
      const left = readdirSync(bad, { recursive: true }).map(String);
      expect(
        left.filter((path) => path.includes('.new')),
        what,
      ).toEqual([]);
      rmSync(bad, { recursive: true, force: true });
    }
  });
});

/** The paths of a trace that were opened, and those that were made, written, renamed, removed or given away, with success. */
function pathsOf(trace: string): { opened: string[]; changed: string[] } {
  const opened = new Set<string>();
  const changed = new Set<string>();
  for (const line of trace.split('\n')) {
    const [, call = '', rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
    if (call === '' || call === 'execve' || / = -1 E/.test(rest)) continue;
    const paths = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path = '']) => path);
    if (/^open/.test(call)) {
      for (const path of paths) opened.add(path);
      if (!/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(rest)) continue;
    } else if (
      !/^(unlink|rename|mkdir|rmdir|link|symlink|chmod|fchmodat|chown|lchown|fchownat|truncate|mknod)/.test(
        call,
      )
    ) {
      continue;
    }
    for (const path of paths) changed.add(path);
  }
  return { opened: [...opened], changed: [...changed] };
}

const system = [
  '/usr/',
  '/lib',
  '/etc/',
  '/proc/',
  '/sys/',
  '/dev/',
  `${root}/`,
  dirname(process.execPath),
];

function mayBeRead(path: string, folder: string): boolean {
  return (
    system.some((start) => path.startsWith(start)) ||
    path === folder ||
    path.startsWith(`${folder}/`)
  );
}

/** A restore makes the new store and leaves the backup and its folder alone. */
function mayBeChanged(path: string, folder: string): boolean {
  if (/^\/dev\/(?:null|tty)$/.test(path)) return true;
  const own =
    /^\/new(?:\/hkctl\.db\.hkctl-[0-9a-f]{12}\.new(?:-wal|-shm|-journal)?|\/hkctl(?:\.restored)?(?:\.(?:records|readings))?(?:\.db|\.ready|\.revocations|\.daemons)(?:-wal|-shm|-journal)?)?$/;
  return path.startsWith(folder) && own.test(path.slice(folder.length));
}

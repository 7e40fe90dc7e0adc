import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CreatedKey, Plant } from '../../e2e/plant.ts';
import { pause, until } from '../../e2e/program.ts';
import { createRandom } from '../../e2e/random.ts';

const tries = Number(process.env.TEST_HKCTL_ROUNDS ?? 8);

let plant: Plant;
beforeAll(async () => {
  plant = await Plant.open();
});
afterAll(() => plant.close());

/** Not in memory, where a file never gets the inode number of one that was just removed. */
const folder = mkdtempSync('/var/tmp/hkctl-race-');
afterAll(() => rmSync(folder, { recursive: true }));

/** A key in a file of its own, the lines that rotate it there, and its state. */
async function keyInFile(name: string) {
  const file = join(folder, `${name}.key`);
  const { key }: CreatedKey = await plant.json([
    ...[
      'keys',
      'create',
      '--name',
      name,
      '--entity',
      'BER',
      '--preset',
      'sensor-gateway',
      '--secret-file',
      file,
    ],
  ]);
  const prefix = () => readFileSync(file, 'utf8').slice(0, 8);
  const rotate = (...more: string[]) =>
    plant.hkctl(['keys', 'rotate', prefix(), '--secret-file', file, '--yes', ...more]);
  const verifies = async () =>
    (await plant.hkctl(['keys', 'verify'], { input: readFileSync(file, 'utf8') })).code;
  return { key, file, prefix, rotate, verifies };
}

/** Loaded into the program before it: delays each of its changes to files by a random time. */
const hesitant = `
const fs = require('node:fs');
for (const name of ['openSync', 'writeSync', 'fchmodSync', 'fsyncSync', 'closeSync', 'renameSync', 'unlinkSync']) {
  const original = fs[name];
  fs[name] = function (...args) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() ** 3 * 60);
    return original.apply(this, args);
  };
}
`;

/** Loaded in the same way: stops it for a while right before its n-th change to a file, and says so in a file. */
const sleeper = `
const fs = require('node:fs');
const { writeFileSync } = fs;
let left = Number(process.env.SLEEP_BEFORE);
for (const name of ['openSync', 'writeSync', 'fchmodSync', 'fchownSync', 'fsyncSync', 'closeSync', 'renameSync', 'unlinkSync']) {
  const original = fs[name];
  fs[name] = function (...args) {
    if (left-- === 0) {
      process.getBuiltinModule('node:child_process').execFileSync('touch', [process.env.SLEEPS]);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    }
    return original.apply(this, args);
  };
}
`;

it('a command that stands still before any of its steps, while another rotates the same key into the same file', async () => {
  const { file, prefix, rotate, verifies } = await keyInFile('slow');
  const preload = plant.write('sleeper.cjs', sleeper);
  let isOver = false;
  for (let step = 0; !isOver; step++) {
    const sleeps = plant.path(`sleeps.${step}`);
    const env = {
      NODE_OPTIONS: `--require ${preload}`,
      SLEEP_BEFORE: String(step),
      SLEEPS: sleeps,
    };
    const slow = plant.start(['keys', 'rotate', prefix(), '--secret-file', file, '--yes'], env);
    slow.child.stdin?.end();
    const before = prefix();
    await until('it stands still, or has ended', () => existsSync(sleeps) || slow.hasEnded);
    isOver = !existsSync(sleeps);
    const other = await plant.hkctl(['keys', 'rotate', before, '--secret-file', file, '--yes']);
    const outcomes = [await slow.ended, other];
    const shown = `step ${step}: ${outcomes.map(({ code, stderr }) => `${code} ${stderr}`).join('\n')}`;
    expect([0, 5], shown).toContain(outcomes[0]?.code);
    expect([0, 5], shown).toContain(other.code);
    expect([await verifies(), existsSync(`${file}.new`)], shown).toEqual([0, false]);
    const done = outcomes
      .map(({ stderr }) => / → (hk_\w{5})\)/.exec(stderr)?.[1])
      .filter((one) => one !== undefined);
    // Whoever said last that the key was rotated has its secret in the file.
    expect(done, shown).toContain(prefix());
  }
  expect((await rotate()).code).toBe(0);
});

it('two commands that rotate one key into one file: the file holds the secret that works, and one of them says so', async () => {
  const { file, prefix, verifies } = await keyInFile('raced');
  const preload = plant.write('hesitant.cjs', hesitant);
  for (let round = 0; round < tries; round++) {
    const line = ['keys', 'rotate', prefix(), '--secret-file', file, '--yes'];
    const env = { NODE_OPTIONS: `--require ${preload}` };
    const outcomes = await Promise.all([plant.hkctl(line, { env }), plant.hkctl(line, { env })]);
    const shown = `round ${round}: ${outcomes.map(({ code, stderr }) => `${code} ${stderr}`).join('\n')}`;
    expect(outcomes.map(({ code }) => code).sort(), shown).toEqual([0, 5]);
    expect([await verifies(), existsSync(`${file}.new`)], shown).toEqual([0, false]);
  }
});

it('and one that is killed meanwhile: the next run of the same command completes or reverts what it has left', async () => {
  const { file, prefix, rotate, verifies } = await keyInFile('killed');
  const seed = Date.now();
  const random = createRandom(seed);
  for (let round = 0; round < tries; round++) {
    const killed = plant.start(['keys', 'rotate', prefix(), '--secret-file', file, '--yes']);
    killed.child.stdin?.end();
    const other = rotate();
    await pause(random(350));
    await killed.stop('SIGKILL');
    const outcome = await other;
    const again = await rotate('--if-older-than', '90d');
    const shown = `seed ${seed}, round ${round}: ${outcome.code} ${outcome.stderr}\n${again.code} ${again.stderr}`;
    expect(again.code, shown).toBe(0);
    expect(await verifies(), shown).toBe(0);
    expect([0, 5], shown).toContain(outcome.code);
  }
  expect((await plant.ok(['audit', 'verify'])).stdout).toContain('whole');
});

it('two keys into one file by force: the file holds a secret that works, of the one that came last', async () => {
  const first = await keyInFile('one');
  const second = await keyInFile('two');
  for (let round = 0; round < tries / 4; round++) {
    const active = await plant.json<{ name: string; prefix: string }[]>(['keys', 'list']);
    const prefixOf = (name: string) => active.find((key) => key.name === name)?.prefix ?? '';
    const line = (name: string) => [
      'keys',
      'rotate',
      prefixOf(name),
      '--secret-file',
      first.file,
      '--force',
      '--yes',
    ];
    const outcomes = await Promise.all([plant.hkctl(line('one')), plant.hkctl(line('two'))]);
    expect(
      outcomes
        .map(({ code, stderr }) => `${code} ${stderr}`)
        .filter((shown) => !shown.startsWith('0')),
    ).toEqual([]);
    expect(await first.verifies()).toBe(0);
  }
  expect(await second.verifies()).toBe(5);
});

/** Delivers to a file, which is replaced at once, as on another machine. */
const deliverTo = (file: string) => `cat > '${file}.'$$ && sleep 0.1 && mv '${file}.'$$ '${file}'`;

it('a delivery by a command that is killed meanwhile: the same command completes it, and what was delivered works', async () => {
  const { file, prefix, verifies } = await keyInFile('delivered');
  const seed = Date.now();
  const random = createRandom(seed);
  const codes = new Set<number | null>();
  for (let round = 0; round < tries / 2; round++) {
    const line = ['keys', 'rotate', prefix(), '--deliver', deliverTo(file), '--yes'];
    const killed = plant.start(line);
    killed.child.stdin?.end();
    await pause(100 + random(500));
    await killed.stop('SIGKILL');
    const again = await plant.hkctl(line);
    const shown = `seed ${seed}, round ${round}: ${again.code} ${again.stderr}`;
    // Where all was done and only the exit code got lost, the key that was named is a revoked one by now.
    expect([0, 5], shown).toContain(again.code);
    expect(await verifies(), shown).toBe(0);
    codes.add(again.code);
  }
  expect([...codes]).toContain(0);
});

it('deliveries of one key at once: the secret that arrives last works, and one of them says so', async () => {
  const { file, prefix, verifies } = await keyInFile('delivered-at-once');
  for (let round = 0; round < tries / 4; round++) {
    const line = ['keys', 'rotate', prefix(), '--deliver', deliverTo(file), '--yes'];
    const outcomes = await Promise.all([1, 2, 3].map(() => plant.hkctl(line)));
    const shown = outcomes.map(({ code, stderr }) => `${code} ${stderr}`).join('\n');
    expect(outcomes.map(({ code }) => code).sort(), shown).toEqual([0, 5, 5]);
    expect(await verifies(), shown).toBe(0);
  }
});

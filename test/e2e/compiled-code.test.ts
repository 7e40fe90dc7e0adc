import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Outcome } from '../run-program.ts';
import { environment, Running, root } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-compiled-code-'));
const dist = join(folder, 'dist');
const store = join(folder, 'store', 'hkctl.db');
const names = () => readdirSync(dist).filter((name) => name.endsWith('.cache'));
const compiled = new Map<string, Buffer>();

function hkctl(args: string, more: Record<string, string> = {}): Promise<Outcome> {
  const env = environment({ HKCTL_STORE: store, ...more });
  return new Running(process.execPath, [join(folder, 'bin', 'hkctl.js'), ...args.split(' ')], {
    env,
  }).ended;
}

afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  for (const part of ['bin', 'dist', 'migrations', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of names()) compiled.set(name, readFileSync(join(dist, name)));
  const made = await hkctl('init --demo --yes --admin ada');
  expect(made.code, made.stderr).toBe(0);
});

it('the build keeps compiled code of all that keys list loads, which is little', async () => {
  const loadedList = join(folder, 'loaded.js');
  writeFileSync(
    loadedList,
    `process.on('exit', () => {
      const chunks = Object.keys(require.cache).filter((path) => path.endsWith('.cjs'));
      const modules = process.moduleLoadList.map((name) => name.replace('NativeModule ', ''));
      require('node:fs').writeSync(2, JSON.stringify({ chunks, modules }));
    });`,
  );
  const { stderr } = await hkctl('keys list --as ada', { NODE_OPTIONS: `--require=${loadedList}` });
  const { chunks, modules } = JSON.parse(stderr);
  expect(chunks.length).toBeLessThan(8);
  const keptNames = chunks.map((path: string) => `${basename(path)}.${process.version}.cache`);
  expect([...compiled.keys()]).toEqual(expect.arrayContaining(keptNames));

  const lateModules = ['child_process', 'crypto', 'net', 'stream', 'tty', 'zlib'];
  expect(lateModules.filter((name) => modules.includes(name))).toEqual([]);
});

it.each([
  { damage: 'emptied', change: () => Buffer.alloc(0) },
  { damage: 'cut', change: (code: Buffer) => code.subarray(0, code.length / 2) },
  { damage: 'of another version', change: (code: Buffer) => Buffer.from(code).fill(7, 4, 8) },
  { damage: 'that of another chunk', change: () => [...compiled.values()][0] ?? Buffer.alloc(0) },
])('compiled code that is $damage changes no answer', async ({ change }) => {
  const before = await hkctl('keys list --as ada');
  for (const [name, code] of compiled) writeFileSync(join(dist, name), change(code));
  expect(await hkctl('keys list --as ada')).toEqual(before);
  for (const [name, code] of compiled) writeFileSync(join(dist, name), code);
});

it('without compiled code a command runs as well', async () => {
  const before = await hkctl('keys list --as ada');
  for (const name of names()) rmSync(join(dist, name));
  expect(await hkctl('keys list --as ada')).toEqual(before);
});

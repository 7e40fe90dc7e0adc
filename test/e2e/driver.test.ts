import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Outcome } from '../run-program.ts';
import { environment, Running, root } from './program.ts';

/** Newer Nodes use another driver, which has its binaries in its package. */
const isOlderNode = Number(process.versions.node.split('.')[0]) < 22;
const driver = isOlderNode ? 'better-sqlite3-12' : 'better-sqlite3';
const binary = isOlderNode
  ? join(driver, 'build', 'Release', 'better_sqlite3.node')
  : join(driver, 'prebuilds', `${process.platform}-${process.arch}.node`);

const folder = mkdtempSync(join(tmpdir(), 'hkctl-driver-'));
const packages = join(folder, 'node_modules');
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => {
  for (const part of ['bin', 'dist', 'migrations', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
});

/** Initializes a store in an installation whose driver has these bytes as its binary, or none. */
async function initWith(bytes: Buffer | undefined): Promise<Outcome> {
  rmSync(packages, { recursive: true, force: true });
  for (const part of ['package.json', 'lib']) {
    cpSync(join(root, 'node_modules', driver, part), join(packages, driver, part), {
      recursive: true,
    });
  }
  if (bytes) {
    mkdirSync(dirname(join(packages, binary)), { recursive: true });
    writeFileSync(join(packages, binary), bytes);
  }
  const flags = ['--entity-name', 'Berlin', '--timezone', 'Europe/Berlin', '--admin', 'ada'];
  const args = ['init', '--org', 'Acme', '--entity', 'BER', ...flags, '--week-start', 'monday'];
  const store = join(folder, 'store', 'hkctl.db');
  return new Running(
    process.execPath,
    [join(folder, 'bin', 'hkctl.js'), ...args, '--store', store],
    { env: environment({}) },
  ).ended;
}

/** The binary of this machine, changed to ask for a version that no system has; and this version. */
function askingForFuture(present: RegExp, future: string): { bytes: Buffer; missing: string } {
  const text = readFileSync(join(root, 'node_modules', binary), 'latin1');
  const changed = text.replace(present, `\0${future}`);
  const [missing = ''] = changed.slice(changed.indexOf(future)).split('\0', 1);
  expect(changed).toHaveLength(text.length);
  return { bytes: Buffer.from(changed, 'latin1'), missing };
}

const needs =
  'hint: Use a system with glibc 2.34 and libstdc++ 11 or newer, such as Debian 12, Ubuntu 22.04 or RHEL 9.';

it('without a driver for this system, as a package of another one is, it says what to install', async () => {
  const { code, stderr } = await initWith(undefined);
  expect([code, stderr]).toEqual([
    6,
    expect.stringMatching(
      /^error: This hkctl was installed without a driver for Node v\S+ on \w+-\w+\.\nhint: (Use Node 22\.14 or newer|Install)/,
    ),
  ]);
});

it.each([
  { library: 'C', present: /\0GLIBC_2\./, future: 'GLIBC_9.' },
  { library: 'C++', present: /\0GLIBCXX_3\.4\./, future: 'GLIBCXX_9.4.' },
])('with a $library library that is too old, it says which systems it supports', async (one) => {
  const { bytes, missing } = askingForFuture(one.present, one.future);
  const { code, stderr } = await initWith(bytes);
  expect([code, stderr]).toEqual([
    6,
    `error: The ${one.library} library of this system is too old for the SQLite driver: ${missing} is missing.\n${needs}\n`,
  ]);
});

it('with a driver that the system refuses for another reason, it says the reason', async () => {
  const { code, stderr } = await initWith(Buffer.from('\x7fELF'));
  expect([code, stderr]).toEqual([
    6,
    expect.stringMatching(
      /^error: The SQLite driver cannot be loaded: .*file too short\nhint: Install the package of hkctl for this system and processor/,
    ),
  ]);
});

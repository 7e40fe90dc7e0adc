import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cli } from '../../cli/harness.ts';
import { until } from '../../e2e/program.ts';
import { startProgram } from '../../run-program.ts';

const hkctl = join(__dirname, '..', '..', '..', 'bin', 'hkctl.js');
const bytes = 300_000_000;

let cli: Cli;
let folder: string;
let log: string;
let keys: { id: string; secret: string }[];

beforeAll(async () => {
  cli = new Cli();
  cli.nowMs = Date.now();
  await cli.seed();
  keys = [];
  for (const name of ['A', 'B']) {
    const { key, secret } = await cli.key(name);
    keys.push({ id: key.id, secret });
  }
  folder = mkdtempSync(join(tmpdir(), 'hkctl-log-'));
  log = join(folder, 'access.log');
  await writeLog();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A log with the first key on every line; the second one on the last. */
async function writeLog(): Promise<void> {
  const line = `2026-11-20T08:15:00Z POST /api/v1/sensors/readings 200 Authorization: Bearer ${keys[0]?.secret}\n`;
  const piece = Buffer.from(line.repeat(10_000));
  const file = await open(log, 'w');
  for (let written = 0; written < bytes; written += piece.length) await file.write(piece);
  await file.write(`${keys[1]?.secret}\n`);
  await file.close();
}

function scan(path: string): ChildProcess {
  const env = { ...process.env, HKCTL_STORE: cli.store, HKCTL_USER: 'root' };
  // A memory of 64 MB for objects: findings that grew with the file would exceed it within seconds.
  const argv = [
    '--max-old-space-size=64',
    hkctl,
    'keys',
    'scan',
    path,
    '--revoke',
    '--yes',
    '--json',
  ];
  return startProgram(process.execPath, argv, { env, stdio: ['pipe', 'pipe', 'inherit'] });
}

const isRevoked = async (id = '') => (await cli.show(id)).status === 'Revoked';

it('revokes the keys of a long log in time in which it can be read a few times, and in little memory', async () => {
  const scanning = scan(log);
  await until('the first key is revoked', () => isRevoked(keys[0]?.id));
  expect(scanning.exitCode).toBe(null);
  let peak = 0;
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${scanning.pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0));
  }, 20);
  const stdout = scanning.stdout?.toArray();
  const [code] = await once(scanning, 'close');
  clearInterval(watch);
  expect(code).toBe(5);
  const { findings } = JSON.parse(Buffer.concat((await stdout) ?? []).toString());
  const lines = findings.map((found: { line: number; count: number }) => [found.line, found.count]);
  expect(lines).toEqual([
    [1, lines[1][0] - 1],
    [expect.any(Number), 1],
  ]);
  expect(peak).toBeGreaterThan(10_000);
  expect(peak).toBeLessThan(200_000);
  expect(await isRevoked(keys[1]?.id)).toBe(true);
});

it('leaves revoked what it found before Ctrl-C', async () => {
  const { key, secret } = await cli.key('C');
  const scanning = scan('-');
  scanning.stdin?.on('error', () => {}); // the pipe breaks on purpose
  scanning.stdin?.write(`${secret}\n`);
  createReadStream('/dev/zero').pipe(scanning.stdin ?? process.stdout);
  await until('the key is revoked', () => isRevoked(key.id));
  scanning.kill('SIGINT');
  const [code, signal] = await once(scanning, 'close');
  expect(signal ?? code).toSatisfy((end) => end === 'SIGINT' || end === 130);
  expect(await isRevoked(key.id)).toBe(true);
});

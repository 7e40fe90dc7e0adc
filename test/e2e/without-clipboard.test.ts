import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Outcome } from '../run-program.ts';
import { environment, Running, root } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-without-clipboard-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command of an installation that has no optional package but the drivers of SQLite. */
function hkctl(...args: string[]): Promise<Outcome> {
  const env = environment({
    HKCTL_STORE: join(folder, 'store', 'hkctl.db'),
    // A copy over SSH asks no clipboard.
    SSH_CONNECTION: '',
    SSH_TTY: '',
  });
  return new Running(process.execPath, [join(folder, 'bin', 'hkctl.js'), ...args], { env }).ended;
}

beforeAll(async () => {
  for (const part of ['bin', 'dist', 'migrations', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  mkdirSync(join(folder, 'node_modules'));
  for (const driver of ['better-sqlite3', 'better-sqlite3-12']) {
    symlinkSync(join(root, 'node_modules', driver), join(folder, 'node_modules', driver));
  }
  const site = ['--entity', 'BER', '--entity-name', 'Berlin', '--timezone', 'Europe/Berlin'];
  const organization = ['--org', 'Acme', '--week-start', 'monday', '--admin', 'ada'];
  const made = await hkctl('init', ...organization, ...site);
  expect(made.code, made.stderr).toBe(0);
});

const create = ['keys', 'create', '--as', 'ada', '--entity', 'BER', '--preset', 'sensor-gateway'];

it('without clipboardy, keys create --copy says so and prints the secret', async () => {
  const { code, stdout, stderr } = await hkctl(...create, '--name', 'Oven', '--copy');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^hk_\w{49}\n$/)]);
  expect(stderr).toContain('Not copied: the optional package clipboardy is not installed.');
});

it('without clipboardy, keys create and keys list say nothing of it', async () => {
  for (const args of [
    [...create, '--name', 'Press'],
    ['keys', 'list', '--as', 'ada'],
  ]) {
    const { code, stderr } = await hkctl(...args);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('clipboard')]);
  }
});

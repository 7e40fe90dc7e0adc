import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Plant } from '../../e2e/plant.ts';

let plant: Plant;
beforeEach(() => {
  plant = new Plant();
});
afterEach(() => plant.close());

const site = ['--entity', 'BER', '--entity-name', 'Berlin', '--timezone', 'UTC'];
const create = ['keys', 'create', '--name', 'A', '--entity', 'BER', '--preset', 'sensor-gateway'];

/** Makes a store, and a clipboard program out of the lines of a shell script. */
async function withClipboardProgram(script: string): Promise<Record<string, string>> {
  await plant.ok(['init', '--org', 'Acme', ...site, '--admin', 'admin']);
  writeFileSync(plant.path('xsel'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${plant.path('')}:${process.env.PATH}`, SSH_CONNECTION: '', SSH_TTY: '' };
}

/** A process that has ended stays as a zombie until its new parent has noticed. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) Z /.test(readFileSync(path, 'utf8'));
}

// The two seconds that a clipboard has are short for two starts of Node next to all the other workers.
const patient = { retry: 3 };

it('the built program finds the clipboard', patient, async () => {
  const env = await withClipboardProgram(`cat > '${plant.path('copied')}'`);
  const { stdout, stderr } = await plant.ok([...create, '--copy'], { env });
  expect(stderr).toContain('API key copied');
  expect(readFileSync(plant.path('copied'), 'utf8')).toBe(stdout.trim());
});

it('the built program ends a clipboard program that hangs', patient, async () => {
  const pidFile = plant.path('pid');
  const env = await withClipboardProgram(`echo $$ > '${pidFile}'; exec sleep 60`);
  const began = performance.now();
  const { stdout, stderr } = await plant.ok([...create, '--copy'], { env });
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(stdout).toMatch(/^hk_\w{49}\n$/);
  expect(stderr).toContain('Not copied');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(isRunning(pid)).toBe(false);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Plant } from './plant.ts';

let plant: Plant;
beforeEach(() => {
  plant = new Plant();
});
afterEach(() => plant.close());

// Only the built program is loaded from V8's code cache, which decides what can be loaded later.
it('the built program finds the clipboard', async () => {
  const site = [
    '--entity',
    'BER',
    '--entity-name',
    'Berlin',
    '--timezone',
    'UTC',
    '--admin',
    'admin',
  ];
  await plant.ok(['init', '--org', 'Acme', ...site]);
  writeFileSync(plant.path('xsel'), `#!/bin/sh\ncat > '${plant.path('copied')}'\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${plant.path('')}:${process.env.PATH}`, SSH_CONNECTION: '', SSH_TTY: '' };
  const create = [
    'keys',
    'create',
    '--name',
    'A',
    '--entity',
    'BER',
    '--preset',
    'sensor-gateway',
    '--copy',
  ];
  const { stdout, stderr } = await plant.ok(create, { env });
  expect(stderr).toContain('API key copied');
  expect(readFileSync(plant.path('copied'), 'utf8')).toBe(stdout.trim());
});

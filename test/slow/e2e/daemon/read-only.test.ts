import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { cli, environment } from '../../../e2e/program.ts';
import { runProgram } from '../../../run-program.ts';
import { needWorking } from '../../machine/needs.ts';

needWorking('unshare', '--mount', 'true');

let plant: Plant;
beforeAll(async () => {
  plant = await Plant.open();
  mkdirSync(plant.path('mounted'));
});
afterAll(() => plant.close());

/** Runs a command on the folder of the store as a container sees it that has mounted it read-only. */
function hkctl(...words: string[]) {
  const script = 'mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" && shift 2 && exec "$@"';
  const mounted = plant.path('mounted');
  const command = [process.execPath, cli, ...words, '--store', `${mounted}/hkctl.db`];
  const args = ['--mount', 'sh', '-c', script, 'sh', dirname(plant.store), mounted, ...command];
  return runProgram('unshare', args, { env: environment(plant.env) });
}

it('status sees the daemon of a store that is mounted read-only, and alarms nobody', async () => {
  const daemon = await plant.serve({ HKCTL_BASE_URL: 'https://api.example.invalid' });
  const { code, stdout } = hkctl('status', '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { attention: [], daemon: { address: 'https://api.example.invalid' }, daemons_ended: [] },
  ]);
  await daemon.stop();
});

it.each(['status', 'keys list', 'keys revoke X --yes', 'audit verify', 'doctor', 'serve'])(
  'a read-only file system is named by: %s',
  (line) => {
    const { code, stderr } = hkctl(...line.split(' '));
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/^error: The store \S+ is on a read-only file system\.\nhint: Mount/),
    ]);
  },
);

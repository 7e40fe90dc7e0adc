import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { cli } from '../../../e2e/program.ts';

let plant: Plant;
afterEach(() => plant.close());

// A file of more than half a megabyte (or one, as shells count differently) cannot be made then, and so no reserve.
it('without room for the reserve nothing is made (exit 6), but everything can be stopped', async () => {
  plant = await Plant.open();
  const { key, secret } = await plant.createKey('Gateway', 'sensor-gateway');
  await plant.ok(['users', 'add', 'bob', '--name', 'Bob', '--role', 'super_user']);
  rmSync(join(plant.folder, 'store', 'hkctl.reserve'));
  const short = (...args: string[]) =>
    plant.attach('sh', ['-c', 'ulimit -f 1000; exec "$@"', 'sh', process.execPath, cli, ...args])
      .ended;
  const create = ['keys', 'create', '--name', 'B', '--entity', 'BER', '--preset', 'sensor-gateway'];
  const refused = await short(...create, '--json');
  expect([refused.code, JSON.parse(refused.stderr.split('\n').at(-2) ?? '').error.code]).toEqual([
    6,
    'store_full',
  ]);
  expect((await short('users', 'add', 'eve', '--name', 'Eve', '--role', 'operator')).code).toBe(6);
  const next = (await short('keys', 'rotate', key.id, '--yes')).stdout.trim();
  expect((await plant.hkctl(['keys', 'verify'], { input: secret })).code).toBe(5);
  expect((await plant.hkctl(['keys', 'verify'], { input: next })).code).toBe(0);
  for (const args of [
    ['keys', 'revoke', next.slice(0, 8), '--yes'],
    ['users', 'set-role', 'bob', 'operator'],
    ['users', 'deactivate', 'bob', '--yes'],
    ['entities', 'deactivate', 'BER', '--yes'],
  ]) {
    const { code, stderr } = await short(...args);
    expect([args, code, stderr]).toEqual([args, 0, '']);
  }
  expect((await plant.hkctl(['keys', 'verify'], { input: next })).code).toBe(5);
  await plant.ok(['entities', 'activate', 'BER']);
  await plant.ok(create);
});

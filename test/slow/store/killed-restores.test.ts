import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filesOf } from '../../../src/store/sqlite/connection/files.ts';
import { Plant } from '../../e2e/plant.ts';
import { cli } from '../../e2e/program.ts';
import { needStrace } from '../machine/needs.ts';

needStrace();

let plant: Plant;
let backup: string;
beforeAll(async () => {
  plant = await Plant.open();
  backup = plant.path('plant.backup');
  await plant.ok(['users', 'add', 'alice', '--name', 'Alice', '--role', 'super_user']);
  await plant.ok(['users', 'deactivate', 'alice', '--yes']);
  await plant.ok(['backup', backup]);
}, 60_000);
afterAll(() => plant?.close());

/** Restores, and is killed at the first system call of a name on the file that makes the new store count. */
async function killedAt(call: string): Promise<void> {
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=1`];
  const restore = [process.execPath, cli, 'restore', backup, '--yes'];
  const where = ['-f', '-qq', '-o', '/dev/null', '-P', filesOf(plant.store).ready];
  expect(await plant.attach('strace', [...where, ...inject, ...restore]).ended).toMatchObject({
    signal: 'SIGKILL',
  });
}

it.each([
  ['before it counts', 'openat', 'user.activate', 'active'],
  ['once it counts', 'unlink', 'store.restore', 'inactive'],
])(
  'a restore that is killed %s leaves every user as that store has them',
  async (_, call, last, status) => {
    await plant.ok(['users', 'activate', 'alice']);
    await killedAt(call);
    const users = await plant.json<{ login: string; status: string }[]>(['users', 'list']);
    expect(users.find(({ login }) => login === 'alice')).toMatchObject({ status });
    const [event] = await plant.json<{ action: string }[]>(['audit', 'list', '--limit', '1']);
    expect(event).toMatchObject({ action: last });
    const journal = readFileSync(filesOf(plant.store).revocations, 'utf8').trim().split('\n');
    const lastLine = journal.findLast(
      (line) => / user \S+ alice$/.test(line) && !line.includes('role:'),
    );
    expect(lastLine).toContain(status === 'active' ? ' activated ' : ' deactivated ');
  },
);

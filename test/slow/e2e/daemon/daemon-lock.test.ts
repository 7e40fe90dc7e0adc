import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import { holdFromDaemons } from '../../../../src/store/sqlite/connection/locks.ts';
import { Plant } from '../../../e2e/plant.ts';
import { cli } from '../../../e2e/program.ts';
import { needWorking } from '../../machine/needs.ts';

// By the lock on a file of the store; in a database daemons are known by their heartbeats, which have tests of their own.

let plant: Plant;
beforeEach(async () => {
  plant = await Plant.open();
});
afterEach(() => plant.close());

needWorking('unshare', '--pid', '--fork', 'true');

describe('a daemon in a container', () => {
  const contained = (...args: string[]) =>
    plant.attach('unshare', ['--pid', '--fork', process.execPath, cli, ...args]);

  it('that was killed keeps no restore away in the next one, one that serves does', async () => {
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    const restore = () => contained('restore', file, '--yes', '--json').ended;
    const daemon = contained('serve', '--port', '0');
    await daemon.says(/hkctl serves http/);
    // Of the containers neither knows the other; both are process 1 in theirs.
    const refused = await restore();
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringContaining('A daemon serves this store at http'),
    ]);
    const second = contained('serve', '--port', '0');
    await second.says(/hkctl serves http/);
    for (const one of [daemon, second]) {
      expect((await restore()).code).toBe(5);
      const pid = Number(
        readFileSync(`/proc/${one.child.pid}/task/${one.child.pid}/children`, 'utf8').split(' ')[0],
      );
      process.kill(pid, 'SIGKILL');
      await one.ended;
    }
    const { code, stderr } = await restore();
    expect(code, stderr).toBe(0);
  });

  it('does not begin while a restore goes on, and does afterwards', async () => {
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    const { daemons } = filesOf(plant.store);
    const letIn = holdFromDaemons(daemons);
    const refused = await plant.hkctl(['serve', '--port', '0']);
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringContaining('A restore of this store is in progress'),
    ]);
    letIn?.();
    await plant.serve();
  });
});

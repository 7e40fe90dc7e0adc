import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdFromDaemons } from '../../../src/store/sqlite/connection/daemon-lock.ts';
import { filesOf } from '../../../src/store/sqlite/connection/files.ts';
import { call, keptAlive } from '../../e2e/client.ts';
import { Plant } from '../../e2e/plant.ts';
import { cli } from '../../e2e/program.ts';

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const sensors = [{ id: 'S-1', code: 'SENSOR-1', name: 'One', unit: 'Cel' }];

let plant: Plant;
beforeEach(async () => {
  plant = await Plant.open();
});
afterEach(() => plant.close());

describe('a backup beside a daemon that takes readings', () => {
  it('holds all that was answered before it began, and the daemon goes on', async () => {
    await plant.importSensors(sensors);
    const { secret } = await plant.createKey('Gateway', 'sensor-gateway');
    const daemon = await plant.serve();
    const agent = keptAlive();
    let answered = 0;
    let isOn = true;
    const post = async () => {
      while (isOn) {
        const at = new Date(1_760_000_000_000 + answered * 1000).toISOString();
        const body = { readings: [{ sensor: 'SENSOR-1', at, value: answered }] };
        const answer = await call(`${daemon.url}/api/v1/sensors/readings`, { secret, agent, body });
        expect(answer.json()).toMatchObject({ accepted: 1 });
        answered++;
      }
    };
    const posting = post();
    while (answered < 50) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = answered;
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    const during = answered - before;
    isOn = false;
    await posting;
    agent.destroy();
    expect(during).toBeGreaterThan(0);
    expect((await plant.hkctl(['restore', file, '--yes'])).code).toBe(5);
    expect((await daemon.stop('SIGTERM')).code).toBe(0);

    await plant.ok(['restore', file, '--yes']);
    const readings = await plant.ok(['sensors', 'export', 'SENSOR-1', '--entity', 'BER', '--format', 'ndjson']);
    const kept = readings.stdout.trim().split('\n').length;
    expect(kept).toBeGreaterThanOrEqual(before);
    expect(kept).toBeLessThanOrEqual(answered);
    await plant.ok(['audit', 'verify']);
  });
});

const canContain = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;

describe.skipIf(!canContain)('a daemon in a container (needs the right to unshare process numbers)', () => {
  const contained = (...args: string[]) => plant.attach('unshare', ['--pid', '--fork', process.execPath, cli, ...args]);

  it('that was killed keeps no restore away in the next one, one that serves does', async () => {
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    const restore = () => contained('restore', file, '--yes', '--json').ended;
    const daemon = contained('serve', '--port', '0');
    await daemon.says(/hkctl serves http/);
    // Of the containers neither knows the other; both are process 1 in theirs.
    const refused = await restore();
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('A daemon serves this store at http')]);
    const second = contained('serve', '--port', '0');
    await second.says(/hkctl serves http/);
    for (const one of [daemon, second]) {
      expect((await restore()).code).toBe(5);
      const pid = Number(readFileSync(`/proc/${one.child.pid}/task/${one.child.pid}/children`, 'utf8').split(' ')[0]);
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
      expect.stringContaining('A restore of this store is under way'),
    ]);
    letIn?.();
    await plant.serve();
  });
});

describe.skipIf(!canTrace)('a backup that is cut off', () => {
  it('before it is whole leaves nothing under its name', async () => {
    const file = plant.path('plant.backup');
    const inject = ['-qq', '-o', '/dev/null', '-e', 'inject=rename:signal=KILL:when=1'];
    const traced = plant.attach('strace', [...inject, process.execPath, cli, 'backup', file]);
    expect((await traced.ended).signal).toBe('SIGKILL');
    expect(existsSync(file)).toBe(false);
    await plant.ok(['backup', file]);
  });

  it('by a disk that fails says so (exit 6), and leaves nothing under its name', async () => {
    const file = plant.path('plant.backup');
    const inject = ['-qq', '-o', '/dev/null', '-e', 'inject=rename:error=EIO:when=1'];
    const { code, stderr } = await plant.attach('strace', [...inject, process.execPath, cli, 'backup', file]).ended;
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/^error: The disk of .* fails \(EIO\)\.\nhint: Look for disk errors/),
    ]);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('.backup'))).toEqual([]);
  });
});

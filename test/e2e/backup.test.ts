import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdFromDaemons } from '../../src/store/sqlite/connection/daemon-lock.ts';
import { filesOf } from '../../src/store/sqlite/connection/files.ts';
import { call, keptAlive } from './client.ts';
import { Plant } from './plant.ts';
import { cli, until } from './program.ts';

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
/** Whether a database keeps a write-ahead log: its header says with which versions of the format it is written and read. */
const keepsLog = (file: string) =>
  readFileSync(file)
    .subarray(18, 20)
    .equals(Buffer.from([2, 2]));
const sensors = [{ id: 'S-1', code: 'SENSOR-1', name: 'One', unit: 'Cel' }];

let plant: Plant;
beforeEach(async () => {
  plant = await Plant.open();
});
afterEach(() => plant.close());

describe('a backup beside a daemon that takes readings', () => {
  it('holds all that was answered before it began, and the daemon goes on', async () => {
    await plant.importSensors(sensors);
    const { secret } = await plant.mint('Gateway', 'sensor-gateway');
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

describe.skipIf(!canTrace)('a restore that takes its time', () => {
  const slowly = (file: string, ...slow: string[]) =>
    plant.attach('strace', ['-qq', '-o', '/dev/null', ...slow, process.execPath, cli, 'restore', file, '--yes']);

  it('keeps a command waiting that comes while the store is replaced, and it goes on with the new one', async () => {
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    await plant.mint('Before', 'production-only');
    const ready = join(dirname(plant.store), 'hkctl.restored.ready');
    // The old store is closed to others by then, and nothing is decided yet.
    const restore = slowly(file, '-P', ready, '-e', 'inject=openat:delay_enter=3000000:when=1');
    await until('the store is closed to others', () => !keepsLog(plant.store));
    const { key } = await plant.mint('Meanwhile', 'production-only');
    expect((await restore.ended).code).toBe(0);
    const names = (await plant.json<{ id: string; name: string }[]>(['keys', 'list'])).map(({ name }) => name);
    expect(names).toEqual([key.name]);
  });

  it('misses no revoke that is made while it reads what was revoked before', async () => {
    const { key, secret } = await plant.mint('Dead', 'production-only');
    const before = await plant.mint('Before', 'production-only');
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    // The journal is there, and is closed by the restore 3 s after it was read.
    await plant.ok(['keys', 'revoke', before.key.id, '--yes']);
    const journal = join(dirname(plant.store), 'hkctl.revocations');
    const trace = plant.path('trace');
    const slow = ['-o', trace, '-P', journal, '-e', 'trace=openat,close', '-e', 'inject=close:delay_enter=3000000'];
    const traced = ['-qq', ...slow, process.execPath, cli, 'restore', file, '--yes'];
    const restore = plant.attach('strace', traced);
    await until('the journal is read', () => existsSync(trace) && readFileSync(trace, 'utf8').includes('openat('));
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    expect((await restore.ended).code).toBe(0);
    expect((await plant.key(key.id)).status).toBe('Revoked');
    expect((await plant.hkctl(['keys', 'verify'], { input: secret })).code).toBe(5);
  });

  it('keeps another restore away, which is told so (exit 5)', async () => {
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    const lock = join(dirname(plant.store), 'hkctl.restored.lock');
    const restore = slowly(file, '-e', 'inject=fsync:delay_enter=3000000:when=1');
    await until('a restore has begun', () => existsSync(lock));
    const { code, stderr } = await plant.hkctl(['restore', file, '--yes']);
    expect([code, stderr]).toEqual([5, expect.stringContaining('Another process restores the store')]);
    expect((await restore.ended).code).toBe(0);
    expect(existsSync(lock)).toBe(false);
    await plant.ok(['restore', file, '--yes']);
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

describe.skipIf(!canTrace)('a restore that is killed', () => {
  it.each(['fsync', 'rename', 'unlink'])(
    'before any %s leaves the old store or the new one, and no revoked key alive',
    async (name) => {
      const kept = await plant.mint('Kept', 'production-only');
      const dead = await plant.mint('Dead', 'production-only');
      const file = plant.path('plant.backup');
      await plant.ok(['backup', file]);
      await plant.ok(['keys', 'revoke', dead.key.id, '--yes']);
      const seen = new Set<string>();
      for (let step = 1, killed = true; killed; step++) {
        const mark = await plant.mint(`After ${step}`, 'production-only');
        const inject = ['-qq', '-o', '/dev/null', '-e', `inject=${name}:signal=KILL:when=${step}`];
        const traced = plant.attach('strace', [...inject, process.execPath, cli, 'restore', file, '--yes']);
        killed = (await traced.ended).signal === 'SIGKILL';
        // All at once: one of them ends what was begun, and the others wait for it.
        const [keys] = await Promise.all([
          plant.json<{ id: string; status: string }[]>(['keys', 'list', '--all']),
          plant.ok(['audit', 'verify']),
          plant.ok(['entities', 'list']),
        ]);
        const statusOf = ({ key }: { key: { id: string } }) => keys.find(({ id }) => id === key.id)?.status;
        seen.add(statusOf(mark) === undefined ? 'new' : 'old');
        expect([statusOf(kept), statusOf(dead)]).toEqual(['Active', 'Revoked']);
        expect(keepsLog(plant.store)).toBe(true);
      }
      expect(seen).toContain('new');
      const left = readdirSync(dirname(plant.store)).filter((found) => /restored|-journal$/.test(found));
      expect(left).toEqual([]);
    },
    120_000,
  );

  it('before a backup is whole leaves nothing under its name', async () => {
    const file = plant.path('plant.backup');
    const inject = ['-qq', '-o', '/dev/null', '-e', 'inject=rename:signal=KILL:when=1'];
    const traced = plant.attach('strace', [...inject, process.execPath, cli, 'backup', file]);
    expect((await traced.ended).signal).toBe('SIGKILL');
    expect(existsSync(file)).toBe(false);
    await plant.ok(['backup', file]);
  });

  it('on a disk that fails says so (exit 6), and leaves nothing under its name', async () => {
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

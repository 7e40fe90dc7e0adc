import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { cli, until } from '../../../e2e/program.ts';
import { needStrace } from '../../machine/needs.ts';

needStrace();
/** Whether a database keeps a write-ahead log: its header says with which versions of the format it is written and read. */
const keepsLog = (file: string) =>
  readFileSync(file)
    .subarray(18, 20)
    .equals(Buffer.from([2, 2]));

let plant: Plant;
beforeEach(async () => {
  plant = await Plant.open();
});
afterEach(() => plant.close());

describe('a restore that takes its time', () => {
  const slowly = (file: string, ...slow: string[]) =>
    plant.attach('strace', [
      '-qq',
      '-o',
      '/dev/null',
      ...slow,
      process.execPath,
      cli,
      'restore',
      file,
      '--yes',
    ]);

  it('keeps a command waiting that comes while the store is replaced, and it goes on with the new one', async () => {
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    await plant.createKey('Before', 'production-only');
    const ready = join(dirname(plant.store), 'hkctl.restored.ready');
    // The old store is closed to others by then, and nothing is decided yet.
    const restore = slowly(file, '-P', ready, '-e', 'inject=openat:delay_enter=3000000:when=1');
    await until('the store is closed to others', () => !keepsLog(plant.store));
    const { key } = await plant.createKey('Meanwhile', 'production-only');
    expect((await restore.ended).code).toBe(0);
    const names = (await plant.json<{ id: string; name: string }[]>(['keys', 'list'])).map(
      ({ name }) => name,
    );
    expect(names).toEqual([key.name]);
  });

  it('misses no revoke that is made while it reads what was revoked before', async () => {
    const { key, secret } = await plant.createKey('Dead', 'production-only');
    const before = await plant.createKey('Before', 'production-only');
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    // The journal is there, and is closed by the restore 3 s after it was read.
    await plant.ok(['keys', 'revoke', before.key.id, '--yes']);
    const journal = join(dirname(plant.store), 'hkctl.revocations');
    const trace = plant.path('trace');
    const slow = [
      '-o',
      trace,
      '-P',
      journal,
      '-e',
      'trace=openat,close',
      '-e',
      'inject=close:delay_enter=3000000',
    ];
    const traced = ['-qq', ...slow, process.execPath, cli, 'restore', file, '--yes'];
    const restore = plant.attach('strace', traced);
    await until(
      'the journal is read',
      () => existsSync(trace) && readFileSync(trace, 'utf8').includes('openat('),
    );
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    expect((await restore.ended).code).toBe(0);
    expect((await plant.key(key.id)).status).toBe('Revoked');
    expect((await plant.hkctl(['keys', 'verify'], { input: secret })).code).toBe(5);
  });

  it('keeps another restore away, which is refused (exit 5)', async () => {
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    const prepared = join(dirname(plant.store), 'hkctl.restored.db');
    const restore = slowly(file, '-e', 'inject=fsync:delay_enter=3000000:when=1');
    await until('a restore has begun', () => existsSync(prepared));
    const { code, stderr } = await plant.hkctl(['restore', file, '--yes']);
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('Another process migrates or restores the store'),
    ]);
    expect((await restore.ended).code).toBe(0);
    expect(existsSync(prepared)).toBe(false);
    await plant.ok(['restore', file, '--yes']);
  });
});

describe('a restore that is killed', () => {
  it.each(['fsync', 'rename', 'unlink'])(
    'before any %s leaves the old store or the new one, and no revoked key alive',
    async (name) => {
      const kept = await plant.createKey('Kept', 'production-only');
      const dead = await plant.createKey('Dead', 'production-only');
      const file = plant.path('plant.backup');
      await plant.ok(['backup', file]);
      await plant.ok(['keys', 'revoke', dead.key.id, '--yes']);
      const seen = new Set<string>();
      let kills = 0;
      // A key that the backup does not have: the old store has it, the new one does not.
      let mark = await plant.createKey('Mark', 'production-only');
      for (let step = 1, killed = true; killed; step++) {
        // To trace one call only takes half the time.
        const inject = ['-e', `trace=${name}`, '-e', `inject=${name}:signal=KILL:when=${step}`];
        const command = [process.execPath, cli, 'restore', file, '--yes'];
        const traced = plant.attach('strace', ['-qq', '-o', '/dev/null', ...inject, ...command]);
        killed = (await traced.ended).signal === 'SIGKILL';
        if (killed) kills++;
        // All at once: one of them ends what was begun, and the others wait for it.
        const [keys] = await Promise.all([
          plant.json<{ id: string; status: string }[]>(['keys', 'list', '--all']),
          plant.ok(['audit', 'verify']),
          plant.ok(['entities', 'list']),
        ]);
        const statusOf = ({ key }: { key: { id: string } }) =>
          keys.find(({ id }) => id === key.id)?.status;
        const isNew = statusOf(mark) === undefined;
        seen.add(isNew ? 'new' : 'old');
        expect([statusOf(kept), statusOf(dead)]).toEqual(['Active', 'Revoked']);
        expect(keepsLog(plant.store)).toBe(true);
        if (isNew && killed) mark = await plant.createKey('Mark', 'production-only');
      }
      expect(kills).toBeGreaterThan(1);
      expect(seen).toContain('new');
      const left = readdirSync(dirname(plant.store)).filter((found) =>
        /restored|-journal$/.test(found),
      );
      expect(left).toEqual([]);
    },
    300_000,
  );
});

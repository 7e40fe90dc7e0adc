import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineAt } from '../../../../src/store/open.ts';
import { Load } from '../../../e2e/keys/load.ts';
import { Plant } from '../../../e2e/plant.ts';
import { pause, until } from '../../../e2e/program.ts';

describe.concurrent('the time of last use', () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
  });
  afterAll(() => plant.close());

  it('is on disk within 2 s', async () => {
    const daemon = await plant.serve();
    const { key, secret } = await plant.createKey('Used', 'operational-core');
    expect((await plant.key(key.id)).last_used_at).toBeNull();
    const store = await engineAt(plant.place, {
      clock: Date.now,
      migrationsFolder: 'migrations',
    }).open();
    const [{ id: tenantId } = { id: '' }] = await store.tenants.list();
    const sentAt = Date.now();
    expect(await daemon.statusOf(secret)).toBe(200);
    const doneAt = Date.now();
    await until(
      'the use is noted',
      async () => (await store.keys.find(tenantId, key.id))?.lastUsedAtMs !== null,
    );
    // What is beyond the two seconds is for a machine that has other things to do as well.
    expect(Date.now() - doneAt).toBeLessThan(2000 + 1000);
    await store.close();
    const used = (await plant.key(key.id)).last_used_at ?? '';
    expect(Date.parse(used)).toBeGreaterThanOrEqual(sentAt - 1);
    expect(Date.parse(used)).toBeLessThanOrEqual(doneAt + 1);

    // A refused call is no use.
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    expect(await daemon.statusOf(secret)).toBe(401);
    expect((await daemon.stop()).code).toBe(0);
    expect((await plant.key(key.id)).last_used_at).toBe(used);
  });

  it('is kept by an orderly end to the last call, and by kill -9 up to 2 s before', async () => {
    const { key, secret } = await plant.createKey('Used to the end', 'operational-core');
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const daemon = await plant.serve();
      const load = new Load(daemon, () => secret, 1);
      await pause(signal === 'SIGKILL' ? 3000 : 300);
      await load.stop();
      const last = load.samples.at(-1);
      await daemon.stop(signal);
      const used = Date.parse((await plant.key(key.id)).last_used_at ?? '');
      expect(last).toBeDefined();
      const earliest = signal === 'SIGKILL' ? (last?.sentAt ?? 0) - 2000 : (last?.sentAt ?? 0) - 1;
      expect(used).toBeGreaterThanOrEqual(earliest);
      expect(used).toBeLessThanOrEqual((last?.doneAt ?? 0) + 1);
    }
  });

  it('is kept with the usage: to the last request by an orderly end, and by kill -9 up to 10 s before', async () => {
    const { key, secret } = await plant.createKey('Counted', 'production-only');
    let atLeast = 0;
    let atMost = 0;
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const daemon = await plant.serve();
      const load = new Load(daemon, () => secret, 2);
      await pause(signal === 'SIGKILL' ? 3000 : 300);
      await load.stop();
      await daemon.stop(signal);
      const latest = Date.now();
      // Each second is on disk within the next; the contract allows ten.
      const kept = load.samples.filter(
        ({ doneAt }) => signal === 'SIGTERM' || doneAt < latest - 2500,
      );
      atLeast += kept.length;
      atMost += load.samples.length;
      const { usage } = await plant.json<{ usage: { requests: number }[] }>([
        'keys',
        'show',
        key.id,
      ]);
      const requests = usage.reduce((sum, day) => sum + day.requests, 0);
      expect(requests).toBeGreaterThanOrEqual(atLeast);
      expect(requests).toBeLessThanOrEqual(atMost);
    }
  });
});

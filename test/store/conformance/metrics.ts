import { expect, it } from 'vitest';
import { draftOf, newKey, nowMs, plantIn } from '../stores.ts';
import type { Given } from './given.ts';

/** What every engine reports for monitoring. `given` makes a fresh store with one plant. */
export function metricsConformance(given: Given): void {
  it('counts the keys of all tenants by status, and names those that expire next', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Beta');
    const keys = [
      newKey(plant, 1),
      newKey(plant, 2, { expiresAtMs: nowMs }),
      newKey(plant, 3, { expiresAtMs: nowMs + 3000 }),
      newKey(other, 4, { expiresAtMs: nowMs + 2000 }),
      newKey(other, 5, { expiresAtMs: nowMs + 1000 }),
      ...Array.from({ length: 12 }, (_, n) =>
        newKey(plant, 10 + n, { expiresAtMs: nowMs + 10_000 + n }),
      ),
    ];
    for (const key of keys)
      await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', key.prefix));
    await store.keys.revoke([keys[4]?.id ?? ''], other.user.id, nowMs, [
      draftOf(other.tenant.id, 'key.revoke', 'x'),
    ]);
    const facts = await store.metrics?.read(nowMs);
    expect(facts?.keys).toEqual({ active: 15, expired: 1, revoked: 1 });
    expect(facts?.nextExpiries).toHaveLength(10);
    expect(facts?.nextExpiries.slice(0, 3)).toEqual([
      { prefix: 'hk_00004', entity: other.entity.code, atMs: nowMs + 2000 },
      { prefix: 'hk_00003', entity: plant.entity.code, atMs: nowMs + 3000 },
      { prefix: 'hk_00010', entity: plant.entity.code, atMs: nowMs + 10_000 },
    ]);
    expect(facts?.databases.every(({ bytes }) => bytes > 0)).toBe(true);
  });

  it('knows when the last backup was written, and not when one was refused', async () => {
    const { store, plant } = await given();
    expect((await store.metrics?.read(nowMs))?.lastBackupMs).toBeUndefined();
    const draft = draftOf(plant.tenant.id, 'store.backup', 'x.backup');
    await store.audit.append({ ...draft, atMs: nowMs + 5 });
    await store.audit.append({ ...draft, atMs: nowMs + 9, outcome: 'denied' });
    expect((await store.metrics?.read(nowMs))?.lastBackupMs).toBe(nowMs + 5);
  });
}

import { expect, it } from 'vitest';
import type { UsageCount } from '../../../../src/core/port/usage.ts';
import { draftOf, newKey, nowMs, type Plant } from '../../stores.ts';
import type { Given } from '../given.ts';

const day = 20_000;

function count(keyId: string, change: Partial<UsageCount> = {}): UsageCount {
  return {
    keyId,
    day,
    kind: 'request',
    code: '',
    count: 1,
    lastAtMs: null,
    lastSensor: null,
    lastAddress: null,
    ...change,
  };
}

/** How every engine keeps the usage of keys. `given` makes a fresh store with one plant. */
export function usageConformance(given: Given): void {
  async function withKeys() {
    const { store, plant } = await given();
    const [one, two] = [newKey(plant, 1), newKey(plant, 2)];
    for (const key of [one, two])
      await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', key.prefix));
    const merge = (counts: readonly UsageCount[], kept = { first: 0, last: 100_000 }) =>
      store.keys.recordUse(new Map(), { counts, kept });
    return { store, plant: plant as Plant, one, two, merge };
  }

  it('adds what daemons counted, by key, day, kind and code', async () => {
    const { store, one, two, merge } = await withKeys();
    const counts = [
      count(one.id, { count: 3 }),
      count(one.id, { kind: 'refused', code: 'not_found', count: 2 }),
      count(one.id, { day: day + 1, count: 5 }),
      count(two.id, { count: 7 }),
    ];
    // Two connections may count for the same key, also within one merge.
    await merge([...counts, ...counts.slice(0, 1)]);
    const days = { first: day, last: day + 1 };
    expect(await store.usage.of([one.id], days)).toEqual([
      counts[1],
      { ...counts[0], count: 6 },
      counts[2],
    ]);
    expect(await store.usage.of([two.id, one.id], { first: day, last: day })).toHaveLength(3);
    expect(await store.usage.of([one.id], { first: day + 2, last: day + 90 })).toEqual([]);
    expect(await store.usage.of([], days)).toEqual([]);
  });

  it('keeps the last rejection, whichever daemon reports it first', async () => {
    const { store, plant, one, two, merge } = await withKeys();
    const rejected = (at: number, sensor: string | null, code = 'unknown_sensor') =>
      count(one.id, { kind: 'rejected', code, lastAtMs: nowMs + at, lastSensor: sensor });
    await merge([rejected(5, 'B'), rejected(9, null)]);
    await merge([rejected(1, 'A')]);
    await merge([rejected(2, 'OVEN "9" é', 'invalid_at'), count(one.id), count(two.id)]);
    const expected = [rejected(2, 'OVEN "9" é', 'invalid_at'), { ...rejected(9, null), count: 3 }];
    expect(await store.usage.rejected(plant.tenant.id, { first: day, last: day })).toEqual(
      expected.map((row) => ({ ...row, prefix: one.prefix })),
    );
    expect(await store.usage.rejected(plant.tenant.id, { first: day + 1, last: day + 9 })).toEqual(
      [],
    );
    expect(await store.usage.rejected('another tenant', { first: day, last: day })).toEqual([]);
  });

  it('knows the keys that were used after their end, and where the last request came from', async () => {
    const { store, plant, one, two, merge } = await withKeys();
    const refused = (keyId: string, at: number, address: string, code = 'key_expired') =>
      count(keyId, { kind: 'refused', code, lastAtMs: nowMs + at, lastAddress: address });
    await merge([{ ...refused(one.id, 0, ''), lastAtMs: null, lastAddress: null }]);
    await merge([refused(one.id, 5, '192.0.2.5')]);
    await merge([refused(one.id, 3, '192.0.2.3'), refused(two.id, 9, '::1', 'not_found')]);
    const days = { first: day, last: day };
    expect(await store.usage.of([one.id], days)).toEqual([
      { ...refused(one.id, 5, '192.0.2.5'), count: 3 },
    ]);
    const { id: tenantId } = plant.tenant;
    expect(await store.usage.usedInactive(tenantId, nowMs + 4, days)).toEqual([one.id]);
    expect(await store.usage.usedInactive(tenantId, nowMs + 5, days)).toEqual([]);
    expect(await store.usage.usedInactive('another tenant', nowMs, days)).toEqual([]);
    await merge([refused(two.id, 6, '::1', 'too_many_failed_checks')]);
    expect(await store.usage.usedInactive(tenantId, nowMs + 5, days)).toEqual([two.id]);
  });

  it('merges last uses and usage together, or nothing', async () => {
    const { store, plant, one } = await withKeys();
    const uses = new Map([[one.id, { atMs: nowMs + 7, ip: '192.0.2.7' }]]);
    const wrong = count(one.id, { kind: 'no kind' as 'request' });
    await expect(async () =>
      store.keys.recordUse(uses, { counts: [count(one.id), wrong], kept: undefined }),
    ).rejects.toThrow();
    expect(await store.keys.find(plant.tenant.id, one.id)).toMatchObject({ lastUsedAtMs: null });
    expect(await store.usage.of([one.id], { first: day, last: day })).toEqual([]);
    await store.keys.recordUse(uses, { counts: [count(one.id)], kept: undefined });
    expect(await store.keys.find(plant.tenant.id, one.id)).toMatchObject({
      lastUsedAtMs: nowMs + 7,
    });
  });

  it('removes days that are no longer kept, and those that a wrong clock has dated ahead', async () => {
    const { store, one, merge } = await withKeys();
    const counts = [-1, 0, 1, 2].map((shift) => count(one.id, { day: day + shift }));
    await merge(counts);
    const all = { first: day - 9, last: day + 9 };
    expect(await store.usage.of([one.id], all)).toHaveLength(4);
    await merge([], { first: day, last: day + 1 });
    expect(await store.usage.of([one.id], all)).toEqual(counts.slice(1, 3));
  });

  it('keeps the highest number that a double represents exactly', async () => {
    const { store, one, merge } = await withKeys();
    const most = count(one.id, { count: Number.MAX_SAFE_INTEGER });
    await merge([most]);
    await merge([most]);
    expect(await store.usage.of([one.id], { first: day, last: day })).toEqual([most]);
  });
}

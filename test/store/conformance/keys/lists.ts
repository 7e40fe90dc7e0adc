import { expect, it } from 'vitest';
import { activeRefusalOf } from '../../../../src/core/keys/authentication.ts';
import type { Key, KeyPageRequest } from '../../../../src/core/port/keys.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { draftOf, newKey, nowMs, type Plant } from '../../stores.ts';
import type { Given } from '../given.ts';

/** How every engine lists keys. `given` makes a fresh store with one plant. */
export function keyListConformance(given: Given): void {
  it('lists keys that expired lately, unless a younger active one has the same name and entity', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'key.create', 'x');
    const insert = async (n: number, expiresAtMs: number | null, name = `key ${n}`) => {
      const key = newKey(plant, n, { name, expiresAtMs });
      await store.keys.insert(key, draft);
      return key.id;
    };
    const at = nowMs + 100;
    const missed = async (sinceMs: number) => {
      const filter = { nowMs: at, expiredSinceMs: sinceMs };
      const keys = await store.keys.list(plant.tenant.id, filter, { limit: 100 });
      return keys.map(({ prefix }) => Number(prefix.slice(3)));
    };
    await insert(1, null, 'key 3');
    for (const n of [2, 3, 4]) await insert(n, nowMs + 10 * n);
    await insert(5, at + 1);
    expect(await missed(nowMs)).toEqual([4, 3, 2]);
    expect(await missed(nowMs + 30)).toEqual([4]);
    await insert(6, at, 'key 4');
    expect(await missed(nowMs)).toEqual([6, 4, 3, 2]);
    const successor = await insert(7, at + 1, 'key 4');
    expect(await missed(nowMs)).toEqual([3, 2]);
    await store.keys.revoke([successor], plant.user.id, nowMs, [draft]);
    expect(await missed(nowMs)).toEqual([6, 4, 3, 2]);
    await store.entities.remove(plant.entity.id, draftOf(plant.tenant.id, 'entity.remove', 'x'));
    expect(await missed(nowMs)).toEqual([]);
  });

  it('lists newest first, in pages, by every filter', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'key.create', 'x');
    for (let n = 1; n <= 9; n++) {
      await store.keys.insert(
        newKey(plant, n, { expiresAtMs: n % 3 === 0 ? nowMs + n : null }),
        draft,
      );
    }
    const at = nowMs + 6;
    await store.keys.revoke((await named(store, plant, 'hk_00001')) ?? [], plant.user.id, nowMs, [
      draft,
    ]);
    const list = async (filter: object, page: object = {}) =>
      (
        await store.keys.list(plant.tenant.id, { nowMs: at, ...filter }, { limit: 100, ...page })
      ).map(({ prefix }) => Number(prefix.slice(3)));
    expect(await list({})).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await list({ statuses: ['Active'] })).toEqual([9, 8, 7, 5, 4, 2]);
    expect(await list({ statuses: ['Expired'] })).toEqual([6, 3]);
    expect(await list({ statuses: ['Revoked'] })).toEqual([1]);
    expect(await list({ statuses: ['Expired', 'Revoked'] })).toEqual([6, 3, 1]);
    expect(await list({ expiringByMs: nowMs + 20 })).toEqual([9]);
    expect(await list({ createdBeforeMs: nowMs + 3 })).toEqual([2, 1]);
    expect(await list({ entityId: 'none' })).toEqual([]);
    expect(await list({ search: 'KEY 4' })).toEqual([4]);
    expect(await list({ search: 'berl' })).toHaveLength(9);
    expect(await list({ search: '%' })).toEqual([]);
    await store.keys.setNote(
      (await named(store, plant, 'hk_00007'))?.[0] ?? '',
      'Ask Ada, ext. 4711',
      draft,
    );
    expect(await list({ search: 'ask ada' })).toEqual([7]);
    expect(await list({ name: 'KEY 4' })).toEqual([]);
    expect(await list({ name: newKey(plant, 4).name, statuses: ['Active'] })).toEqual([4]);
    // A text that begins a prefix finds by that alone; one that begins none is looked for as any other.
    expect(await list({ search: 'hk_0000' })).toHaveLength(9);
    expect(await list({ search: 'hk_00004' })).toEqual([4]);
    expect(await list({ search: 'hk_00004', statuses: ['Revoked'] })).toEqual([]);
    expect(await list({ search: 'HK_00004' })).toEqual([4]);
    expect(await store.keys.count(plant.tenant.id, { nowMs: at, search: 'hk_00004' })).toBe(1);
    expect(await store.keys.count('another tenant', { nowMs: at, search: 'hk_00004' })).toBe(0);
    const last = (await store.keys.list(plant.tenant.id, { nowMs: at }, { limit: 4 })).at(-1);
    expect(await list({}, { limit: 4, after: last })).toEqual([5, 4, 3, 2]);
    expect(await store.keys.count(plant.tenant.id, { nowMs: at, statuses: ['Active'] })).toBe(6);
    const [used = ''] = (await named(store, plant, 'hk_00002')) ?? [];
    await store.keys.recordUse(new Map([[used, { atMs: nowMs + 50, ip: '192.0.2.1' }]]));
    expect(await list({ unusedSinceMs: nowMs + 40, statuses: ['Active'] })).toEqual([
      9, 8, 7, 5, 4,
    ]);
  });

  it('lists keys whose entity or creator is inactive or gone', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'key.create', 'x');
    for (let n = 1; n <= 2; n++) await store.keys.insert(newKey(plant, n), draft);
    const filter = { nowMs, statuses: ['Active'], refused: true } as const;
    const refused = async () => {
      const keys = await store.keys.list(plant.tenant.id, filter, { limit: 10 });
      expect(await store.keys.count(plant.tenant.id, filter)).toBe(keys.length);
      // SQL selects the keys that the rule of authentication refuses.
      const active = await store.keys.list(
        plant.tenant.id,
        { nowMs, statuses: ['Active'] },
        { limit: 10 },
      );
      const byRule = active.filter((key) => activeRefusalOf(key, nowMs) !== undefined);
      expect(keys.map(({ id }) => id)).toEqual(byRule.map(({ id }) => id));
      return keys.map(({ prefix, creatorStatus }) => [prefix, creatorStatus]);
    };
    expect(await refused()).toEqual([]);
    await store.entities.setStatus(plant.entity.id, 'inactive', draft);
    expect(await refused()).toEqual([
      ['hk_00002', 'active'],
      ['hk_00001', 'active'],
    ]);
    await store.entities.setStatus(plant.entity.id, 'active', draft);
    // An organization keeps an active Super user.
    await store.users.insert({ ...plant.user, id: 'another', login: 'another' }, draft);
    await store.users.update(plant.user.id, { status: 'inactive' }, draft);
    expect(await refused()).toEqual([
      ['hk_00002', 'inactive'],
      ['hk_00001', 'inactive'],
    ]);
    await store.keys.revoke((await named(store, plant, 'hk_00001')) ?? [], plant.user.id, nowMs, [
      draft,
    ]);
    expect(await refused()).toEqual([['hk_00002', 'inactive']]);
  });

  it('lists keys that expire by an instant soonest first, in pages', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'key.create', 'x');
    // Two keys expire at each instant, the latest ones were created first.
    for (let n = 1; n <= 8; n++)
      await store.keys.insert(
        newKey(plant, n, { expiresAtMs: nowMs + 50 - Math.ceil(n / 2) }),
        draft,
      );
    const filter = { nowMs, expiringByMs: nowMs + 49 };
    const prefixes: number[] = [];
    for (let after: Key | undefined; ; ) {
      const page = await store.keys.list(plant.tenant.id, filter, { limit: 3, after });
      prefixes.push(...page.map(({ prefix }) => Number(prefix.slice(3))));
      after = page.at(-1);
      if (page.length < 3) break;
    }
    // Keys of one instant come in order of their random ids.
    expect(prefixes.map((n) => Math.ceil(n / 2))).toEqual([4, 4, 3, 3, 2, 2, 1, 1]);
    expect(new Set(prefixes).size).toBe(8);
  });

  it('pages from any place, also from that of a key that is not in the list', async () => {
    const { store, plant } = await given();
    // Three keys a millisecond, distinguished by their ids.
    const made = Array.from({ length: 30 }, (_, n) =>
      newKey(plant, n, { createdAtMs: nowMs + Math.floor(n / 3) }),
    );
    for (const key of made)
      await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'));
    const list = async (page: KeyPageRequest) =>
      (await store.keys.list(plant.tenant.id, { nowMs, statuses: ['Active'] }, page)).map(
        ({ id }) => id,
      );
    const gone = made[14]?.id ?? '';
    const everything = await store.keys.list(plant.tenant.id, { nowMs }, { limit: 100 });
    await store.keys.revoke([gone], plant.user.id, nowMs, [
      draftOf(plant.tenant.id, 'key.revoke', 'x'),
    ]);
    const all = everything.map(({ id }) => id).filter((id) => id !== gone);
    expect(await list({ limit: 100 })).toEqual(all);
    for (const [index, key] of everything.entries()) {
      const above = everything.slice(0, index).filter(({ id }) => id !== gone);
      const at = above.length;
      const below = key.id === gone ? at : at + 1;
      expect(await list({ limit: 4, after: key })).toEqual(all.slice(below, below + 4));
    }
  });
}

async function named(store: Store, plant: Plant, ref: string): Promise<string[] | undefined> {
  const key = await store.keys.find(plant.tenant.id, ref);
  return key && [key.id];
}

import { expect, it } from 'vitest';
import { verifyChain } from '../../../../src/core/audit/chain.ts';
import { draftOf, newKey, nowMs } from '../../stores.ts';
import type { Given } from '../given.ts';

/** What every engine keeps of keys, and when it refuses; how it lists them is in lists.ts. `given` makes a fresh store with one plant. */
export function keyConformance(given: Given): void {
  it('keeps a key and finds it by id, prefix and hash', async () => {
    const { store, plant } = await given();
    const key = newKey(plant, 1, { expiresAtMs: nowMs + 1000 });
    await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', key.prefix));
    const found = await store.keys.find(plant.tenant.id, key.prefix);
    expect(found).toEqual({
      id: key.id,
      tenantId: plant.tenant.id,
      prefix: key.prefix,
      name: 'key 1',
      permissions: ['parts.view'],
      entity: {
        id: plant.entity.id,
        code: 'BER',
        name: 'Berlin',
        timezone: 'Europe/Berlin',
        status: 'active',
      },
      createdBy: { id: plant.user.id, login: 'acme-admin', name: 'Ada' },
      creatorStatus: 'active',
      createdAtMs: nowMs + 1,
      expiresAtMs: nowMs + 1000,
      lastUsedAtMs: null,
      revokedAtMs: null,
      revokedBy: null,
      rotatedFrom: null,
      rotatedTo: null,
      allowedIps: [],
      note: null,
      lastUsedIp: null,
    });
    expect(await store.keys.find(plant.tenant.id, key.id)).toEqual(found);
    expect(await store.keys.findByHash(plant.tenant.id, key.secretHash)).toEqual(found);
    expect(await store.keys.find('another tenant', key.id)).toBeUndefined();
    expect(await store.keys.findByHash('another tenant', key.secretHash)).toBeUndefined();
    expect(await store.keys.prefixTaken(key.prefix)).toBe(true);
    expect(await store.keys.prefixTaken('hk_free0')).toBe(false);
  });

  it('refuses a taken prefix and an inactive entity, and appends nothing for them', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'key.create', 'x');
    await store.keys.insert(newKey(plant, 1), draft);
    const before = await store.audit.lastSeq();
    await expect(async () =>
      store.keys.insert(newKey(plant, 2, { prefix: 'hk_00001' }), draft),
    ).rejects.toMatchObject({
      code: 'duplicate',
    });
    await store.entities.setStatus(plant.entity.id, 'inactive', draft);
    await expect(async () => store.keys.insert(newKey(plant, 3), draft)).rejects.toMatchObject({
      code: 'entity_inactive',
    });
    expect((await store.audit.list(plant.tenant.id, { limit: 100 })).length).toBe(before + 1);
    expect(await store.keys.prefixTaken('hk_00003')).toBe(false);
  });

  it('rotates all or nothing, and names the stale', async () => {
    const { store, plant } = await given();
    const [a, b] = [newKey(plant, 1), newKey(plant, 2)];
    const draft = draftOf(plant.tenant.id, 'key.rotate', 'x');
    await store.keys.insert(a, draft);
    await store.keys.insert(b, draft);
    expect(await store.keys.revoke([b.id], plant.user.id, nowMs + 5, [draft])).toEqual([]);
    const next = [newKey(plant, 3, { rotatedFrom: a.id }), newKey(plant, 4, { rotatedFrom: b.id })];
    const pairs = [
      { oldKeyId: a.id, next: next[0] ?? a },
      { oldKeyId: b.id, next: next[1] ?? b },
    ];
    expect(await store.keys.rotate(pairs, nowMs + 6, [draft, draft])).toEqual([b.id]);
    expect((await store.keys.find(plant.tenant.id, a.id))?.revokedAtMs).toBeNull();
    expect(await store.keys.prefixTaken('hk_00003')).toBe(false);
    expect(await store.keys.rotate(pairs.slice(0, 1), nowMs + 7, [draft])).toEqual([]);
    expect(await store.keys.find(plant.tenant.id, a.id)).toMatchObject({
      revokedAtMs: nowMs + 7,
      revokedBy: { login: 'acme-admin' },
      rotatedTo: next[0]?.id,
    });
    expect(await store.keys.credential('hash-3')).toMatchObject({
      revokedAtMs: null,
      creatorStatus: 'active',
    });
    expect(await store.keys.credential('hash-1')).toMatchObject({ revokedAtMs: nowMs + 7 });
    expect((await verifyChain(store.audit.walk())).broken).toBeNull();
  });

  it('refuses to revoke what has expired or is revoked', async () => {
    const { store, plant } = await given();
    const key = newKey(plant, 1, { expiresAtMs: nowMs + 10 });
    const draft = draftOf(plant.tenant.id, 'key.revoke', 'x');
    await store.keys.insert(key, draft);
    expect(await store.keys.revoke([key.id], plant.user.id, nowMs + 10, [draft])).toEqual([key.id]);
    expect(await store.keys.revoke([key.id], plant.user.id, nowMs + 9, [draft])).toEqual([]);
    expect(await store.keys.revoke([key.id], plant.user.id, nowMs + 9, [draft])).toEqual([key.id]);
  });

  it('revokes more keys at once than a statement takes parameters, or none of them', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'key.revoke', 'x');
    const ids: string[] = [];
    for (let n = 1; n <= 502; n++) {
      const key = newKey(plant, n);
      await store.keys.insert(key, draft);
      ids.push(key.id);
    }
    const [last = '', before = ''] = ids.slice(-2).reverse();
    await store.keys.revoke([last], plant.user.id, nowMs + 600, [draft]);
    expect(await store.keys.revoke(ids, plant.user.id, nowMs + 700, [draft])).toEqual([last]);
    const statusOf = async (id: string) =>
      (await store.keys.find(plant.tenant.id, id))?.revokedAtMs;
    expect([await statusOf(ids[0] ?? ''), await statusOf(before)]).toEqual([null, null]);
    expect(await store.keys.revoke(ids.slice(0, -1), plant.user.id, nowMs + 800, [draft])).toEqual(
      [],
    );
    expect([await statusOf(ids[0] ?? ''), await statusOf(before)]).toEqual([
      nowMs + 800,
      nowMs + 800,
    ]);
  });

  it('finds the active keys of an entity or a user, and no others', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'key.create', 'x');
    const entity = { ...plant.entity, id: 'another-entity', code: 'CHI' };
    const user = { ...plant.user, id: 'another-user', login: 'another' };
    await store.entities.insert(entity, draft);
    await store.users.insert(user, draft);
    const [here, there, ended] = [
      newKey(plant, 1),
      newKey({ ...plant, entity, user }, 2),
      newKey(plant, 3, { expiresAtMs: nowMs + 5 }),
    ];
    for (const key of [here, there, ended]) await store.keys.insert(key, draft);
    const idsOf = async (owner: Parameters<typeof store.keys.activeOf>[0]) =>
      (await store.keys.activeOf(owner, nowMs + 5)).map(({ id }) => id);
    expect(await idsOf({ entityId: plant.entity.id })).toEqual([here.id]);
    expect(await idsOf({ entityId: entity.id })).toEqual([there.id]);
    expect(await idsOf({ createdBy: plant.user.id })).toEqual([here.id]);
    expect(await idsOf({ createdBy: user.id })).toEqual([there.id]);
  });

  it('takes along the audit event of each change, and of none that was refused', async () => {
    const { store, plant } = await given();
    const draft = (action: 'key.create' | 'key.rotate' | 'key.revoke', target: string) =>
      draftOf(plant.tenant.id, action, target);
    const [a, b, c] = [newKey(plant, 1), newKey(plant, 2), newKey(plant, 3)];
    await store.keys.insert(a, draft('key.create', 'a'));
    await store.keys.insert(b, draft('key.create', 'b'));
    await store.keys.rotate([{ oldKeyId: a.id, next: c }], nowMs + 10, [draft('key.rotate', 'a')]);
    await store.keys.revoke([b.id, c.id], plant.user.id, nowMs + 20, [
      draft('key.revoke', 'b'),
      draft('key.revoke', 'c'),
    ]);
    await store.keys.revoke([b.id], plant.user.id, nowMs + 30, [draft('key.revoke', 'never')]);
    const actions = (await store.audit.list(plant.tenant.id, { limit: 5 })).map(
      ({ action, target }) => `${action} ${target}`,
    );
    expect(actions.reverse()).toEqual([
      'key.create a',
      'key.create b',
      'key.rotate a',
      'key.revoke b',
      'key.revoke c',
    ]);
  });

  it('keeps the allowed addresses in their order, in the credential too, and the note', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'key.create', 'x');
    const [limited, open] = [['fd00::/8', '10.0.0.0/8'], []];
    const key = newKey(plant, 1, { allowedIps: limited, note: 'Zeile 3 ☎ 4711' });
    await store.keys.insert(key, draft);
    await store.keys.insert(newKey(plant, 2, { allowedIps: open }), draft);
    expect(await store.keys.find(plant.tenant.id, key.id)).toMatchObject({
      allowedIps: limited,
      note: key.note,
    });
    expect((await store.keys.credential('hash-1'))?.allowedIps).toEqual(limited);
    expect((await store.keys.credential('hash-2'))?.allowedIps).toEqual(open);
  });

  it('sets and clears the note of one key in any state, with its event', async () => {
    const { store, plant } = await given();
    const [key, other] = [newKey(plant, 1), newKey(plant, 2, { note: 'other' })];
    const draft = draftOf(plant.tenant.id, 'key.note', 'x');
    for (const one of [key, other]) await store.keys.insert(one, draft);
    const noteOf = async ({ id }: { id: string }) =>
      (await store.keys.find(plant.tenant.id, id))?.note;
    const before = await store.audit.lastSeq();
    expect(await store.keys.setNote(key.id, 'first', draft)).toBe(true);
    expect([await noteOf(key), await noteOf(other)]).toEqual(['first', 'other']);
    await store.keys.revoke([key.id], plant.user.id, nowMs, []);
    expect(await store.keys.setNote(key.id, null, draft)).toBe(true);
    expect(await noteOf(key)).toBeNull();
    expect(await store.keys.setNote('none', 'x', draft)).toBe(false);
    expect(await store.audit.lastSeq()).toBe(before + 2);
  });

  it('moves the time of last use forward only, and the address with it', async () => {
    const { store, plant } = await given();
    const key = newKey(plant, 1);
    await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'));
    for (const at of [100, 300, 200]) {
      await store.keys.recordUse(new Map([[key.id, { atMs: nowMs + at, ip: `192.0.2.${at}` }]]));
    }
    expect(await store.keys.find(plant.tenant.id, key.id)).toMatchObject({
      lastUsedAtMs: nowMs + 300,
      lastUsedIp: '192.0.2.300',
    });
  });

  it('moves the time of last use back from where a clock days ahead had put it', async () => {
    const { store, plant } = await given();
    const key = newKey(plant, 1);
    await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'));
    for (const atMs of [nowMs + 400 * 86_400_000, nowMs]) {
      await store.keys.recordUse(new Map([[key.id, { atMs, ip: '192.0.2.1' }]]));
    }
    expect(await store.keys.find(plant.tenant.id, key.id)).toMatchObject({ lastUsedAtMs: nowMs });
  });

  it('keeps the keys of a removed entity, without it', async () => {
    const { store, plant } = await given();
    const key = newKey(plant, 1);
    const draft = draftOf(plant.tenant.id, 'entity.remove', 'BER');
    await store.keys.insert(key, draft);
    expect(
      (await store.keys.activeOf({ entityId: plant.entity.id }, nowMs)).map(({ id }) => id),
    ).toEqual([key.id]);
    await store.entities.remove(plant.entity.id, draft);
    expect(await store.keys.find(plant.tenant.id, key.id)).toMatchObject({ entity: null });
    expect(await store.keys.credential('hash-1')).toMatchObject({ entity: null });
  });
}

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Entity } from '../../../src/core/port/entities.ts';
import type { KeyFilter } from '../../../src/core/port/keys.ts';
import type { User, UserChange } from '../../../src/core/port/users.ts';
import { draftOf, newKey, nowMs, plantIn } from '../stores.ts';
import type { Given } from './given.ts';

/** What every engine keeps of organizations, profiles and sites. */
export function peopleConformance(given: Given): void {
  const userOf = (tenantId: string, login: string, change: Partial<User> = {}): User => ({
    id: randomUUID(),
    tenantId,
    login,
    name: login.toUpperCase(),
    role: 'operator',
    status: 'active',
    createdAtMs: nowMs,
    entityIds: null,
    ...change,
  });

  it('keeps organizations, oldest first, and what changes of them', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Beta');
    expect(await store.tenants.list()).toEqual([plant.tenant, other.tenant]);
    const draft = draftOf(plant.tenant.id, 'tenant.set', 'Acme');
    await store.tenants.update(plant.tenant.id, { name: 'Acme Works' }, draft);
    await store.tenants.update(plant.tenant.id, { weekStart: 'sunday' }, draft);
    await store.tenants.update(plant.tenant.id, {}, draft);
    expect(await store.tenants.find(plant.tenant.id)).toEqual({
      ...plant.tenant,
      name: 'Acme Works',
      weekStart: 'sunday',
    });
    expect(await store.tenants.find(other.tenant.id)).toEqual(other.tenant);
    expect(await store.tenants.find('none')).toBeUndefined();
  });

  it('keeps an organization whole or not at all', async () => {
    const { store, plant } = await given();
    const tenant = { ...plant.tenant, id: randomUUID(), name: 'Gamma' };
    const admin = userOf(tenant.id, plant.user.login);
    const seq = await store.audit.lastSeq();
    const insert = async () =>
      store.tenants.insert(tenant, admin, undefined, draftOf(tenant.id, 'tenant.add', 'Gamma'));
    await expect(insert).rejects.toMatchObject({ code: 'duplicate' });
    expect(await store.tenants.find(tenant.id)).toBeUndefined();
    expect(await store.audit.lastSeq()).toBe(seq);
  });

  it('keeps the users of one organization, a login once in the store', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Beta');
    const user = userOf(plant.tenant.id, 'omar');
    const draft = draftOf(plant.tenant.id, 'user.add', 'omar');
    await store.users.insert(user, draft);
    expect(await store.users.list(plant.tenant.id)).toEqual([plant.user, user]);
    expect(await store.users.list(other.tenant.id)).toEqual([other.user]);
    expect(await store.users.findByLogin('omar')).toEqual(user);
    expect(await store.users.findByLogin('OMAR')).toBeUndefined();
    await expect(async () =>
      store.users.insert(userOf(other.tenant.id, 'omar'), draft),
    ).rejects.toMatchObject({
      code: 'duplicate',
    });
  });

  it('never loses the last active Super user of an organization', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'user.set_role', 'x');
    const update = (user: User, change: Parameters<typeof store.users.update>[1]) =>
      store.users.update(user.id, change, draft);
    // Another organization's does not count, nor one who is inactive.
    await plantIn(store, 'Beta');
    const asleep = userOf(plant.tenant.id, 'asleep', { role: 'super_user', status: 'inactive' });
    await store.users.insert(asleep, draft);
    const seq = await store.audit.lastSeq();
    expect(await update(plant.user, { role: 'operator' })).toBe(false);
    expect(await update(plant.user, { status: 'inactive' })).toBe(false);
    expect(await store.users.findByLogin(plant.user.login)).toEqual(plant.user);
    expect(await store.audit.lastSeq()).toBe(seq);
    expect(await update(asleep, { status: 'active' })).toBe(true);
    expect(await update(plant.user, { status: 'inactive' })).toBe(true);
    expect(await update(asleep, { role: 'manager' })).toBe(false);
    expect(await store.users.findByLogin(plant.user.login)).toEqual({
      ...plant.user,
      status: 'inactive',
    });
    expect(await store.audit.lastSeq()).toBe(seq + 2);
  });

  it('keeps the entities to which a user is confined', async () => {
    const { store, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'user.set_role', 'omar');
    const confined = userOf(plant.tenant.id, 'omar', { entityIds: [plant.entity.id] });
    const other = userOf(plant.tenant.id, 'zoe');
    for (const user of [confined, other]) await store.users.insert(user, draft);
    const changes: UserChange[] = [
      { status: 'inactive' },
      { status: 'active', role: 'manager' },
      { entityIds: ['e-1', plant.entity.id, 'e-2'] },
      { entityIds: [] },
      { entityIds: null },
      { role: 'operator', entityIds: ['e-1'] },
    ];
    let user = confined;
    expect(await store.users.findByLogin('omar')).toEqual(user);
    for (const change of changes) {
      expect(await store.users.update(user.id, change, draft)).toBe(true);
      user = { ...user, ...change };
      expect(await store.users.findByLogin('omar')).toEqual(user);
      expect(await store.users.list(plant.tenant.id)).toEqual([plant.user, user, other]);
    }
  });

  it('lists and counts the keys of some entities only, with every other condition', async () => {
    const { store, plant } = await given();
    const ids = ['e-1', 'e-2', 'e-3'];
    const draft = draftOf(plant.tenant.id, 'entity.add', 'X');
    for (const id of ids)
      await store.entities.insert({ ...plant.entity, id, code: id.toUpperCase() }, draft);
    const all = [...ids, plant.entity.id, 'e-1'];
    for (const [n, entityId] of all.entries())
      await store.keys.insert(newKey(plant, n, { entityId, expiresAtMs: nowMs + 1000 }), draft);
    const found = async (filter: Omit<KeyFilter, 'nowMs'>) => {
      const given = { nowMs, ...filter };
      const keys = await store.keys.list(plant.tenant.id, given, { limit: 10 });
      expect(await store.keys.count(plant.tenant.id, given)).toBe(keys.length);
      return keys.map(({ entity }) => entity?.id).sort();
    };
    expect(await found({ entityIds: ['e-1', 'e-3'] })).toEqual(['e-1', 'e-1', 'e-3']);
    expect(await found({ entityIds: ['e-2'], statuses: ['Active'] })).toEqual(['e-2']);
    expect(await found({ entityIds: ['e-1', 'e-2'], entityId: 'e-2' })).toEqual(['e-2']);
    expect(await found({ entityIds: ['e-1'], entityId: 'e-2' })).toEqual([]);
    expect(await found({ entityIds: ['e-3'], expiringByMs: nowMs + 2000 })).toEqual(['e-3']);
    expect(await found({ entityIds: ['e-3'], search: 'E-1' })).toEqual([]);
    expect(await found({ entityIds: [] })).toEqual([]);
  });

  it('keeps entities, a code once in an organization', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Beta');
    const draft = draftOf(plant.tenant.id, 'entity.add', 'AAA');
    const entity: Entity = {
      ...plant.entity,
      id: randomUUID(),
      code: 'AAA',
      name: 'First',
      timezone: 'UTC',
    };
    await store.entities.insert(entity, draft);
    expect(await store.entities.list(plant.tenant.id)).toEqual([entity, plant.entity]);
    expect(await store.entities.find(other.tenant.id, 'AAA')).toBeUndefined();
    expect(await store.entities.find(other.tenant.id, 'BER')).toEqual(other.entity);
    await expect(async () =>
      store.entities.insert({ ...entity, id: randomUUID() }, draft),
    ).rejects.toMatchObject({
      code: 'duplicate',
    });
    await store.entities.update(entity.id, { timezone: 'Asia/Tokyo' }, draft);
    await store.entities.update(entity.id, { name: 'Renamed' }, draft);
    await store.entities.update(entity.id, {}, draft);
    const renamed = { ...entity, name: 'Renamed', timezone: 'Asia/Tokyo' };
    expect(await store.entities.list(plant.tenant.id)).toEqual([renamed, plant.entity]);
    await store.entities.update(entity.id, { name: entity.name, timezone: 'UTC' }, draft);
    await store.entities.setStatus(entity.id, 'inactive', draft);
    expect(await store.entities.find(plant.tenant.id, 'AAA')).toEqual({
      ...entity,
      status: 'inactive',
    });
    await store.entities.remove(entity.id, draft);
    expect(await store.entities.list(plant.tenant.id)).toEqual([plant.entity]);
    // The code is free again, for another site.
    await store.entities.insert({ ...entity, id: randomUUID() }, draft);
  });

  it('knows the address of a daemon until that is cleared, and of several the one noted last', async () => {
    const { store } = await given();
    expect(await store.daemon.address()).toBeUndefined();
    await store.daemon.begin();
    expect(await store.daemon.address()).toBeUndefined();
    await store.daemon.recordAddress('http://127.0.0.1:1', process.pid);
    await store.daemon.recordAddress('http://127.0.0.1:2', process.pid);
    expect(await store.daemon.address()).toBe('http://127.0.0.1:2');
    await store.daemon.clearAddress(process.pid);
    expect(await store.daemon.address()).toBeUndefined();
    await store.daemon.recordAddress('http://127.0.0.1:3', process.pid);
    expect(await store.daemon.address()).toBe('http://127.0.0.1:3');
  });

  it('knows version and start of the daemon that recorded its address last', async () => {
    const { store } = await given();
    expect(await store.daemon.recorded()).toEqual([]);
    await store.daemon.recordAddress('http://127.0.0.1:1', process.pid, '1.2.3');
    const started = { pid: process.pid, sinceMs: expect.any(Number) };
    const certificate = { certificateFromMs: null, certificateUntilMs: null };
    const daemon = {
      baseUrl: 'http://127.0.0.1:1',
      version: '1.2.3',
      ...started,
      ...certificate,
      serves: true,
    };
    expect(await store.daemon.recorded()).toEqual([daemon]);
    await store.daemon.recordAddress('http://127.0.0.1:2', process.pid);
    expect(await store.daemon.recorded()).toMatchObject([
      { baseUrl: 'http://127.0.0.1:2', version: null },
    ]);
    await store.daemon.clearAddress(process.pid);
    expect(await store.daemon.recorded()).toEqual([]);
  });

  it('lets one daemon begin a task once in a while, also after a clock that was ahead', async () => {
    const { store } = await given();
    const begins = (nowMs: number) => store.daemon.beginTask('retention', nowMs, 1000);
    const hour = 3_600_000;
    expect(await store.daemon.taskBegunMs('retention')).toBeUndefined();
    expect(await Promise.all([begins(hour), begins(hour)])).toEqual([true, false]);
    expect(await store.daemon.taskBegunMs('retention')).toBe(hour);
    expect(await begins(hour + 999)).toBe(false);
    expect(await begins(hour + 1000)).toBe(true);
    expect(await begins(100 * hour)).toBe(true);
    expect(await begins(hour + 1001)).toBe(true);
    expect(await begins(hour + 1)).toBe(true);
    expect(await begins(hour)).toBe(false);
  });
}

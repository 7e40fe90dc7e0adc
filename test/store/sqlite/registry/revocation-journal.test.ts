import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../../../src/core/port/store.ts';
import type { User } from '../../../../src/core/port/users.ts';
import {
  type JournalEntry,
  linesOf,
  readJournal,
} from '../../../../src/store/shared/revocation-journal.ts';
import { filesOf, openFile } from '../../../../src/store/sqlite/connection/files.ts';
import { createRegistry } from '../../../../src/store/sqlite/registry/registry.ts';
import { changeWithJournal } from '../../../../src/store/sqlite/registry/revocation-journal.ts';
import { draftOf, fileStore, newKey, nowMs, plantIn } from '../../stores.ts';

async function given() {
  const { store, path, remove } = await fileStore();
  onTestFinished(remove);
  const plant = await plantIn(store);
  const user: User = { ...plant.user, id: randomUUID(), login: 'carl', role: 'super_user' };
  await store.users.insert(user, draftOf(plant.tenant.id, 'user.add', 'carl'));
  const journal = filesOf(path).revocations;
  const lines = () =>
    existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : [];
  const draft = draftOf(plant.tenant.id, 'user.set_role', 'carl');
  return {
    store,
    path,
    plant,
    user,
    journal,
    /** Without the time. */
    said: () => lines().map((line) => line.split(' ').slice(1).join(' ')),
    update: (change: Parameters<Store['users']['update']>[1]) =>
      store.users.update(user.id, change, draft),
    setStatus: (status: 'active' | 'inactive') =>
      store.entities.setStatus(
        plant.entity.id,
        status,
        draftOf(plant.tenant.id, 'entity.deactivate', 'BER'),
      ),
    remove: () =>
      store.entities.remove(plant.entity.id, draftOf(plant.tenant.id, 'entity.remove', 'BER')),
  };
}

/** From now on no change of a store can be committed: each appends to the trail. */
function failChanges(path: string): void {
  const registry = openFile(path, { busyTimeoutMs: 1000, create: false });
  registry.exec(
    "create trigger no_more before insert on audit begin select raise(abort, 'no more'); end",
  );
  registry.close();
}

describe('the journal', () => {
  it('names each revoked key, and never a secret', async () => {
    const { store, plant, journal } = await given();
    const [a, b, c] = [newKey(plant, 1), newKey(plant, 2), newKey(plant, 3, { rotatedFrom: 'x' })];
    for (const key of [a, b])
      await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', key.prefix));
    await store.keys.revoke([a.id], plant.user.id, nowMs, []);
    await store.keys.rotate([{ oldKeyId: b.id, next: c }], nowMs + 1, []);
    // A change that fails after the note takes it back.
    const taken = newKey(plant, 1);
    expect(() => store.keys.rotate([{ oldKeyId: c.id, next: taken }], nowMs + 2, [])).toThrow(
      expect.objectContaining({ code: 'duplicate' }),
    );
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    expect(lines.map((line) => line.split(' ').slice(1))).toEqual([
      ['revoked', a.id, a.prefix, a.secretHash],
      ['revoked', b.id, b.prefix, b.secretHash],
      ['revoked', c.id, c.prefix, c.secretHash],
      ['withdrawn', c.id, c.prefix, c.secretHash],
    ]);
    expect(await store.keys.find(plant.tenant.id, c.id)).toMatchObject({ revokedAtMs: null });
  });

  it('withdraws the one key that an entry names', () => {
    const [a, b] = [randomUUID(), randomUUID()].map((id) => ({
      event: 'revoked',
      of: 'key',
      id,
      name: 'hk_abcde',
      secretHash: 'h'.repeat(43),
      atMs: nowMs,
    })) as [JournalEntry, JournalEntry]; // two of two
    const text = [...linesOf([a, b]), ...linesOf([a], true)].join('');
    expect([...readJournal(text).events]).toMatchObject([
      [b.id, { event: 'revoked', atMs: nowMs }],
    ]);
  });

  it('begins a new line behind one that a power cut left incomplete', async () => {
    const { setStatus, plant, journal } = await given();
    writeFileSync(journal, '2026-11-22T10:00:00.000Z revo');
    await setStatus('inactive');
    const { events, torn } = readJournal(readFileSync(journal, 'utf8'));
    expect([events.get(plant.entity.id)?.event, torn]).toEqual(['deactivated', 1]);
  });

  it('names whatever is stopped or started again, with its time', async () => {
    const { update, setStatus, remove, said, user, plant, journal } = await given();
    await update({ status: 'inactive' });
    await update({ status: 'active' });
    await update({ role: 'entity_admin' });
    await update({ role: 'super_user' });
    await setStatus('inactive');
    await setStatus('active');
    await remove();
    const [carl, site] = [`user ${user.id} carl`, `entity ${plant.entity.id} BER`];
    expect(said()).toEqual([
      `deactivated ${carl}`,
      `activated ${carl}`,
      `role:entity_admin ${carl}`,
      `role:super_user ${carl}`,
      `deactivated ${site}`,
      `activated ${site}`,
      `removed ${site}`,
    ]);
    const text = readFileSync(journal, 'utf8');
    expect(text.startsWith(`${new Date(nowMs).toISOString()} deactivated`)).toBe(true);
    const { events, roles, torn } = readJournal(text);
    expect([...events]).toMatchObject([
      [user.id, { event: 'activated', atMs: nowMs, name: 'carl' }],
      [plant.entity.id, { event: 'removed', atMs: nowMs, name: 'BER' }],
    ]);
    expect([...roles]).toMatchObject([
      [user.id, { event: 'role:super_user', atMs: nowMs, name: 'carl' }],
    ]);
    expect(torn).toBe(0);
  });

  it('has a role that holds nothing new, until a role with other rights is committed', async () => {
    const { update, said } = await given();
    await update({ role: 'entity_admin' });
    await update({ role: 'master_data' });
    expect(said().map((line) => line.split(' ')[0])).toEqual([
      'role:entity_admin',
      'role:manager',
      'role:master_data',
    ]);
  });

  it('withdraws what was not stopped after all, and has no entry of what was not started', async () => {
    const { update, setStatus, remove, said, path, user, plant, store, journal } = await given();
    await update({ role: 'operator' });
    failChanges(path);
    for (const change of [
      () => update({ status: 'inactive' }),
      () => update({ status: 'active' }),
      () => update({ role: 'super_user' }),
      () => setStatus('inactive'),
      () => setStatus('active'),
      remove,
    ]) {
      await expect((async () => change())()).rejects.toThrow();
    }
    expect(said().map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'role:operator user',
      'deactivated user',
      'withdrawn:deactivated user',
      'deactivated entity',
      'withdrawn:deactivated entity',
      'removed entity',
      'withdrawn:removed entity',
    ]);
    const summary = readJournal(readFileSync(journal, 'utf8'));
    expect([summary.events.size, summary.torn]).toEqual([0, 0]);
    expect(await store.users.findByLogin(user.login)).toMatchObject({
      status: 'active',
      role: 'operator',
    });
    expect(await store.entities.find(plant.tenant.id, 'BER')).toMatchObject({ status: 'active' });
  });

  it('that cannot be written stops nothing; what was started stands, and is reported', async () => {
    const { store, plant, journal, setStatus, remove, update, user, said } = await given();
    // A folder of its name: not even root writes into it.
    mkdirSync(journal);
    const code = { code: 'store_unreadable' };
    for (const stop of [
      () => setStatus('inactive'),
      remove,
      () => update({ status: 'inactive' }),
    ]) {
      expect(stop).toThrow(expect.objectContaining(code));
    }
    expect(await store.entities.find(plant.tenant.id, 'BER')).toMatchObject({ status: 'active' });
    expect(await store.users.findByLogin(user.login)).toMatchObject({ status: 'active' });
    const stands = { ...code, message: expect.stringContaining('The change of BER is committed') };
    expect(() => setStatus('active')).toThrow(expect.objectContaining(stands));
    rmdirSync(journal);
    await setStatus('active');
    expect(said()).toEqual([`activated entity ${plant.entity.id} BER`]);
  });

  it('has no entry of a start that another process has undone before it was recorded', async () => {
    const { path, journal, user, said } = await given();
    const connection = openFile(path, { busyTimeoutMs: 1000, create: false });
    onTestFinished(() => void connection.close());
    const registry = createRegistry(connection, path);
    const entry: JournalEntry = {
      atMs: nowMs,
      event: 'activated',
      of: 'user',
      id: user.id,
      name: 'carl',
    };
    const begin = (stillHolds: boolean) =>
      changeWithJournal(registry, { journal, kind: 'change' }, ({ start }) =>
        start([entry], () => stillHolds),
      );
    begin(false);
    expect(said()).toEqual([]);
    begin(true);
    expect(said()).toHaveLength(1);
  });
});

const lineOf = (entry: JournalEntry, isWithdrawn = false) => linesOf([entry], isWithdrawn).join('');

describe('the last events of a journal', () => {
  const id = randomUUID();
  const entry = (event: JournalEntry['event'], name = 'carl'): JournalEntry => ({
    atMs: nowMs,
    event,
    of: 'user',
    id,
    name,
  });
  const status = (...lines: string[]) => readJournal(lines.join('')).events.get(id)?.event;

  it('leave a withdrawn entry out for the one before it', () => {
    const [stop, start] = [lineOf(entry('deactivated')), lineOf(entry('activated'))];
    const unstop = lineOf(entry('deactivated'), true);
    expect(status(stop, start)).toBe('activated');
    expect(status(start, stop)).toBe('deactivated');
    expect(status(stop, stop, unstop)).toBe('deactivated');
    expect(status(start, stop, unstop)).toBe('activated');
    expect(status(stop, unstop)).toBeUndefined();
    expect(status(start, unstop)).toBe('activated');
  });

  it('name a key until its entry is withdrawn, as lines of an older hkctl do', () => {
    const secretHash = 'h'.repeat(43);
    const key: JournalEntry = {
      atMs: nowMs,
      event: 'revoked',
      of: 'key',
      id,
      name: 'hk_abcde',
      secretHash,
    };
    const [stop, unstop] = [lineOf(key), lineOf(key, true)];
    expect(stop).toBe(
      `${new Date(nowMs).toISOString()} revoked ${id} hk_abcde ${'h'.repeat(43)}\n`,
    );
    expect([...readJournal(stop).events]).toMatchObject([[id, { event: 'revoked', atMs: nowMs }]]);
    expect([...readJournal(stop + unstop).events]).toEqual([]);
    expect([...readJournal(stop + unstop + stop).events]).toMatchObject([
      [id, { event: 'revoked', atMs: nowMs }],
    ]);
  });

  it('are of whole lines only', () => {
    const line = lineOf(entry('deactivated'));
    for (let end = 0; end < line.length - 4; end++)
      expect(status(`${line.slice(0, end)}\n`)).toBeUndefined();
    expect(readJournal(`${line.slice(0, 20)}\n${line}`).torn).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { draftOf, newKey, nowMs, plantIn } from '../../stores.ts';
import { newDatabase, onServer } from '../databases.ts';
import { opened, until, versionOrCode } from '../opened.ts';

describe('several daemons on one database', () => {
  it('see each change of another process at the next question, and no change where there was none', async () => {
    const address = await newDatabase('store');
    const [one, other, command] = [
      await opened(address),
      await opened(address),
      await opened(address, false),
    ];
    const plant = await plantIn(command);
    const key = newKey(plant, 1);
    await command.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'));
    const before = [await one.keys.changeCounter(), await other.keys.changeCounter()];
    expect([await one.keys.changeCounter(), await other.keys.changeCounter()]).toEqual(before);
    await command.keys.recordUse(new Map([[key.id, { atMs: nowMs, ip: '192.0.2.1' }]]));
    expect([await one.keys.changeCounter(), await other.keys.changeCounter()]).toEqual(before);
    await command.keys.revoke([key.id], plant.user.id, nowMs, [
      draftOf(plant.tenant.id, 'key.revoke', 'x'),
    ]);
    for (const [index, daemon] of [one, other].entries()) {
      expect(await daemon.keys.changeCounter()).toBeGreaterThan(before[index] ?? 0);
      expect((await daemon.keys.credential(key.secretHash))?.revokedAtMs).toBe(nowMs);
    }
  });

  it('are known as long as they live', async () => {
    const address = await newDatabase('store');
    const [one, command] = [await opened(address), await opened(address, false)];
    expect(await command.daemon.address()).toBeUndefined();
    await one.daemon.recordAddress('http://one', 1);
    expect(await command.daemon.address()).toBe('http://one');
    await onServer(
      address,
      "update hkctl.daemons set seen_at_ms = seen_at_ms - 3600000, id = 'one that was killed'",
    );
    await one.daemon.clearAddress(1);
    expect(await command.daemon.address()).toBeUndefined();
    // The clock was set back by an hour after it had ended.
    await onServer(address, 'update hkctl.daemons set seen_at_ms = seen_at_ms + 7200000');
    expect(await command.daemon.address()).toBeUndefined();
    // It ended without a clean stop, which is known until another serves.
    const killed = { baseUrl: 'http://one', serves: false };
    expect(await command.daemon.recorded()).toMatchObject([killed]);
    const other = await opened(address);
    await other.daemon.begin();
    expect(await command.daemon.recorded()).toMatchObject([killed]);
    await other.daemon.recordAddress('http://other', 2);
    expect(await command.daemon.recorded()).toMatchObject([
      { baseUrl: 'http://other', serves: true },
    ]);
    await other.daemon.clearAddress(2);
    expect(await command.daemon.recorded()).toEqual([]);
  });
});

it('a daemon that was killed and restarted at once is known no more once its heartbeats are old', async () => {
  const address = await newDatabase('store');
  const [killed, command] = [await opened(address), await opened(address, false)];
  await killed.daemon.recordAddress('http://one', 1);
  await onServer(address, "update hkctl.daemons set id = 'one that was killed'");

  const restarted = await opened(address);
  await restarted.daemon.recordAddress('http://one', 2);
  const makeOld =
    "update hkctl.daemons set since_ms = since_ms - 11000, seen_at_ms = seen_at_ms - 11000 where id = 'one that was killed'";
  await onServer(address, makeOld);
  const serving = { baseUrl: 'http://one', pid: process.pid, serves: true };
  expect(await command.daemon.recorded()).toMatchObject([serving]);
  await restarted.daemon.clearAddress(2);
  expect(await command.daemon.recorded()).toEqual([]);
});

describe('a daemon whose database is away', () => {
  it('forgets what it knew when its connection was lost, and continues by itself', async () => {
    const address = await newDatabase('store');
    const daemon = await opened(address);
    const before = await daemon.keys.changeCounter();
    await onServer(
      address,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const after = await until(
      () => versionOrCode(daemon),
      (result) => typeof result === 'number' && result !== before,
    );
    expect(after).toBeGreaterThan(before);
  });
});

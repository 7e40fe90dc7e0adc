import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/core/port/store.ts';
import { engineAt } from '../../../src/store/open.ts';
import { draftOf, newKey, nowMs, plantIn } from '../stores.ts';
import { addressOf, newDatabase, onServer } from './databases.ts';
import { startServer, type TestServer } from './server.ts';

const options = { clock: Date.now, migrationsFolder: join(process.cwd(), 'migrations'), writerThread: undefined };
const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function opened(address: string, daemon = true): Promise<Store> {
  const store = await engineAt(address, options).open();
  stops.push(async () => store.close());
  if (daemon) {
    await store.daemon.begin();
    await store.openAll();
  }
  return store;
}

/** Calls until the result is as wished, or gives the last one after 15 s. */
async function until<T>(call: () => Promise<T>, isDone: (result: T) => boolean): Promise<T> {
  const end = Date.now() + 15_000;
  for (;;) {
    const result = await call();
    if (isDone(result) || Date.now() > end) return result;
    await pause(25);
  }
}

/** The version, or the code of the error. */
async function versionOrCode(store: Store): Promise<number | string> {
  try {
    return await store.keys.version();
  } catch (thrown) {
    return (thrown as { code: string }).code; // an HkctlError, compared below
  }
}

/** A server of its own with an empty store; tests stop and freeze it. */
async function ownServer(...settings: string[]): Promise<{ server: TestServer; address: string }> {
  const server = await startServer(settings);
  stops.push(server.stop);
  await onServer(server.address, 'create database plant template template0');
  const address = addressOf(server.address, 'plant');
  await (await engineAt(address, options).create()).close();
  return { server, address };
}

describe('several daemons on one database', () => {
  it('see each change of another process at the next question, and no change where there was none', async () => {
    const address = await newDatabase('store');
    const [one, other, command] = [await opened(address), await opened(address), await opened(address, false)];
    const plant = await plantIn(command);
    const key = newKey(plant, 1);
    await command.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'));
    const before = [await one.keys.version(), await other.keys.version()];
    expect([await one.keys.version(), await other.keys.version()]).toEqual(before);
    await command.keys.recordUse(new Map([[key.id, { atMs: nowMs, ip: '192.0.2.1' }]]));
    expect([await one.keys.version(), await other.keys.version()]).toEqual(before);
    await command.keys.revoke([key.id], plant.user.id, nowMs, [draftOf(plant.tenant.id, 'key.revoke', 'x')]);
    for (const [index, daemon] of [one, other].entries()) {
      expect(await daemon.keys.version()).toBeGreaterThan(before[index] ?? 0);
      expect((await daemon.keys.credential(key.secretHash))?.revokedAtMs).toBe(nowMs);
    }
  });

  it('are known as long as they live', async () => {
    const address = await newDatabase('store');
    const [one, command] = [await opened(address), await opened(address, false)];
    expect(await command.daemon.address()).toBeUndefined();
    await one.daemon.recordAddress('http://one', 1);
    expect(await command.daemon.address()).toBe('http://one');
    await onServer(address, "update hkctl.daemons set seen_at_ms = seen_at_ms - 3600000, id = 'one that was killed'");
    await one.daemon.clearAddress(1);
    expect(await command.daemon.address()).toBeUndefined();
  });
});

describe('a daemon whose database is away', () => {
  it('forgets what it knew when its connection was lost, and continues by itself', async () => {
    const address = await newDatabase('store');
    const daemon = await opened(address);
    const before = await daemon.keys.version();
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

  it('refuses within 2 s while the server is frozen, and continues by itself', async () => {
    const { server, address } = await ownServer();
    const daemon = await opened(address);
    await daemon.keys.version();
    const all = [server.pid ?? 0, ...(await server.children())];
    for (const pid of all) process.kill(pid, 'SIGSTOP');
    const from = performance.now();
    expect(await versionOrCode(daemon)).toBe('store_unreachable');
    expect(performance.now() - from).toBeLessThan(2000);
    const again = performance.now();
    expect(await versionOrCode(daemon)).toBe('store_unreachable');
    expect(performance.now() - again).toBeLessThan(500);
    for (const pid of all) process.kill(pid, 'SIGCONT');
    expect(
      await until(
        () => versionOrCode(daemon),
        (result) => typeof result === 'number',
      ),
    ).toBeTypeOf('number');
  });

  it('refuses where a primary confirms no write any more, although it answers reads', async () => {
    const { address } = await ownServer();
    const daemon = await opened(address);
    expect(await versionOrCode(daemon)).toBeTypeOf('number');
    // No standby of this name exists: every commit waits for its confirmation, as on a primary that was cut off.
    await onServer(address, "alter system set synchronous_standby_names = 'absent'", 'select pg_reload_conf()');
    expect(
      await until(
        () => versionOrCode(daemon),
        (result) => result === 'store_unreachable',
      ),
    ).toBe('store_unreachable');
    // It connects anew meanwhile, and reads well: that is not enough.
    for (let sample = 0; sample < 50; sample++) {
      expect(await versionOrCode(daemon)).toBe('store_unreachable');
      await pause(50);
    }
    await onServer(address, 'alter system reset synchronous_standby_names', 'select pg_reload_conf()');
    expect(
      await until(
        () => versionOrCode(daemon),
        (result) => typeof result === 'number',
      ),
    ).toBeTypeOf('number');
  });
});

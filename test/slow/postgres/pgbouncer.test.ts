import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/core/port/store.ts';
import { sensors } from '../../../src/resources/sensor-lookup.ts';
import { engineAt } from '../../../src/store/open.ts';
import { startProgram } from '../../run-program.ts';
import { batchOf } from '../../store/conformance/readings/readings.ts';
import { importInto } from '../../store/conformance/records/stored-records.ts';
import { addressOf, onServer } from '../../store/postgres/databases.ts';
import { until } from '../../store/postgres/opened.ts';
import { startServer, type TestServer } from '../../store/postgres/server.ts';
import { draftOf, newKey, nowMs, plantIn, storeOptions } from '../../store/stores.ts';

const options = { ...storeOptions, clock: Date.now };
const folder = mkdtempSync(join(tmpdir(), 'hkctl-pooler-'));
const poolers: ChildProcess[] = [];
const stores: Store[] = [];
/** Neither PgBouncer nor the server runs as root. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  chmodSync(folder, 0o755);
  if (account) chownSync(folder, account.uid, account.gid);
  await onServer(server.address, 'create database plant template template0');
  await (await engineAt(addressOf(server.address, 'plant'), options).create()).close();
});
afterAll(async () => {
  for (const store of stores) await store.close();
  for (const pooler of poolers) pooler.kill('SIGKILL');
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Opens a store as a daemon does, or as a command. */
async function opened(address: string, daemon: boolean): Promise<Store> {
  const store = await engineAt(address, options).open();
  stores.push(store);
  if (daemon) {
    await store.daemon.begin();
    await store.openAll();
  }
  return store;
}

/** Starts PgBouncer with settings; the result is the address of the store through it. */
async function through(...settings: string[]): Promise<string> {
  const port = 6000 + poolers.length;
  const file = join(folder, `${port}.ini`);
  const place = [
    'listen_addr =',
    `listen_port = ${port}`,
    `unix_socket_dir = ${folder}`,
    'auth_type = any',
  ];
  const lines = [
    '[databases]',
    `* = host=${server.sockets} user=postgres`,
    '[pgbouncer]',
    ...place,
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  poolers.push(startProgram('pgbouncer', [file], { ...account, env, stdio: 'ignore' }));
  const address = `postgres://postgres@/plant?host=${folder}&port=${port}`;
  const answers = () =>
    onServer(address, 'select 1').then(
      () => true,
      () => false,
    );
  expect(await until(answers, (done) => done)).toBe(true);
  return address;
}

describe('PgBouncer', () => {
  it('serves daemons and commands in session mode, with revocation at once', async () => {
    const address = await through('pool_mode = session', 'default_pool_size = 60');
    const command = await opened(address, false);
    const daemons = [await opened(address, true), await opened(address, true)];
    const plant = await plantIn(command);
    for (let n = 1; n <= 20; n++) {
      const key = newKey(plant, n);
      await command.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'));
      for (const { keys } of daemons) {
        await keys.changeCounter();
        expect(await keys.credential(key.secretHash)).toMatchObject({ revokedAtMs: null });
      }
      const before = await Promise.all(daemons.map(({ keys }) => keys.changeCounter()));
      await command.keys.revoke([key.id], plant.user.id, nowMs, [
        draftOf(plant.tenant.id, 'key.revoke', 'x'),
      ]);
      for (const [index, { keys }] of daemons.entries()) {
        expect(await keys.changeCounter()).not.toBe(before[index]);
        expect(await keys.credential(key.secretHash)).toMatchObject({ revokedAtMs: nowMs });
      }
    }
    await importInto(command, plant, sensors, [
      { id: 'S-1', code: 'C-1', name: 'One', is_active: true },
    ]);
    const [first, second] = daemons;
    const series = (await first?.readings.directory(plant.entity.id))?.get('C-1')?.series ?? 0;
    expect(await first?.readings.append(batchOf([[series, 1, 1]]))).toMatchObject({ accepted: 1 });
    expect(await second?.readings.append(batchOf([[series, 1, 1]]))).toMatchObject({
      duplicates: 1,
    });
  });

  it.each([
    ['transaction mode', ['pool_mode = transaction']],
    [
      'transaction mode, all connections in turn',
      ['pool_mode = transaction', 'server_round_robin = 1'],
    ],
    ['transaction mode with one connection', ['pool_mode = transaction', 'default_pool_size = 1']],
    ['statement mode', ['pool_mode = statement']],
  ])('is named as the reason in %s, once it has mixed two connections', async (_, settings) => {
    const address = await through(...settings);
    // Other programs have used several connections to the server before.
    await Promise.all([1, 2, 3, 4].map(() => onServer(address, 'select pg_sleep(0.1)')));
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => opened(address, false)));
    const refusals = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    // Those that have a connection to themselves for so long notice nothing.
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        code: expect.stringMatching(/^store_/),
        hint: expect.stringContaining('pool_mode = session'),
      });
    }
  });
});

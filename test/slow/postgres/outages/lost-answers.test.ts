import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectTrue, runLosing, writingCommands } from '../../../cli/writing-commands.ts';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';
import { type CommitProxy, createCommitProxy } from '../../../store/postgres/commit-proxy.ts';
import { addressOf, onServer } from '../../../store/postgres/databases.ts';
import { startServer, type TestServer } from '../../../store/postgres/server.ts';
import { sharedServer } from '../../../store/postgres/shared-server.ts';

describe.concurrent('every commit of every command, its answer lost', () => {
  for (const [name, command] of Object.entries(writingCommands)) {
    // Where a secret is kept, the server may also still be about to commit.
    const losses = /^keys (create|rotate)/.test(name)
      ? (['before', 'forwarded', 'after'] as const)
      : (['before', 'after'] as const);
    it(name, async () => {
      const shared = new URLSearchParams(
        (await sharedServer(inject('postgresFolder'))).split('?')[1],
      );
      const proxy = await createCommitProxy(shared.get('host') ?? '');
      for (const loss of losses) {
        for (let number = 0; ; number++) {
          const lost = await runLosing(command, proxy, loss, number);
          await expectTrue(name, command, lost);
          if (!lost.isLost) break;
        }
      }
      await proxy.close();
    });
  }
});

describe('a synchronous standby that goes away', () => {
  let server: TestServer;
  let proxy: CommitProxy;
  let plant: Plant;
  beforeAll(async () => {
    server = await startServer();
    await onServer(server.address, 'create database plant template template0');
    proxy = await createCommitProxy(server.sockets);
    plant = await Plant.open(undefined, {
      HKCTL_STORE: proxy.through(addressOf(server.address, 'plant')),
    });
  });
  afterAll(async () => {
    await plant.close();
    await proxy.close();
    await server.stop();
  });

  const setStandby = async (name: string) => {
    // Without waiting for the standby itself.
    await onServer(
      server.address,
      `alter system set synchronous_standby_names = '${name}'`,
      'select pg_reload_conf()',
    );
    await until('the server has read it', async () => (await plant.hkctl(['openapi'])).code === 0);
  };
  const secretIn = (path: string) => readFileSync(path, 'utf8');
  const verifies = async (secret: string) =>
    (await plant.hkctl(['keys', 'verify'], { input: secret })).code;

  it('keeps no command waiting that only reads', async () => {
    await setStandby('nobody');
    const beganAt = performance.now();
    expect(await plant.hkctl(['keys', 'list'])).toMatchObject({ code: 0 });
    expect(performance.now() - beganAt).toBeLessThan(8000);
    await setStandby('');
  });

  it('keeps both secrets of a rotation whose commit waits for it, and the next run completes that', async () => {
    const file = plant.path('gw.key');
    await plant.createKey('Gateway', 'sensor-gateway');
    const { key, secret } = await plant.createKey('Rotated', 'sensor-gateway');
    plant.write('gw.key', `${secret}\n`);
    await setStandby('nobody');
    const line = ['keys', 'rotate', key.prefix, '--secret-file', file, '--yes'];
    // The first commit is that of a sample of the clock, which waits for no standby; the next one is that of the rotation.
    proxy.lose('forwarded', 1);
    const rotated = await plant.hkctl(line);
    expect([rotated.code, rotated.stderr]).toEqual([6, expect.stringContaining(`${file}.new`)]);
    const next = secretIn(`${file}.new`);
    expect(secretIn(file).trim()).toBe(secret);
    // While the server still waits, nobody may take the file for a leftover.
    const early = await plant.hkctl(line);
    expect([early.code, secretIn(`${file}.new`), secretIn(file).trim()], early.stderr).toEqual([
      6,
      next,
      secret,
    ]);
    await setStandby('');
    await until('the rotation is seen', async () => (await verifies(next)) === 0);
    const again = await plant.hkctl(line);
    expect([again.code, secretIn(file), existsSync(`${file}.new`)], again.stderr).toEqual([
      0,
      next,
      false,
    ]);
  });

  it('a daemon answers 503 for a commit without an answer, and the gateway sends again', async () => {
    const { secret } = await plant.createKey('Ingest', 'sensor-gateway');
    await plant.importSensors([{ id: 's-1', code: 'OVEN', name: 'Oven', unit: null }]);
    const daemon: Daemon = await plant.serve();
    const readings = [{ sensor: 'OVEN', at: new Date().toISOString(), value: 1 }];
    const send = () => daemon.api(secret).POST('/api/v1/sensors/readings', { body: { readings } });
    await send();
    await setStandby('nobody');
    readings[0] = { sensor: 'OVEN', at: new Date(Date.now() + 1).toISOString(), value: 2 };
    const beganAt = performance.now();
    expect((await send()).response.status).toBe(503);
    expect(performance.now() - beganAt).toBeLessThan(5000);
    await setStandby('');
    const answered = await until('it is answered', async () => {
      const { response, data } = await send();
      return response.status === 200 && data;
    });
    expect(answered).toMatchObject({ rejected: [] });
    expect(answered.accepted + answered.duplicates).toBe(1);
  });
});

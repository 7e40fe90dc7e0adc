import { afterAll, describe, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { pause, until } from '../../../e2e/program.ts';
import { addressOf, onServer } from '../../../store/postgres/databases.ts';
import { startServer } from '../../../store/postgres/server.ts';
import { GatewayLoad, prepare, wrong } from './gateway-load.ts';

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe('a daemon with few connections', () => {
  it('does not start with four connections, serves with five, says which limit it lacks where it gets none, and goes on by itself', async () => {
    const server = await startServer();
    ends.push(server.stop);
    await onServer(
      server.address,
      'create role plain login superuser',
      'create database plant template template0',
    );
    const plant = await Plant.open(undefined, { HKCTL_STORE: addressOf(server.address, 'plant') });
    ends.push(() => plant.close());
    const { codes, gateway, reader } = await prepare(plant, 4);
    // A superuser is held to no limit.
    await onServer(
      addressOf(server.address, 'plant'),
      'alter role plain nosuperuser connection limit 5',
      'grant usage on schema hkctl to plain',
      'grant all on all tables in schema hkctl to plain',
      'grant all on all sequences in schema hkctl to plain',
    );
    const store = addressOf(server.address, 'plant').replace('postgres@', 'plain@');
    await onServer(server.address, 'alter role plain connection limit 4');
    const refused = await plant.hkctl(['serve', '--port', '0'], {
      env: { ...plant.env, HKCTL_STORE: store },
    });
    expect([refused.code, refused.stdout]).toEqual([6, '']);
    expect(refused.stderr).toMatch(
      /^error: The log-in at the PostgreSQL store .* has no connection left\.\nhint: .*\n$/,
    );
    await onServer(server.address, 'alter role plain connection limit 5');
    const daemon = await plant.serve({ HKCTL_STORE: store });
    const load = new GatewayLoad(
      gateway,
      codes.map((sensor) => ({ sensor, daemon: () => daemon })),
    );
    await until('the gateways are busy', () => load.count > 100, { timeoutMs: 20_000 });
    const statuses: number[] = [];
    for (let request = 0; request < 40; request++) statuses.push(await daemon.statusOf(reader));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { response } = await daemon
      .api(reader)
      .GET('/api/v1/sensors', { params: { query: { limit: 10 } } });
    expect(response.status).toBe(200);
    expect(wrong(load.refusals)).toEqual([]);
    const refusedBefore = load.refusals.length;
    expect(refusedBefore).toBe(0);

    // Another program takes what the daemon loses.
    await onServer(
      server.address,
      'alter role plain connection limit 0',
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'plain'",
    );
    await until('the daemon refuses', async () => (await daemon.statusOf(reader)) === 503);
    await pause(1500);
    expect(daemon.log).toContain('The log-in at the PostgreSQL store');
    await onServer(server.address, 'alter role plain connection limit 5');
    await until('it serves again', async () => (await daemon.statusOf(reader)) === 200, {
      timeoutMs: 10_000,
    });
    const before = load.count;
    await until('ingest works again', () => load.count > before + 20, { timeoutMs: 10_000 });
    await load.stop();
    expect(wrong(load.refusals)).toEqual([]);
    await load.expectAll(daemon, reader);
    expect((await daemon.stop()).code).toBe(0);
  });
});

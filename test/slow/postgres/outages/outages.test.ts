import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import { pause, until } from '../../../e2e/program.ts';
import { createRandom } from '../../../e2e/random.ts';
import { addressOf, onServer } from '../../../store/postgres/databases.ts';
import { startServer, type TestServer } from '../../../store/postgres/server.ts';
import { GatewayLoad, prepare, wrong } from './gateway-load.ts';
import { createNetwork } from './network.ts';

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A plant in a new database of a server, and two daemons; both reach it at another address if one is given. */
async function plantOn(
  server: Pick<TestServer, 'address'>,
  name: string,
  reachedAt = server.address,
) {
  await onServer(server.address, `create database ${name} template template0`);
  const plant = await Plant.open(undefined, { HKCTL_STORE: addressOf(reachedAt, name) });
  ends.push(() => plant.close());
  const daemons: [Daemon, Daemon] = [await plant.serve(), await plant.serve()];
  const { codes, gateway, reader } = await prepare(plant, 6);
  const load = () =>
    new GatewayLoad(
      gateway,
      codes.map((sensor, index) => ({ sensor, daemon: () => daemons[index % 2] ?? daemons[0] })),
    );
  return { plant, daemons, load, gateway, reader };
}

function untilAnswered(
  status: number,
  daemons: readonly Daemon[],
  secret: string,
  timeoutMs = 15_000,
) {
  const answered = async () => {
    const statuses = await Promise.all(daemons.map((daemon) => daemon.statusOf(secret)));
    return statuses.every((one) => one === status);
  };
  return until(`both daemons answer ${status}`, answered, { timeoutMs });
}

const lines = ({ log }: Daemon) => log.split('\n').length;

describe('two daemons under load', () => {
  it('lose no answered reading when the server is killed, write none twice, and continue by themselves', async () => {
    const server = await startServer(['fsync=on', 'full_page_writes=on']);
    ends.push(server.stop);
    const { plant, daemons, load, reader } = await plantOn(server, 'killed');
    const gateways = load();
    const { key: stopped, secret } = await plant.createKey('to be revoked', 'operational-core');
    for (let round = 0; round < 3; round++) {
      const before = gateways.count;
      await until('the gateways are busy', () => gateways.count > before + 60);
      await server.kill9();
      const beganAt = Date.now();
      const loggedBefore = daemons.map(lines);
      const command = await plant.hkctl(['keys', 'list']);
      expect(command.code).toBe(6);
      expect(command.stderr).toMatch(
        /^error: No PostgreSQL server can be reached at .*\nhint: .*\n$/,
      );
      await pause(2000);
      expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(reader)))).toEqual([
        503, 503,
      ]);
      const logged = daemons.map((daemon, index) => lines(daemon) - (loggedBefore[index] ?? 0));
      // One a second for all requests together, and one a minute of each kind of work beside them.
      expect(Math.max(...logged)).toBeLessThan((Date.now() - beganAt) / 1000 + 8);
      await server.restart();
      await untilAnswered(200, daemons, reader);
      if (round === 0) await plant.ok(['keys', 'revoke', stopped.id, '--yes']);
    }
    expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(secret)))).toEqual([401, 401]);
    await gateways.stop();
    expect(gateways.refusals.length).toBeGreaterThan(0);
    expect(wrong(gateways.refusals)).toEqual([]);
    await gateways.expectAll(daemons[0], reader);
    expect((await plant.ok(['audit', 'verify'])).stdout).toContain('whole');
    for (const daemon of daemons) expect((await daemon.stop()).code).toBe(0);
  });

  it('refuse within 5 s while the server is frozen for 10 s, and lose nothing', async () => {
    const server = await startServer();
    ends.push(server.stop);
    const { daemons, load, reader } = await plantOn(server, 'frozen');
    const gateways = load();
    await until('the gateways are busy', () => gateways.count > 60);
    await server.freeze();
    const beganAt = performance.now();
    const took: number[] = [];
    while (performance.now() - beganAt < 10_000) {
      const from = performance.now();
      expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(reader)))).toEqual([
        503, 503,
      ]);
      took.push(performance.now() - from);
      await pause(100);
    }
    expect(Math.max(...took)).toBeLessThan(5000);
    await server.thaw();
    await untilAnswered(200, daemons, reader);
    await gateways.stop();
    expect(gateways.refusals.length).toBeGreaterThan(0);
    expect(wrong(gateways.refusals)).toEqual([]);
    await gateways.expectAll(daemons[0], reader);

    await server.freeze();
    const stopped = await Promise.all(daemons.map((daemon) => daemon.stop()));
    expect(stopped.map(({ code, signal }) => [code, signal])).toEqual(daemons.map(() => [0, null]));
  });

  it('lose nothing while their connections are reset again and again', async () => {
    const server = await startServer();
    ends.push(server.stop);
    const proxy = await createNetwork(server.sockets);
    ends.push(proxy.close);
    const reachedAt = `postgres://postgres@/postgres?host=${encodeURIComponent(proxy.folder)}`;
    const { plant, daemons, load, reader } = await plantOn(server, 'cut', reachedAt);
    const gateways = load();
    const seed = Date.now();
    const random = createRandom(seed);
    // Until the answer of a commit was lost at least once, which is why a reading comes again; that depends on the instant.
    for (let round = 0; round < 12 || (gateways.duplicates === 0 && round < 400); round++) {
      // Not in step with the gateways, which send again after a fixed time.
      await pause(100 + random(400));
      proxy.cutAll();
      // New connections live for some answers only.
      proxy.cutAfter(round % 3 === 2 ? () => 2000 + random(30_000) : undefined);
      if (round % 4 !== 3 || round > 12) continue;
      const created = await plant.hkctl([
        'keys',
        'create',
        '--name',
        `k${round}`,
        '--entity',
        'BER',
        '--preset',
        'production-only',
      ]);
      expect([0, 6], created.stderr).toContain(created.code);
    }
    proxy.cutAfter(undefined);
    proxy.cutAll();
    await untilAnswered(200, daemons, reader);
    await gateways.stop();
    expect(gateways.refusals.length, `seed ${seed}`).toBeGreaterThan(0);
    expect(wrong(gateways.refusals)).toEqual([]);
    await gateways.expectAll(daemons[1], reader);
    expect(gateways.duplicates, `seed ${seed}`).toBeGreaterThan(0);
    expect((await plant.ok(['audit', 'verify'])).stdout).toContain('whole');
  });

  it('refuse while the database is read-only, and continue when it can be written again', async () => {
    const server = await startServer();
    ends.push(server.stop);
    const { plant, daemons, load, reader } = await plantOn(server, 'readonly');
    const gateways = load();
    await until('the gateways are busy', () => gateways.count > 60);
    await onServer(
      server.address,
      'alter system set default_transaction_read_only = on',
      'select pg_reload_conf()',
    );
    await untilAnswered(503, daemons, reader, 4000);
    const create = 'keys create --name new --entity BER --preset production-only'.split(' ');
    const created = await plant.hkctl(create);
    expect([created.code, created.stdout]).toEqual([6, '']);
    expect(created.stderr).toMatch(
      /^error: The PostgreSQL store .* is read-only: it is a standby, or was set so\.\nhint: .*\n$/,
    );
    const late = await plant.hkctl(['serve', '--port', '0']);
    expect([late.code, late.stderr.split('\n').length], late.stderr).toEqual([6, 3]);
    await onServer(
      server.address,
      'set default_transaction_read_only = off',
      'alter system reset default_transaction_read_only',
      'select pg_reload_conf()',
    );
    await untilAnswered(200, daemons, reader);
    await gateways.stop();
    expect(wrong(gateways.refusals)).toEqual([]);
    await gateways.expectAll(daemons[1], reader);
    await plant.ok(create);
  });

  it('serve as a log-in whose statements may take 200 ms, and so do commands that take longer', async () => {
    const server = await startServer(['fsync=on', 'full_page_writes=on']);
    ends.push(server.stop);
    await onServer(
      server.address,
      'create role hasty superuser login',
      "alter role hasty set statement_timeout = '200ms'",
    );
    const { plant, daemons, load, reader } = await plantOn(
      server,
      'hasty',
      server.address.replace('postgres@', 'hasty@'),
    );
    const gateways = load();
    const parts = Array.from({ length: 100_000 }, (_, n) => `P-${n},P-${n},Part ${n},true`);
    const input = `id,part_number,name,is_active\n${parts.join('\n')}\n`;
    await plant.ok(['import', 'parts', '-', '--format', 'csv', '--entity', 'BER'], { input });
    await plant.ok(['backup', plant.path('hasty.backup')]);
    await until('the gateways are busy', () => gateways.count > 60);
    expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(reader)))).toEqual([200, 200]);
    await gateways.stop();
    expect(wrong(gateways.refusals)).toEqual([]);
    await gateways.expectAll(daemons[0], reader);
  });

  it('go on with the connections they have while others use up the rest, and start no further daemon', async () => {
    const server = await startServer([
      'max_connections=30',
      'superuser_reserved_connections=0',
      'reserved_connections=0',
    ]);
    ends.push(server.stop);
    const { plant, daemons, load, reader } = await plantOn(server, 'crowded');
    const gateways = load();
    await until('the gateways are busy', () => gateways.count > 60);
    const others: Client[] = [];
    for (;;) {
      const client = new Client({ connectionString: server.address });
      try {
        await client.connect();
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: '53300' });
        break;
      }
      others.push(client);
    }
    const listed = await plant.hkctl(['keys', 'list']);
    expect(listed.code).toBe(6);
    expect(listed.stderr).toMatch(
      /^error: The PostgreSQL server of the store .* has no connection left\.\nhint: .*\n$/,
    );
    expect((await plant.hkctl(['serve', '--port', '0'])).code).toBe(6);
    for (let sample = 0; sample < 30; sample++) {
      expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(reader)))).toEqual([
        200, 200,
      ]);
      await pause(100);
    }
    for (const client of others) await client.end();
    await plant.ok(['keys', 'list']);
    await gateways.stop();
    await gateways.expectAll(daemons[1], reader);
  });
});

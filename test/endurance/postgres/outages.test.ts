import { afterAll, describe, expect, it } from 'vitest';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { pause, until } from '../../e2e/program.ts';
import { addressOf, onServer } from '../../store/postgres/databases.ts';
import { startServer, type TestServer } from '../../store/postgres/server.ts';
import { GatewayLoad, prepare, wrong } from './gateway-load.ts';

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server of its own, a plant on it, and two daemons. */
async function plantOn(server: TestServer, name: string) {
  await onServer(server.address, `create database ${name} template template0`);
  const plant = await Plant.open(undefined, { HKCTL_STORE: addressOf(server.address, name) });
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

const lines = ({ log }: Daemon) => log.split('\n').length;

describe('two daemons under load', () => {
  it('lose no answered reading when the server is killed, write none twice, and continue by themselves', async () => {
    const server = await startServer(['fsync=on', 'full_page_writes=on']);
    ends.push(server.stop);
    const { plant, daemons, load, reader } = await plantOn(server, 'killed');
    const gateways = load();
    const { key: stopped, secret } = await plant.mint('to be revoked', 'operational-core');
    for (let round = 0; round < 3; round++) {
      const before = gateways.count;
      await until('the gateways are busy', () => gateways.count > before + 60);
      await server.kill9();
      const beganAt = Date.now();
      const loggedBefore = daemons.map(lines);
      const command = await plant.hkctl(['keys', 'list']);
      expect(command.code).toBe(6);
      expect(command.stderr).toMatch(/^error: No PostgreSQL server can be reached at .*\nhint: .*\n$/);
      await pause(2000);
      expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(reader)))).toEqual([503, 503]);
      const logged = daemons.map((daemon, index) => lines(daemon) - (loggedBefore[index] ?? 0));
      // One a second for all requests together, and one a minute of each kind of work beside them.
      expect(Math.max(...logged)).toBeLessThan((Date.now() - beganAt) / 1000 + 8);
      await server.restart();
      await until('the daemons are back', async () => {
        const statuses = await Promise.all(daemons.map((daemon) => daemon.statusOf(reader)));
        return statuses.every((status) => status === 200);
      });
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

  it('refuse within 2 s while the server is frozen for 10 s, and lose nothing', async () => {
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
      expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(reader)))).toEqual([503, 503]);
      took.push(performance.now() - from);
      await pause(100);
    }
    expect(Math.max(...took)).toBeLessThan(2500);
    await server.thaw();
    const before = gateways.count;
    await until('the gateways are busy again', () => gateways.count > before + 60);
    await gateways.stop();
    expect(gateways.refusals.length).toBeGreaterThan(0);
    expect(wrong(gateways.refusals)).toEqual([]);
    await gateways.expectAll(daemons[0], reader);
  });
});

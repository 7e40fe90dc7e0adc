import { afterAll, expect, it } from 'vitest';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';
import { addressOf, onServer } from '../../../store/postgres/databases.ts';
import { startServer, startStandby } from '../../../store/postgres/server.ts';
import { GatewayLoad, prepare, wrong } from './gateway-load.ts';

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it('follows a synchronous standby that becomes the primary, while the old one still answers reads', async () => {
  const primary = await startServer(['fsync=on', 'full_page_writes=on', 'wal_keep_size=256MB']);
  ends.push(primary.stop);
  await onServer(primary.address, 'create database plant template template0');
  const standby = await startStandby(primary);
  ends.push(standby.stop);
  await until('the standby follows', () => streams(primary.address));
  await onServer(
    primary.address,
    "alter system set synchronous_standby_names = 'standby'",
    'select pg_reload_conf()',
  );

  // A standby alone can be read, and is no place for a store.
  const alone = addressOf(standby.address, 'plant');
  const folders = [primary, standby].map(({ sockets }) => encodeURIComponent(sockets));
  const both = `postgres://postgres@/plant?host=${folders.join(',')}`;
  const plant = await Plant.open(undefined, { HKCTL_STORE: both });
  ends.push(() => plant.close());
  const daemon: Daemon = await plant.serve();
  const { key, secret } = await plant.createKey('to be revoked', 'operational-core');
  const kept = await plant.createKey('kept', 'operational-core');
  expect(await daemon.statusOf(secret)).toBe(200);
  for (const args of [
    ['keys', 'list'],
    ['serve', '--port', '0'],
  ]) {
    const refused = await plant.hkctl(args, { env: { ...plant.env, HKCTL_STORE: alone } });
    expect([args, refused.code, refused.stdout]).toEqual([args, 6, '']);
    expect(refused.stderr).toMatch(
      /^error: The PostgreSQL store .* is read-only: it is a standby, or was set so\.\nhint: /,
    );
  }
  const { codes, gateway, reader } = await prepare(plant, 4);
  const gateways = new GatewayLoad(
    gateway,
    codes.map((sensor) => ({ sensor, daemon: () => daemon })),
  );
  ends.push(() => gateways.stop());
  await until('the gateways are busy', () => gateways.count > 60);

  // The old primary is cut off from its standby: it answers reads, and no commit is confirmed.
  await onServer(standby.address, 'select pg_promote()');
  await until('the standby is promoted', () => isPrimary(standby.address));
  const onNew = { ...plant.env, HKCTL_STORE: addressOf(standby.address, 'plant') };
  await plant.ok(['keys', 'revoke', key.id, '--yes'], { env: onNew });

  // The daemon may read the old primary for the two seconds of its lease, and must not let the key in after them.
  const revokedAt = performance.now();
  await until('the daemon refuses the revoked key', async () => {
    const status = await daemon.statusOf(secret);
    if (status === 200) expect(performance.now() - revokedAt).toBeLessThan(4000);
    return status === 401;
  });
  await until('the daemon is back', async () => (await daemon.statusOf(kept.secret)) === 200);
  expect(await daemon.statusOf(kept.secret)).toBe(200);
  const before = gateways.count;
  await until('the gateways are busy again', () => gateways.count > before + 20);
  await gateways.stop();
  expect(wrong(gateways.refusals)).toEqual([]);
  await gateways.expectAll(daemon, reader);
});

async function streams(address: string): Promise<boolean> {
  return holds(address, "select 1 / count(*) from pg_stat_replication where state = 'streaming'");
}

async function isPrimary(address: string): Promise<boolean> {
  return holds(address, 'select 1 / (not pg_is_in_recovery())::int');
}

/** Whether a statement that divides by zero otherwise ends well. */
async function holds(address: string, statement: string): Promise<boolean> {
  try {
    await onServer(address, statement);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.message.includes('division by zero')) return false;
    throw thrown;
  }
}

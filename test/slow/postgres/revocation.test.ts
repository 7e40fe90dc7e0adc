import { Agent } from 'node:http';
import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { drawSecret, hashOf, prefixOf } from '../../../src/core/secrets.ts';
import { engineAt } from '../../../src/store/open.ts';
import { call } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { pause } from '../../e2e/program.ts';
import { addressOf, onServer } from '../../store/postgres/databases.ts';
import { startServer } from '../../store/postgres/server.ts';
import { draftOf, newKey, storeOptions } from '../../store/stores.ts';

/** 10,000 take four minutes. */
const rounds = Number(process.env.TEST_HKCTL_ROUNDS ?? 400);
/** After so many rounds one connection of one daemon is frozen for a while. */
const roundsPerFreeze = 100;
const frozenMs = 2500;

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it(`three daemons let no revoked key in, in ${rounds} rounds with frozen connections`, async () => {
  const server = await startServer();
  ends.push(server.stop);
  await onServer(server.address, 'create database plant template template0');
  const address = addressOf(server.address, 'plant');
  const plant = await Plant.open(undefined, { HKCTL_STORE: address });
  ends.push(() => plant.close());
  const daemons: Daemon[] = [];
  for (const name of ['a', 'b', 'c'])
    daemons.push(await plant.serve({ PGAPPNAME: `daemon-${name}` }));
  const agents = daemons.map(() => new Agent({ keepAlive: true }));
  ends.push(async () => {
    for (const agent of agents) agent.destroy();
  });

  const options = { ...storeOptions, clock: Date.now };
  const store = await engineAt(address, options).open();
  ends.push(async () => store.close());
  const user = await store.users.findByLogin('admin');
  const tenant = await store.tenants.find(user?.tenantId ?? '');
  const entity = tenant && (await store.entities.find(tenant.id, 'BER'));
  if (!user || !tenant || !entity) throw new Error('the plant has no organization');
  const watcher = new Client({ connectionString: address });
  await watcher.connect();
  ends.push(() => watcher.end());

  const statusOf = (index: number, secret: string): Promise<number> =>
    call(`${daemons[index]?.url}/api/v1/me`, {
      secret,
      ...(agents[index] && { agent: agents[index] }),
    }).then(({ status }) => status);
  const all = (secret: string) => Promise.all(daemons.map((_, index) => statusOf(index, secret)));
  let frozen: Promise<void> | undefined;
  /** Stops the server's processes of the connections that a daemon used last, and continues them later. */
  const freeze = async (name: string) => {
    const { rows } = await watcher.query(
      'select pid from pg_stat_activity where application_name = $1 order by query_start desc limit 2',
      [name],
    );
    for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
    await pause(frozenMs);
    for (const { pid } of rows) continueProcess(pid);
  };

  const prefixes = new Set<string>();
  const drawFree = (): string => {
    const secret = drawSecret();
    if (prefixes.has(prefixOf(secret))) return drawFree();
    prefixes.add(prefixOf(secret));
    return secret;
  };
  const counts = { letIn: 0, refusedRevoked: 0, unavailable: 0, admitted: 0 };
  for (let round = 1; round <= rounds; round++) {
    if (round % roundsPerFreeze === 0) {
      await frozen;
      frozen = freeze(`daemon-${'abc'[(round / roundsPerFreeze) % 3]}`);
    }
    const secret = drawFree();
    const key = newKey({ tenant, entity, user }, round, {
      prefix: prefixOf(secret),
      secretHash: hashOf(secret),
    });
    await store.keys.insert(key, draftOf(tenant.id, 'key.create', key.prefix));
    for (const status of await all(secret)) {
      if (status === 200) counts.admitted++;
      else if (status === 503) counts.unavailable++;
      else expect(status).toBe(200);
    }
    await store.keys.revoke([key.id], user.id, Date.now(), [
      draftOf(tenant.id, 'key.revoke', key.prefix),
    ]);
    for (const status of await all(secret)) {
      if (status === 200) counts.letIn++;
      else if (status === 401) counts.refusedRevoked++;
      else counts.unavailable++;
    }
  }
  await frozen;
  expect(counts).toMatchObject({ letIn: 0 });
  expect(counts.admitted).toBeGreaterThan(rounds * 2);
  expect(counts.refusedRevoked).toBeGreaterThan(rounds * 2);
  // Connections were really frozen, and the daemons are back.
  expect(counts.unavailable).toBeGreaterThan(0);
  const { secret } = await plant.createKey('last', 'operational-core');
  expect(await all(secret)).toEqual([200, 200, 200]);
}, 900_000);

/** The daemon may have ended the connection meanwhile, and the server its process. */
function continueProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown;
  }
}

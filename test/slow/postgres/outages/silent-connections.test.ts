import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, keptAlive } from '../../../e2e/client.ts';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import { pause, until } from '../../../e2e/program.ts';
import { addressOf, onServer } from '../../../store/postgres/databases.ts';
import { startServer, type TestServer } from '../../../store/postgres/server.ts';
import { prepare } from './gateway-load.ts';
import { createNetwork, type Network, type Silence } from './network.ts';

/** Contract, section 7. */
const withinMs = 5000;

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

let server: TestServer;
let network: Network;
let daemon: Daemon;
let requests: { path: string; secret?: string; body?: () => unknown }[];

beforeAll(async () => {
  server = await startServer();
  ends.push(server.stop);
  network = await createNetwork(server.sockets);
  ends.push(network.close);
  await onServer(server.address, 'create database plant template template0');
  const plant = await Plant.open(undefined, { HKCTL_STORE: addressOf(server.address, 'plant') });
  ends.push(() => plant.close());
  const { gateway, reader } = await prepare(plant, 3);
  const parts = Array.from({ length: 1000 }, (_, n) => `P-${n},P-${n},Part ${n},true`).join('\n');
  const input = `id,part_number,name,is_active\n${parts}\n`;
  await plant.ok(['import', 'parts', '-', '--format', 'csv', '--entity', 'BER'], { input });
  daemon = await plant.serve({
    HKCTL_STORE: `postgres://postgres@/plant?host=${encodeURIComponent(network.folder)}`,
  });
  let sent = 0;
  // New ones each time: what was committed without an answer would otherwise be a duplicate.
  const rows = () =>
    Array.from({ length: 50 }, () => ({
      sensor: 'OVEN-1',
      at: 1_760_000_000_000 + sent++,
      value: 1,
    }));
  const sensor = '/api/v1/sensors/S-OVEN-1';
  const reads = [
    ...[
      '/api/v1/me',
      '/api/v1/resources',
      '/api/v1/parts?limit=500',
      '/api/v1/parts/P-7',
      '/api/v1/sensors',
      sensor,
    ],
    ...[
      `${sensor}/readings`,
      `${sensor}/readings?limit=100000`,
      `${sensor}/readings?bucket=1s&limit=100000`,
    ],
  ];
  requests = [
    { path: '/readyz' },
    { path: '/healthz' },
    { path: '/metrics' },
    ...reads.map((path) => ({ path, secret: reader })),
    { path: '/api/v1/sensors/readings', secret: gateway, body: () => ({ readings: rows() }) },
    {
      path: '/api/v1/sensors/heartbeats',
      secret: gateway,
      body: () => ({ heartbeats: [{ sensor: 'OVEN-1' }] }),
    },
  ];
});

/** Sends all requests at once, those of ingest and of large reads `times`; returns how each was answered. */
async function answers(times = 4) {
  const agent = keptAlive(100);
  const all = requests.flatMap((one) =>
    Array(/readings|heartbeats/.test(one.path) ? times : 1).fill(one),
  );
  const found = await Promise.all(
    all.map(async ({ path, secret, body }) => {
      const from = performance.now();
      const { status, headers } = await call(daemon.url + path, {
        secret,
        body: body?.(),
        agent,
        timeoutMs: 40_000,
      });
      return {
        path,
        status,
        retryAfter: Number(headers['retry-after']),
        ms: performance.now() - from,
      };
    }),
  );
  agent.destroy();
  return found;
}

type Found = Awaited<ReturnType<typeof answers>>[number];

const isServed = ({ status }: Found) => status === 200;
/** Answers that are neither good nor a refusal in time, as the contract has it. */
const wrong = (found: Found[]) =>
  found.filter(
    ({ status, retryAfter, ms }) =>
      (status !== 200 && !(status === 503 && retryAfter > 0)) || ms > withinMs,
  );

/** All answers until every path is served again, at least for so long. */
async function untilServed(leastMs = 0): Promise<Found[]> {
  const all: Found[] = [];
  const beganAt = performance.now();
  await until(
    'every path is served',
    async () => {
      const found = await answers();
      all.push(...found);
      return found.every(isServed) && performance.now() - beganAt >= leastMs;
    },
    { timeoutMs: 40_000 },
  );
  return all;
}

/** Waits until all connections but those that the daemon uses all the time were idle for a while. */
async function rest(): Promise<void> {
  await untilServed();
  await pause(1500);
}

const silences: [string, Silence][] = [
  ['all of them, in both directions', { direction: 'both' }],
  ['all of them, on the way to the server', { direction: 'to server' }],
  ['all of them, on the way back', { direction: 'from server' }],
  ['those that were idle', { direction: 'both', idleMs: 1000 }],
  ['those that were idle, on the way to the server', { direction: 'to server', idleMs: 1000 }],
  ['those that were idle, on the way back', { direction: 'from server', idleMs: 1000 }],
];

describe('every path answers within 5 s and is served again by itself', () => {
  it.each(silences)('while a firewall drops connections without a word: %s', async (_, silence) => {
    await rest();
    expect(network.silence(silence)).toBeGreaterThan(0);
    expect(wrong(await untilServed())).toEqual([]);
  });

  it.each(silences)('while it drops new connections, too: %s', async (_, silence) => {
    await rest();
    expect(network.silence({ ...silence, alsoNew: true })).toBeGreaterThan(0);
    const found: Found[] = [];
    for (const endsAt = performance.now() + 6000; performance.now() < endsAt; ) {
      found.push(...(await answers()));
      // Refusals come at once, and would take a whole processor.
      await pause(100);
    }
    expect(wrong(found)).toEqual([]);
    expect(found.some((one) => !isServed(one))).toBe(true);
    network.admit();
    expect(wrong(await untilServed())).toEqual([]);
  });

  it('while connections are cut', async () => {
    const found: Found[] = [];
    for (let round = 0; round < 10; round++) {
      network.cutAll();
      found.push(...(await answers()));
    }
    expect(wrong(found)).toEqual([]);
    expect(wrong(await untilServed())).toEqual([]);
  });

  it('while the server is frozen', async () => {
    await rest();
    await server.freeze();
    const found = [...(await answers()), ...(await answers())];
    await server.thaw();
    expect(wrong(found)).toEqual([]);
    expect(found.some((one) => !isServed(one))).toBe(true);
    expect(wrong(await untilServed())).toEqual([]);
  });

  it('while another change holds the tables', async () => {
    await rest();
    const held = onServer(
      addressOf(server.address, 'plant'),
      'begin; lock table hkctl.readings, hkctl.heartbeats, hkctl.parts, hkctl.sensors in access exclusive mode; select pg_sleep(6); commit',
    );
    await pause(100);
    const found = [...(await answers()), ...(await answers())];
    expect(wrong(found)).toEqual([]);
    expect(found.some((one) => !isServed(one))).toBe(true);
    await held;
    expect(wrong(await untilServed())).toEqual([]);
  });
});

it('a connection that takes 200 ms there and back serves every path within 5 s', async () => {
  await rest();
  network.delay(100);
  const found: Found[] = [];
  for (let round = 0; round < 5; round++) found.push(...(await answers(1)));
  network.delay(0);
  expect(wrong(found)).toEqual([]);
  expect(found.filter((one) => !isServed(one))).toEqual([]);
});

it('reads that wait for a lock delay neither the check of keys nor ingest', async () => {
  await rest();
  const held = onServer(
    addressOf(server.address, 'plant'),
    'begin; lock table hkctl.parts in access exclusive mode; select pg_sleep(3); commit',
  );
  await pause(100);
  const [me, ingest] = ['/api/v1/me', '/api/v1/sensors/readings'].map((path) =>
    requests.find((request) => request.path === path),
  );
  const ask = (path: string, secret = me?.secret, body?: unknown) =>
    call(daemon.url + path, { secret, body, timeoutMs: 40_000 });
  // None was read before, so that none is kept in memory.
  const waiting = Array.from({ length: 20 }, (_, n) =>
    ask(`/api/v1/parts?updated_since=2001-01-01T00:00:${10 + n}Z`),
  );
  await pause(100);

  const from = performance.now();
  const asked = [
    await ask('/api/v1/me'),
    await ask('/api/v1/sensors/readings', ingest?.secret, ingest?.body?.()),
  ];
  expect(asked.map(({ status }) => status)).toEqual([200, 200]);
  expect(performance.now() - from).toBeLessThan(2000);
  await Promise.all([...waiting, held]);
});

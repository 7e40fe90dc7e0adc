import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { call, getText, keptAlive } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { until } from '../../e2e/program.ts';
import { fillSeries } from '../../store/sqlite/readings/filled.ts';

/** Readings of one sensor; at three millions a second at best, reading all of them takes a second or more. */
const stored = 3_000_000;
/** A bucket that no sums of quarters of an hour help: all readings are decoded. */
const oddSpan = '99999m';

let plant: Plant;
let daemon: Daemon;
/** A key for a client that requests large pages, and two for others. */
let heavy: string;
let light: string;
let gateway: string;

beforeAll(async () => {
  plant = await Plant.open();
  await plant.importSensors([
    { id: 'S-1', code: 'LONG', name: 'Long', unit: null },
    { id: 'S-2', code: 'SHORT', name: 'Short', unit: null },
  ]);
  // The first look at the sensors gives them their numbers.
  await plant.ok(['sensors', 'list', '--entity', 'BER', '--json']);
  const connection = openFile(join(plant.folder, 'store', 'hkctl.readings.db'), {
    busyTimeoutMs: 5000,
    create: false,
  });
  const series =
    connection
      .prepare<[], number>("select series from series where sensor_id = 'S-1'")
      .pluck()
      .get() ?? 0;
  fillSeries(connection, series, stored, (i) => [i * 1e6, i * 0.1]);
  connection.close();
  [heavy, light, gateway] = (await Promise.all(
    (['operational-core', 'operational-core', 'sensor-gateway'] as const).map(
      async (preset, n) => (await plant.createKey(`key ${n}`, preset)).secret,
    ),
  )) as [string, string, string]; // three of three
  daemon = await plant.serve();
});
afterAll(() => plant.close());

const readings = (query: string) => `${daemon.url}/api/v1/sensors/S-1/readings?${query}`;

/** Every reading is a new one. */
let lastAtMs = 1_700_000_000_000;
/** Held up until the heavy read is over, each would be answered once or twice. */
const enough = { me: 50, posts: 20 };

/** Asks with other keys, one request after the other, until `isOver` or enough; gives how often each was answered by then. */
async function othersUntil(isOver: () => boolean): Promise<{ me: number; posts: number }> {
  const agent = keptAlive(2);
  const answered = { me: 0, posts: 0 };
  const ask = async (): Promise<void> => {
    while (!isOver() && answered.me < enough.me) {
      expect((await call(`${daemon.url}/api/v1/me`, { secret: light, agent })).status).toBe(200);
      if (!isOver()) answered.me++;
    }
  };
  const post = async (): Promise<void> => {
    while (!isOver() && answered.posts < enough.posts) {
      const body = { readings: [{ sensor: 'SHORT', at: ++lastAtMs, value: 1 }] };
      const options = { method: 'POST', secret: gateway, body, agent };
      expect((await call(`${daemon.url}/api/v1/sensors/readings`, options)).json()).toMatchObject({
        accepted: 1,
      });
      if (!isOver()) answered.posts++;
    }
  };
  await Promise.all([ask(), post()]);
  agent.destroy();
  return answered;
}

/** Starts requests and says whether all of them have been answered. */
function begin(urls: readonly string[]) {
  let left = urls.length;
  const answers = urls.map(async (url) => {
    try {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${heavy}` } });
      return { status: answer.status, text: await answer.text() };
    } finally {
      left--;
    }
  });
  return { answers: Promise.all(answers), isOver: () => left === 0, left: () => left };
}

it('others are answered again and again while all that there is is summed up in one bucket', async () => {
  const { answers, isOver } = begin([readings(`bucket=${oddSpan}&agg=count,min,max`)]);
  const others = await othersUntil(isOver);
  const [answer] = await answers;
  expect(JSON.parse(answer?.text ?? '').data).toEqual([
    { at: '1970-01-01T00:00:00.000000Z', count: stored, min: 0, max: (stored - 1) * 0.1 },
  ]);
  expect(others).toEqual(enough);
});

it('and while two thousand pages, each small enough to be read at once, are asked for in a few packets', async () => {
  // As many requests as one connection may send ahead.
  const [connections, ahead] = [250, 8];
  const request = getText('/api/v1/sensors/S-1/readings?limit=500', heavy).replace('GET', 'HEAD');
  const received = Array.from({ length: connections }, () => '');
  const failures: Error[] = [];
  const sockets = received.map((_, index) => {
    const socket = connect(daemon.port, '127.0.0.1');
    socket.on('error', (error) => failures.push(error));
    socket.on('data', (chunk: Buffer) => {
      received[index] += chunk.toString('latin1');
    });
    socket.write(request.repeat(ahead));
    return socket;
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const answered = () => received.join('').split('HTTP/1.1 200 OK').length - 1;
  await until('the first is answered', () => answered() > 0, { timeoutMs: 60_000 });
  const others = await othersUntil(() => answered() === connections * ahead || failures.length > 0);
  expect(others).toEqual(enough);
  await until('all are answered', () => answered() === connections * ahead, { timeoutMs: 120_000 });
  expect(failures).toEqual([]);
});

it("a large page of another key comes before the last of a key's many", async () => {
  const many = 20;
  const { answers, left } = begin(
    Array.from({ length: many }, () => readings(`bucket=${oddSpan}`)),
  );
  const given = answers.catch(() => undefined);
  // A page of buckets reserves more than 80 kB as soon as it is asked for.
  await until(
    'all of them wait',
    async () => {
      const { text } = await call(`${daemon.url}/metrics`);
      return Number(/^hkctl_held_bytes\{what="answers"\} (\d+)$/m.exec(text)?.[1]) > many * 80_000;
    },
    { timeoutMs: 60_000 },
  );
  const other = await call(readings('limit=100000'), { secret: light, timeoutMs: 120_000 });
  expect(other.status).toBe(200);
  // One after the other, without regard to the key, it would be the last.
  expect(left()).toBeGreaterThan(0);
  await plant.end();
  await given;
});

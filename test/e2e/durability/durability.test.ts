import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/connection/driver.ts';
import { keptAlive } from '../client.ts';
import { type Daemon, Plant } from '../plant.ts';
import { pause, until } from '../program.ts';
import { createReadings, type ReadingOut, readingsOf, sensors } from './sent-readings.ts';

const isDatabase = process.env.HKCTL_TEST_ENGINE === 'postgres';

/** Posts batches on one connection as quickly as they are answered, until the daemon is killed. */
async function ingest(
  daemon: Daemon,
  secret: string,
  sensor: string,
  from: number,
  answered: ReadingOut[],
): Promise<void> {
  const agent = keptAlive();
  const api = daemon.api(secret, { agent });
  for (let first = from; ; first += 40) {
    const batch = createReadings(sensor, first, 40);
    try {
      const { data } = await api.POST('/api/v1/sensors/readings', { body: { readings: batch } });
      expect(data).toEqual({ accepted: 40, duplicates: 0, rejected: [] });
    } catch (thrown) {
      if (daemon.hasEnded || daemon.child.killed) break;
      throw thrown;
    }
    answered.push(...batch);
  }
  agent.destroy();
}

describe('what was answered is on disk', () => {
  let plant: Plant;
  let gateway: string;
  let reader: string;

  beforeEach(async () => {
    plant = await Plant.open();
    await plant.importSensors(sensors);
    gateway = (await plant.createKey('Gateway', 'sensor-gateway')).secret;
    reader = (await plant.createKey('Reader', 'operational-core')).secret;
  });
  afterEach(() => plant.close());

  it('survives kill -9 during heavy ingest from eight connections, twice', async () => {
    const answered = new Map<string, Map<string, number>>(sensors.map(({ code }) => [code, new Map()]));
    for (let round = 0; round < 2; round++) {
      const daemon = await plant.serve();
      // Each round has sensors of its own, so that none of its readings is a duplicate of the one before.
      const codes = sensors.slice(round * 4, round * 4 + 4).map(({ code }) => code);
      const lanes = codes.flatMap((code) =>
        [0, 50_000_000].map((from) => ({ code, from, answered: [] as ReadingOut[] })),
      );
      const senders = lanes.map((lane) => ingest(daemon, gateway, lane.code, lane.from, lane.answered));
      await until('each connection is busy', () => lanes.every((lane) => lane.answered.length >= 600));
      // Once in the middle of it all, and once while another process holds the readings: what is answered then could not have
      // been kept.
      const release = round === 1 ? await holdReadings(plant) : undefined;
      if (release) await pause(200);
      await daemon.kill9();
      await release?.();
      await Promise.all(senders);
      for (const { sensor, at, value } of lanes.flatMap((lane) => lane.answered)) answered.get(sensor)?.set(at, value);
    }
    const daemon = await plant.serve();
    for (const [sensor, sent] of answered) {
      expect(sent.size).toBeGreaterThanOrEqual(1200);
      const kept = new Map((await readingsOf(daemon, reader, sensor)).map(({ at, value }) => [at, value]));
      const lost = [...sent].filter(([at, value]) => kept.get(at) !== value);
      expect(lost).toEqual([]);
      // Beyond that there may be the batch of each connection that was committed and not answered any more.
      expect(kept.size - sent.size).toBeLessThanOrEqual(2 * 40);
      expect((kept.size - sent.size) % 40).toBe(0);
    }
    await plant.ok(['audit', 'verify']);
  });

  const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
  // A database syncs its log in a process of its own.
  it.skipIf(!canTrace || isDatabase)('is synced before it is answered', async () => {
    const daemon = await plant.serve();
    const trace = plant.path('trace');
    const tracer = plant.attach('strace', [
      '-f',
      '-y',
      '-e',
      'trace=fsync,fdatasync,write,writev',
      '-o',
      trace,
      '-p',
      String(daemon.child.pid),
    ]);
    await tracer.says(/attached/);
    const agent = keptAlive();
    const api = daemon.api(gateway, { agent });
    for (let index = 0; index < 5; index++) {
      const body = { readings: createReadings('LINE-0', index * 10, 10) };
      expect((await api.POST('/api/v1/sensors/readings', { body })).response.status).toBe(200);
    }
    agent.destroy();
    await tracer.stop('SIGINT');
    // In the order of the kernel: S for a sync of the readings' log, A for an answer to the socket.
    const order = readFileSync(trace, 'utf8')
      .split('\n')
      .map((line) => {
        if (/f(data)?sync\(\d+<[^>]*readings\.db-wal>/.test(line)) return 'S';
        return /writev?\(\d+<(socket|TCP)[^>]*>.*HTTP\/1\.1 200/.test(line) ? 'A' : '';
      })
      .join('');
    expect(order.replaceAll(/S+/g, 'S')).toMatch(/^(SA){5}S?$/);
  });
});

/** Keeps every other process from writing readings, until the result is called. */
async function holdReadings(plant: Plant): Promise<() => Promise<void>> {
  if (plant.isOnPostgres) {
    const client = new Client({ connectionString: plant.place });
    await client.connect();
    await client.query('begin; lock table hkctl.readings in exclusive mode');
    return () => client.end();
  }
  const holder = openDatabase(plant.store.replace(/\.db$/, '.readings.db'), { timeout: 5000, fileMustExist: true });
  holder.exec('begin immediate');
  return async () => {
    holder.close();
  };
}

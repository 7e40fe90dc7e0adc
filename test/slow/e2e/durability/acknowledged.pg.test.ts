import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { keptAlive } from '../../../e2e/client.ts';
import {
  createReadings,
  type ReadingOut,
  readingsOf,
  sensors,
} from '../../../e2e/durability/sent-readings.ts';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import { pause, until } from '../../../e2e/program.ts';

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
    const answered = new Map<string, Map<string, number>>(
      sensors.map(({ code }) => [code, new Map()]),
    );
    for (let round = 0; round < 2; round++) {
      const daemon = await plant.serve();
      // Each round has sensors of its own, so that none of its readings is a duplicate of the one before.
      const codes = sensors.slice(round * 4, round * 4 + 4).map(({ code }) => code);
      const lanes = codes.flatMap((code) =>
        [0, 50_000_000].map((from) => ({ code, from, answered: [] as ReadingOut[] })),
      );
      const senders = lanes.map((lane) =>
        ingest(daemon, gateway, lane.code, lane.from, lane.answered),
      );
      await until('each connection is busy', () =>
        lanes.every((lane) => lane.answered.length >= 600),
      );
      // Once in the middle of it all, and once while another process holds the readings: what is answered then could not have
      // been kept.
      const release = round === 1 ? await holdReadings(plant) : undefined;
      if (release) await pause(200);
      await daemon.kill9();
      await release?.();
      await Promise.all(senders);
      for (const { sensor, at, value } of lanes.flatMap((lane) => lane.answered))
        answered.get(sensor)?.set(at, value);
    }
    const daemon = await plant.serve();
    for (const [sensor, sent] of answered) {
      expect(sent.size).toBeGreaterThanOrEqual(1200);
      const kept = new Map(
        (await readingsOf(daemon, reader, sensor)).map(({ at, value }) => [at, value]),
      );
      const lost = [...sent].filter(([at, value]) => kept.get(at) !== value);
      expect(lost).toEqual([]);
      // Beyond that there may be the batch of each connection that was committed and not answered any more.
      expect(kept.size - sent.size).toBeLessThanOrEqual(2 * 40);
      expect((kept.size - sent.size) % 40).toBe(0);
    }
    await plant.ok(['audit', 'verify']);
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
  const holder = openDatabase(plant.store.replace(/\.db$/, '.readings.db'), {
    timeout: 5000,
    fileMustExist: true,
  });
  holder.exec('begin immediate');
  return async () => {
    holder.close();
  };
}

import { expect } from 'vitest';
import type { Reading } from '../../../e2e/api-types.ts';
import { keptAlive, readReadings } from '../../../e2e/client.ts';
import type { Daemon, Plant } from '../../../e2e/plant.ts';
import { pause, until } from '../../../e2e/program.ts';

/** Readings in one POST. */
const batchSize = 20;

const betweenMs = 15;

/** What was refused: the status, the seconds of Retry-After, and after how long the answer came. */
interface Refusal {
  status: number;
  retryAfter: number;
  tookMs: number;
}

/**
 * Gateways that post batches of readings, each to one daemon for one sensor, soon after the one before was answered, and send a
 * batch again until it is accepted. The pause between two leaves the processor to what is tried beside them.
 */
export class GatewayLoad {
  readonly refusals: Refusal[] = [];
  /** Batches of each sensor whose acceptance was answered. */
  readonly answered = new Map<string, number>();
  /** Readings that were there already when they were sent again. */
  duplicates = 0;
  readonly #loops: Promise<void>[];
  #isRunning = true;

  constructor(secret: string, gateways: readonly { daemon: () => Daemon; sensor: string }[]) {
    this.#loops = gateways.map(({ daemon, sensor }) => this.#post(secret, daemon, sensor));
  }

  /** The number of batches that were answered so far. */
  get count(): number {
    return [...this.answered.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Ends once what is under way is accepted. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#loops);
  }

  /** Every answered reading is there once, with its value, and no other one. */
  async expectAll(daemon: Daemon, secret: string): Promise<void> {
    for (const [sensor, batches] of this.answered) {
      let kept: Reading[] = [];
      // A server that has just come back may be slow: a client tries again after 503.
      await until(`${sensor} is read`, async () => {
        const read = await readReadings(daemon.url, secret, sensor, 10_000).catch(
          unlessUnavailable,
        );
        if (read) kept = read;
        return read !== undefined;
      });
      const sent = Array.from({ length: batches }, (_, batch) => readingsOf(sensor, batch)).flat();
      const values = kept.map(({ at, value }) => `${Date.parse(at)} ${value}`);
      expect(values, sensor).toEqual(sent.map(({ at, value }) => `${at} ${value}`));
    }
  }

  async #post(secret: string, daemon: () => Daemon, sensor: string): Promise<void> {
    const agent = keptAlive();
    this.answered.set(sensor, 0);
    // A batch that was refused may have been committed nevertheless: it is sent again until it is accepted.
    for (let batch = 0, isRefused = false; this.#isRunning || isRefused; ) {
      const beganAt = performance.now();
      const api = daemon().api(secret, { agent });
      const { data, response } = await api.POST('/api/v1/sensors/readings', {
        body: { readings: readingsOf(sensor, batch) },
      });
      isRefused = data === undefined;
      if (data) {
        expect(data.rejected).toEqual([]);
        expect(data.accepted + data.duplicates).toBe(batchSize);
        this.duplicates += data.duplicates;
        this.answered.set(sensor, ++batch);
        await pause(betweenMs);
        continue;
      }
      const retryAfter = Number(response.headers.get('retry-after'));
      this.refusals.push({
        status: response.status,
        retryAfter,
        tookMs: performance.now() - beganAt,
      });
      await pause(20);
    }
    agent.destroy();
  }
}

function readingsOf(sensor: string, batch: number) {
  return Array.from({ length: batchSize }, (_, index) => {
    const number = batch * batchSize + index;
    return { sensor, at: 1_760_000_000_000 + number, value: number };
  });
}

/** The refusals that are not as the contract has them: 503 with Retry-After within 5 s. */
export function wrong(refusals: readonly Refusal[], withinMs = 5000): Refusal[] {
  return refusals.filter(
    ({ status, retryAfter, tookMs }) => status !== 503 || !(retryAfter > 0) || tookMs > withinMs,
  );
}

/** Sensors and keys for gateways, and a key that reads. */
export async function prepare(plant: Plant, sensors: number) {
  const codes = Array.from({ length: sensors }, (_, index) => `OVEN-${index}`);
  await plant.importSensors(
    codes.map((code) => ({ id: `S-${code}`, code, name: code, unit: null })),
  );
  const gateway = (await plant.createKey('Gateway', 'sensor-gateway')).secret;
  const reader = (await plant.createKey('Reader', 'operational-core')).secret;
  return { codes, gateway, reader };
}

function unlessUnavailable(thrown: Error): undefined {
  if (!thrown.message.includes('"status":503')) throw thrown;
}

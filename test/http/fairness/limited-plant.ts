import { Socket } from 'node:net';
import { expect } from 'vitest';
import type { ServeOptions } from '../../../src/http/server.ts';
import { call } from '../../e2e/client.ts';
import { bareApp, type Face, listening } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

/** All readings of the plant in one answer, of more than five megabytes. */
export const allReadings = '/api/v1/sensors/SE-1001/readings?limit=100000';

/** A paused connection that sends a request; it reads nothing until it is resumed. */
export class Reader extends Socket {
  isClosed = false;

  constructor(port: number, request: string | Buffer) {
    super();
    this.on('error', () => {});
    this.on('close', () => {
      this.isClosed = true;
    });
    this.connect(port, '127.0.0.1', () => this.write(request));
    this.pause();
  }
}

/** A plant with a key, served with limits of memory that each test sets. */
export class LimitedPlant {
  readonly plant: HttpPlant;
  readonly secret: string;
  #face: (Face & { url: string }) | undefined;
  #readers: Reader[] = [];

  private constructor(plant: HttpPlant, secret: string) {
    this.plant = plant;
    this.secret = secret;
  }

  static async open(): Promise<LimitedPlant> {
    const plant = await HttpPlant.open();
    return new LimitedPlant(plant, (await plant.key()).secret);
  }

  /** Stores what `allReadings` answers with. */
  async addReadings(): Promise<void> {
    const headers = { authorization: `Bearer ${this.secret}`, 'content-type': 'application/json' };
    for (let batch = 0; batch < 10; batch++) {
      const readings = Array.from({ length: 10_000 }, (_, index) => ({
        sensor: 'SE-1001',
        at: 1_700_000_000_000 + batch * 10_000 + index,
        value: index + 0.123456789,
      }));
      const response = await bareApp(this.plant).fetch('/api/v1/sensors/readings', {
        method: 'POST',
        headers,
        body: JSON.stringify({ readings }),
      });
      expect(await response.json()).toMatchObject({ accepted: 10_000 });
    }
  }

  async serve(limits: ServeOptions['limits']): Promise<void> {
    this.#face = await listening(this.plant, {}, { checkEveryMs: 50, ...limits });
  }

  get url(): string {
    return this.#face?.url ?? '';
  }

  log(): string {
    return this.#face?.log() ?? '';
  }

  /** Opens a connection that sends a request, or the beginning of one. */
  reader(request: string | Buffer): Reader {
    const reader = new Reader(Number(new URL(this.url).port), request);
    this.#readers.push(reader);
    return reader;
  }

  /** Bytes that bodies or answers hold at the moment. */
  async held(what: 'answers' | 'bodies'): Promise<number> {
    const { text } = await call(`${this.url}/metrics`);
    return Number(new RegExp(`^hkctl_held_bytes\\{what="${what}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  /** How a small request is answered meanwhile. */
  async statusOfMe(): Promise<number> {
    return (await call(`${this.url}/api/v1/me`, { secret: this.secret })).status;
  }

  /** Ends what one test has opened. */
  async endServing(): Promise<void> {
    for (const reader of this.#readers) reader.destroy();
    this.#readers = [];
    await this.#face?.close();
  }

  async close(): Promise<void> {
    await this.plant.domain.store.close();
  }
}

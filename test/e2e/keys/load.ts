import { keptAlive } from '../client.ts';
import type { Daemon } from '../plant.ts';
import { until } from '../program.ts';

/** One request of a client under load: when it was sent and answered (epoch ms), and how. */
export interface Sample {
  sentAt: number;
  doneAt: number;
  status: number;
  code: string | undefined;
}

/** Calls `GET /me` without a pause on so many kept-alive connections. */
export class Load {
  readonly samples: Sample[] = [];
  readonly #daemon: Daemon;
  readonly #secret: () => string;
  readonly #loops: Promise<void>[];
  #running = true;

  constructor(daemon: Daemon, secret: () => string, connections: number) {
    this.#daemon = daemon;
    this.#secret = secret;
    this.#loops = Array.from({ length: connections }, () => this.#loop());
  }

  async #loop(): Promise<void> {
    const agent = keptAlive();
    while (this.#running) {
      const sentAt = Date.now();
      const { response, error } = await this.#daemon
        .api(this.#secret(), { agent })
        .GET('/api/v1/me');
      this.samples.push({ sentAt, doneAt: Date.now(), status: response.status, code: error?.code });
    }
    agent.destroy();
  }

  /** Resolves once so many more requests were sent and answered. */
  more(count: number): Promise<unknown> {
    const enough = this.samples.length + count;
    return until(`${count} more answers`, () => this.samples.length >= enough, { everyMs: 5 });
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
  }
}

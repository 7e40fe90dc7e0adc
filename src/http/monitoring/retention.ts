import type { Domain } from '../../core/access/actors.ts';
import { type DropStep, dropExpiredReadings } from '../../core/readings/retention.ts';
import { formatInstantUs } from '../../core/time/instants.ts';
import type { Log } from './log.ts';
import { Repetition } from './repetition.ts';

const checkEveryMs = 5000;

/** After each step the writer has this many times as long for ingest. */
const restFactor = 4;
const shortestRestMs = 20;

/**
 * Drops the readings that organizations no longer retain, in steps of some milliseconds. The border moves once an hour; a
 * changed retention holds within seconds. After a crash the next daemon continues, since each step is complete by itself.
 */
export class Retention {
  readonly #domain: Pick<Domain, 'store' | 'clock'>;
  readonly #log: Log;
  /** The border of each entity before which nothing is left to drop. */
  readonly #done = new Map<string, number>();
  readonly #checks = new Repetition(checkEveryMs, () => this.run());
  readonly #stopped = new AbortController();

  constructor(domain: Pick<Domain, 'store' | 'clock'>, log: Log) {
    this.#domain = domain;
    this.#log = log;
  }

  start(): void {
    this.#checks.start();
  }

  /** Ends after the step under way. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#checks.stop();
  }

  /** Drops everything that is due now. Logs faults: the next check tries again. */
  async run(): Promise<void> {
    try {
      const isDone = (entityId: string, untilUs: number) =>
        untilUs <= (this.#done.get(entityId) ?? Number.NEGATIVE_INFINITY);
      let dropped = 0;
      let beganMs = performance.now();
      for await (const step of dropExpiredReadings(this.#domain, isDone)) {
        if (this.#stopped.signal.aborted) return;
        dropped += step.readings;
        if (step.next === null) {
          this.#end(step, dropped);
          dropped = 0;
        }
        await this.#rest(Math.max(shortestRestMs, restFactor * (performance.now() - beganMs)));
        beganMs = performance.now();
      }
    } catch (thrown) {
      this.#log.warn({ err: thrown }, 'old readings were not dropped; trying again');
    }
  }

  #end({ entity, untilUs }: DropStep, dropped: number): void {
    this.#done.set(entity.id, untilUs);
    if (dropped === 0) return;
    const before = formatInstantUs(untilUs);
    this.#log.info(
      { entity: entity.code, before, readings: dropped },
      'old readings dropped; their summaries are kept',
    );
  }

  /** Waits, but no longer than until the daemon stops. */
  #rest(ms: number): Promise<void> {
    const { signal } = this.#stopped;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      timer.unref();
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}

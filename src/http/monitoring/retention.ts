import { setTimeout as pause } from 'node:timers/promises';
import type { Domain } from '../../core/domain/domain.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { DropResult } from '../../core/port/readings.ts';
import { expiringEntities, mayBeginDrop, nextDropUs } from '../../core/readings/retention.ts';
import { formatInstantUs } from '../../core/time/instants.ts';
import type { Log } from './log.ts';
import { Repetition } from './repetition.ts';

const checkEveryMs = 5000;

/** After each step the writer has this many times as long for ingest. */
const restFactor = 4;
const shortestRestMs = 20;

/**
 * Drops the readings that organizations no longer retain, in steps of some milliseconds: every hour, at most a day's worth of each
 * entity, whichever daemon comes first. After a crash the next daemon continues, since each step is complete by itself.
 */
export class Retention extends Repetition {
  readonly #domain: Pick<Domain, 'store' | 'steady'>;
  /** The border of each entity for which it was examined last; borders move with the hours and the settings. */
  readonly #examined = new Map<string, number>();
  /** Whether this daemon may begin drops, until a check has ended without a fault. */
  #mayBegin = false;
  readonly #stopped = new AbortController();

  constructor(domain: Pick<Domain, 'store' | 'steady'>, log: Log) {
    super(checkEveryMs, log, 'old readings were not dropped; trying again');
    this.#domain = domain;
  }

  /** Ends after the running step. */
  override async stop(): Promise<void> {
    this.#stopped.abort();
    await super.stop();
  }

  /** Drops what is due now. */
  protected async work(): Promise<void> {
    const mayBegin = async () => {
      this.#mayBegin ||= await mayBeginDrop(this.#domain);
      return this.#mayBegin;
    };
    for await (const expiring of expiringEntities(this.#domain)) {
      const { entity, borderUs } = expiring;
      if (this.#examined.get(entity.id) === borderUs) continue;
      const untilUs = await nextDropUs(this.#domain.store, expiring, mayBegin);
      if (untilUs !== undefined) await this.#drop(entity, untilUs);
      if (this.#stopped.signal.aborted) return;
      this.#examined.set(entity.id, borderUs);
    }
    this.#mayBegin = false;
  }

  async #drop(entity: Entity, untilUs: number): Promise<void> {
    const { signal } = this.#stopped;
    let readings = 0;
    for (let position: number | null | undefined; position !== null; ) {
      const beganMs = performance.now();
      const step: DropResult = await this.#domain.store.readings.drop({ entityId: entity.id, untilUs, position });
      readings += step.readings;
      position = step.next;
      const restMs = Math.max(shortestRestMs, restFactor * (performance.now() - beganMs));
      // It rests no longer than until the daemon stops.
      await pause(restMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
    }
    const before = formatInstantUs(untilUs);
    this.log.info({ entity: entity.code, before, readings }, 'old readings dropped; their summaries are kept');
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Domain } from '../../core/domain/domain.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { DropResult } from '../../core/port/readings.ts';
import { expiringEntities, mayBeginDrop, nextDropUs } from '../../core/readings/retention.ts';
import { formatInstantUs } from '../../core/time/instants.ts';
import type { Log } from '../monitoring/log.ts';
import { createRepetition, type Repetition } from './repetition.ts';

const checkEveryMs = 5000;

/** After each step the writer has this many times as long for ingest. */
const restFactor = 4;
const minRestMs = 20;

/**
 * Drops the readings that organizations no longer retain, in steps of some milliseconds: every hour, at most a day's worth of each
 * entity, whichever daemon comes first. After a crash the next daemon continues, since each step is complete by itself.
 */
export function createRetention(domain: Pick<Domain, 'store' | 'steady'>, log: Log): Repetition {
  /** The border at which each entity was examined last; borders move with the hours and the settings. */
  const examinedBorders = new Map<string, number>();
  /** Whether this daemon may begin drops, until a check has ended without a fault. */
  let mayBegin = false;
  const stopped = new AbortController();
  const { signal } = stopped;

  async function dropDue(): Promise<void> {
    const mayBeginNow = async () => {
      mayBegin ||= await mayBeginDrop(domain);
      return mayBegin;
    };
    for await (const expiring of expiringEntities(domain)) {
      const { entity, borderUs } = expiring;
      if (examinedBorders.get(entity.id) === borderUs) continue;
      const untilUs = await nextDropUs(domain.store, expiring, mayBeginNow);
      if (untilUs !== undefined) await drop(entity, untilUs);
      if (signal.aborted) return;
      examinedBorders.set(entity.id, borderUs);
    }
    mayBegin = false;
  }

  async function drop(entity: Entity, untilUs: number): Promise<void> {
    let readings = 0;
    for (let position: number | null | undefined; position !== null; ) {
      const beganMs = performance.now();
      const dropStep: DropResult = await domain.store.readings.drop({
        entityId: entity.id,
        untilUs,
        position,
      });
      readings += dropStep.readings;
      position = dropStep.next;

      const restMs = Math.max(minRestMs, restFactor * (performance.now() - beganMs));
      // The pause ends when the daemon stops.
      await pause(restMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
    }
    const before = formatInstantUs(untilUs);
    log.info(
      { entity: entity.code, before, readings },
      'old readings dropped; their summaries are kept',
    );
  }

  const failure = 'old readings were not dropped; trying again';
  const retention = createRepetition({ everyMs: checkEveryMs, log, failure, work: dropDue });
  return {
    ...retention,
    /** Ends after the running step. */
    stop() {
      stopped.abort();
      return retention.stop();
    },
  };
}

import type { EntityStore } from '../../core/port/entities.ts';
import type { Log } from '../monitoring/log.ts';

/**
 * Completes removals of entities that were interrupted, in the background: their data is out of reach of every key already. The
 * daemon does not wait for it when it ends, since what is not complete is undone and left to the next one.
 */
export function finishRemovals(
  entities: Pick<EntityStore, 'finishRemovals'>,
  log: Log,
  stop: AbortSignal,
): void {
  entities.finishRemovals?.().catch((thrown: unknown) => {
    if (!stop.aborted)
      log.warn(
        { err: thrown },
        'data of a removed entity was not deleted; the next start tries again',
      );
  });
}

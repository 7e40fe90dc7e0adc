import type { EntityStore } from '../../core/port/entities.ts';
import type { Log } from '../monitoring/log.ts';

/**
 * Completes removals of entities that were interrupted, in the background: their data is out of reach of every key already. The
 * daemon does not wait for them when it ends, since an incomplete removal is undone and left to the next daemon.
 */
export function finishRemovals(
  entities: Pick<EntityStore, 'finishRemovals'>,
  log: Log,
  stopSignal: AbortSignal,
): void {
  entities.finishRemovals?.().catch((thrown: unknown) => {
    if (!stopSignal.aborted)
      log.warn(
        { err: thrown },
        'data of a removed entity was not deleted; the next start tries again',
      );
  });
}

import { desc, eq } from 'drizzle-orm';
import type { DaemonStore } from '../../../core/port/daemons.ts';
import { holdAsDaemon, isServed } from '../connection/daemon-lock.ts';
import type { Registry } from './registry.ts';
import { daemons } from './tables.ts';

/**
 * The addresses of daemons. `file` is the one that each of them locks. Rows left by ended daemons are dropped when one
 * begins while no other serves. `release` gives the lock back.
 */
export function createDaemonStore(
  registry: Registry,
  file: string,
  clock: () => number,
): DaemonStore & { release(): void } {
  const { db } = registry;
  let unlock: (() => void) | undefined;

  const isAnyServing = () => unlock !== undefined || isServed(file);
  const begin = () => {
    if (unlock) return;
    registry.change(() => {
      if (!isAnyServing()) db.delete(daemons).run();
    });
    unlock = holdAsDaemon(file);
  };
  const release = () => {
    unlock?.();
    unlock = undefined;
  };

  const newest = () => {
    const row = registry.read(() => db.select().from(daemons).orderBy(desc(daemons.sinceMs)).get());
    // Under the write lock, held briefly: two processes that check at once would take each other for a daemon.
    return row && registry.change(() => isAnyServing()) ? row : undefined;
  };

  return {
    begin,
    release,
    recordAddress(baseUrl, pid, version) {
      begin();
      registry.change(() => {
        db.delete(daemons).where(eq(daemons.pid, pid)).run();
        db.insert(daemons)
          .values({ pid, baseUrl, sinceMs: clock(), version: version ?? null })
          .run();
      });
    },
    clearAddress(pid) {
      registry.change(() => {
        db.delete(daemons).where(eq(daemons.pid, pid)).run();
      });
      release();
    },
    newest,
    address: () => newest()?.baseUrl,
  };
}

import { desc, eq } from 'drizzle-orm';
import type { DaemonStore } from '../../core/store.ts';
import type { Registry } from './registry.ts';
import { daemons } from './registry-tables.ts';

/** Where daemons answer. Rows of processes that are gone are dropped when a new one comes. */
export function createDaemonStore(registry: Registry, clock: () => number): DaemonStore {
  const { db } = registry;
  return {
    recordAddress: (baseUrl, pid) =>
      registry.change(() => {
        for (const row of db.select().from(daemons).all()) {
          if (row.pid === pid || !isRunning(row.pid)) db.delete(daemons).where(eq(daemons.pid, row.pid)).run();
        }
        db.insert(daemons).values({ pid, baseUrl, sinceMs: clock() }).run();
      }),
    clearAddress: (pid) =>
      registry.change(() => {
        db.delete(daemons).where(eq(daemons.pid, pid)).run();
      }),
    address: () =>
      registry.read(
        () =>
          db
            .select()
            .from(daemons)
            .orderBy(desc(daemons.sinceMs))
            .all()
            .find(({ pid }) => isRunning(pid))?.baseUrl,
      ),
  };
}

/** Signal 0 only asks; EPERM tells of a process of another account. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}

import { desc, eq, or } from 'drizzle-orm';
import { lazily } from '../../../core/lazily.ts';
import type { DaemonStore } from '../../../core/port/daemons.ts';
import { holdAsDaemon, isServed } from '../connection/locks.ts';
import type { Registry } from './registry.ts';
import { daemons } from './tables.ts';

/**
 * The addresses of daemons. `file` is the one that each of them locks. Rows left by ended daemons are dropped when one
 * serves while no other does. `release` gives the lock back.
 */
export function createDaemonStore(
  registry: Registry,
  file: string,
  clock: () => number,
): DaemonStore & { release(): void } {
  const { db, connection } = registry;
  const begunMs = lazily(() => connection.prepare<[string], number>('select value from marks where name = ?').pluck());
  const keepBegun = lazily(() =>
    connection.prepare<[string, number]>('insert or replace into marks (name, value) values (?, ?)'),
  );
  let unlock: (() => void) | undefined;
  let ended: (typeof daemons.$inferSelect)[] = [];

  const isAnyServing = () => unlock !== undefined || isServed(file);
  const begin = () => {
    if (unlock) return;
    registry.change(() => {
      if (!isAnyServing()) ended = db.delete(daemons).returning().all();
    });
    unlock = holdAsDaemon(file);
  };
  const release = () => {
    // One that could not start takes the place of none.
    const left = ended.splice(0);
    try {
      if (left.length > 0) registry.change(() => db.insert(daemons).values(left).onConflictDoNothing().run());
    } finally {
      unlock?.();
      unlock = undefined;
    }
  };

  const newest = () => {
    const row = registry.read(() => db.select().from(daemons).orderBy(desc(daemons.sinceMs)).get());
    // Under the write lock, held briefly: two processes that check at once would take each other for a daemon.
    return row && registry.alone(() => isAnyServing()) ? row : undefined;
  };

  const recorded = () => {
    const rows = registry.read(() => db.select().from(daemons).orderBy(desc(daemons.sinceMs)).all());
    if (rows.length === 0) return [];
    const isServed = registry.change(() => isAnyServing());
    // The lock shows whether any of several serves, and not which of them.
    const serves = isServed && rows.length > 1 ? undefined : isServed;
    return rows.map(({ baseUrl, pid, sinceMs, version }) => ({ baseUrl, pid, sinceMs, version, serves }));
  };

  return {
    begin,
    release,
    recorded,
    recordAddress(baseUrl, pid, version) {
      begin();
      registry.change(() => {
        db.delete(daemons)
          .where(or(eq(daemons.pid, pid), eq(daemons.baseUrl, baseUrl)))
          .run();
        db.insert(daemons)
          .values({ pid, baseUrl, sinceMs: clock(), version: version ?? null })
          .run();
      });
      ended = [];
    },
    clearAddress(pid) {
      registry.stop(() => {
        db.delete(daemons).where(eq(daemons.pid, pid)).run();
      });
      release();
    },
    beginTask(task, nowMs, gapMs) {
      const name = `${task}_begun_ms`;
      const isDue = () => Math.abs(nowMs - (registry.read(() => begunMs().get(name)) ?? 0)) >= gapMs;
      // Most calls come too early, and take no lock.
      if (!isDue()) return false;
      return registry.change(() => isDue() && keepBegun().run(name, nowMs).changes === 1);
    },
    address: () => newest()?.baseUrl,
  };
}

import { desc, eq, or, sql } from 'drizzle-orm/sql';
import { errnoOf } from '../../../core/errors.ts';
import type { Daemon, DaemonStore, DaemonTask } from '../../../core/port/daemons.ts';
import { placeholders, selectMark, setMark, statement } from '../../shared/registry/statements.ts';
import { sqliteBuilder } from '../../tables/kits/sqlite.ts';
import { daemons } from '../../tables/sqlite/registry.ts';
import { holdAsDaemon, isServed, seesServed } from '../connection/locks.ts';
import { createExecutor, dialect, type Registry } from './registry.ts';

/** Each daemon locks `lockFile`. The first one that serves deletes the rows of daemons that have ended. */
export function createDaemonStore(
  registry: Registry,
  lockFile: string,
  clock: () => number,
): DaemonStore & { release(): void } {
  const { query, first } = createExecutor(registry);
  const insertDaemon = (daemon: Daemon) => query(statements.insert, daemon);
  const selectNewestFirst = () => query(statements.newestFirst);
  let unlock: (() => void) | undefined;
  let endedDaemons: Daemon[] = [];

  const isAnyServing = () => unlock !== undefined || isServed(lockFile);

  const begin = () => {
    if (unlock) return;
    // A daemon also starts on a full disk, and answers reads.
    registry.stop(() => {
      if (isAnyServing()) return;
      endedDaemons = selectNewestFirst();
      query(statements.clear);
    });
    unlock = holdAsDaemon(lockFile);
  };

  const release = () => {
    // If startup fails, restore the rows that begin() deleted.
    const daemonsToRestore = endedDaemons.splice(0);
    try {
      if (daemonsToRestore.length === 0) return;
      registry.stop(() => daemonsToRestore.forEach(insertDaemon));
    } finally {
      unlock?.();
      unlock = undefined;
    }
  };

  const recorded = () => {
    const recordedDaemons = selectNewestFirst();
    if (recordedDaemons.length === 0) return [];

    const isServed = unlock !== undefined || registry.alone(() => seesServed(lockFile));
    if (!isServed || recordedDaemons.length === 1)
      return recordedDaemons.map((daemon) => ({ ...daemon, serves: isServed }));

    // The lock shows whether any of several daemons serves, not which of them; their processes may be in other containers.
    return recordedDaemons.map((daemon) => ({
      ...daemon,
      serves: isProcessThere(daemon.pid) || undefined,
    }));
  };

  return {
    begin,
    release,
    recorded,
    recordAddress(baseUrl, pid, version) {
      begin();
      registry.stop(() => {
        query(statements.replace, { pid, baseUrl });
        insertDaemon({
          pid,
          baseUrl,
          sinceMs: clock(),
          version: version ?? null,
          certificateFromMs: null,
          certificateUntilMs: null,
        });
      });
      endedDaemons = [];
    },
    recordCertificate(pid, { fromMs, untilMs }) {
      registry.stop(() => query(statements.certify, { pid, fromMs, untilMs }));
    },
    clearAddress(pid) {
      registry.stop(() => query(statements.remove, { pid }));
      release();
    },
    taskBegunMs(task) {
      const mark = first(statements.mark, { name: markNameOf(task) });
      return mark?.value;
    },
    beginTask(task, nowMs, gapMs) {
      const name = markNameOf(task);
      const isDue = () => {
        const lastBegunMs = first(statements.mark, { name })?.value ?? 0;
        return Math.abs(nowMs - lastBegunMs) >= gapMs;
      };

      // Most calls come too early, and take no lock.
      if (!isDue()) return false;

      return registry.change(() => {
        if (!isDue()) return false;
        query(statements.setMark, { name, value: nowMs });
        return true;
      });
    },
    address() {
      const [newestDaemon] = selectNewestFirst();
      if (!newestDaemon) return undefined;
      // Under the write lock, held briefly: two processes that check at once would take each other for a daemon.
      return registry.alone(isAnyServing) ? newestDaemon.baseUrl : undefined;
    },
  };
}

/** Whether a process of this container has this id, of whichever account. */
function isProcessThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code !== 'ESRCH' && code !== 'EPERM') throw thrown;
    return code === 'EPERM';
  }
}

/** The mark with the time at which a task was last begun. */
function markNameOf(task: DaemonTask): string {
  return `${task}_begun_ms`;
}

const { pid, baseUrl, fromMs, untilMs } = placeholders('pid', 'baseUrl', 'fromMs', 'untilMs');

const statements = {
  insert: statement(() =>
    sqliteBuilder
      .insert(daemons)
      .values(
        placeholders(
          'pid',
          'baseUrl',
          'sinceMs',
          'version',
          'certificateFromMs',
          'certificateUntilMs',
        ),
      )
      .onConflictDoNothing(),
  ),
  newestFirst: statement(() => {
    return sqliteBuilder.select().from(daemons).orderBy(desc(daemons.sinceMs));
  }),
  clear: statement(() => sqliteBuilder.delete(daemons)),
  replace: statement(() => {
    const isReplaced = or(eq(daemons.pid, pid), eq(daemons.baseUrl, baseUrl));
    return sqliteBuilder.delete(daemons).where(isReplaced);
  }),
  certify: statement(() => {
    return sqliteBuilder
      .update(daemons)
      .set({ certificateFromMs: sql`${fromMs}`, certificateUntilMs: sql`${untilMs}` })
      .where(eq(daemons.pid, pid));
  }),
  remove: statement(() => {
    return sqliteBuilder.delete(daemons).where(eq(daemons.pid, pid));
  }),
  mark: selectMark(dialect),
  setMark: setMark(dialect),
};

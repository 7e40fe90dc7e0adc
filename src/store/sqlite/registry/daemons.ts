import type { Daemon, DaemonStore } from '../../../core/port/daemons.ts';
import { keepMark } from '../../registry/statements.ts';
import { holdAsDaemon, isServed, seesServed } from '../connection/locks.ts';
import type { Registry } from './registry.ts';
import { statementsOf } from './statements.ts';

/** `file` is the one that daemons lock. Rows left by ended ones are dropped when one serves while no other does. */
export function createDaemonStore(
  registry: Registry,
  file: string,
  clock: () => number,
): DaemonStore & { release(): void } {
  const { query } = statementsOf(registry);
  const insert = ({ pid, baseUrl, sinceMs, version }: Daemon) =>
    query(insertDaemon, [pid, baseUrl, sinceMs, version]);
  let unlock: (() => void) | undefined;
  let ended: Daemon[] = [];

  const isAnyServing = () => unlock !== undefined || isServed(file);
  const begin = () => {
    if (unlock) return;
    // A daemon also starts on a full disk, and answers reads.
    registry.stop(() => {
      if (!isAnyServing()) ended = query<Daemon>(`delete from daemons returning ${columns}`);
    });
    unlock = holdAsDaemon(file);
  };
  const release = () => {
    // One that could not start takes the place of none.
    const left = ended.splice(0);
    try {
      if (left.length > 0) registry.stop(() => left.forEach(insert));
    } finally {
      unlock?.();
      unlock = undefined;
    }
  };

  const newestFirst = () => query<Daemon>(`select ${columns} from daemons order by since_ms desc`);

  const recorded = () => {
    const rows = newestFirst();
    if (rows.length === 0) return [];
    const isServed = unlock !== undefined || registry.alone(() => seesServed(file));
    // The lock shows whether any of several serves, and not which of them.
    const serves = isServed && rows.length > 1 ? undefined : isServed;
    return rows.map((row) => ({ ...row, serves }));
  };

  return {
    begin,
    release,
    recorded,
    recordAddress(baseUrl, pid, version) {
      begin();
      registry.stop(() => {
        query('delete from daemons where pid = $1 or base_url = $2', [pid, baseUrl]);
        insert({ pid, baseUrl, sinceMs: clock(), version: version ?? null });
      });
      ended = [];
    },
    clearAddress(pid) {
      registry.stop(() => query('delete from daemons where pid = $1', [pid]));
      release();
    },
    beginTask(task, nowMs, gapMs) {
      const name = `${task}_begun_ms`;
      const begun = () =>
        query<{ value: number }>('select value from marks where name = $1', [name])[0];
      const isDue = () => Math.abs(nowMs - (begun()?.value ?? 0)) >= gapMs;
      // Most calls come too early, and take no lock.
      if (!isDue()) return false;
      return registry.change(() => {
        if (!isDue()) return false;
        query(keepMark, [name, nowMs]);
        return true;
      });
    },
    address() {
      const [newest] = newestFirst();
      // Under the write lock, held briefly: two processes that check at once would take each other for a daemon.
      return newest && registry.alone(() => isAnyServing()) ? newest.baseUrl : undefined;
    },
  };
}

const columns = 'pid, base_url as "baseUrl", since_ms as "sinceMs", version';
const insertDaemon =
  'insert into daemons (pid, base_url, since_ms, version) values ($1, $2, $3, $4) on conflict do nothing';

import { randomUUID } from 'node:crypto';
import { isHkctlError } from '../../../core/errors.ts';
import type { DaemonStore, DaemonTask, RecordedDaemon } from '../../../core/port/daemons.ts';
import type { Database } from '../connection/database.ts';
import { isShownMs } from '../connection/shown-instants.ts';
import type { Generations } from './generations.ts';

const heartbeatMs = 500;
/** A daemon admits no request later than this after it began a write that was committed. */
const leaseMs = 2000;
/** A daemon whose heartbeat is older has ended. */
const aliveMs = 10_000;

/** SQL for the time of the database in epoch ms. */
export const nowSql = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * The daemons that serve the store, each a row with a heartbeat by the database's clock. A heartbeat that is not committed
 * ends the daemon's right to let requests in: an isolated old primary still answers reads, but confirms no write.
 */
export function createDaemonStore(
  database: Database,
  generations: Generations,
  clock: () => number,
): DaemonStore & { release(): Promise<void> } {
  const id = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> | undefined;
  let confirmedAt = 0;
  let { epoch } = database;
  const beat = async () => {
    const sentAt = performance.now();
    await database.exclusively((session) => session.query(beatOrBegin, [id, process.pid, clock()]));
    confirmedAt = sentAt;
    generations.lease(sentAt + leaseMs);
  };
  /** Another server may be the primary by now, while the old one still answers reads. */
  const leaveSilentServer = () => {
    const now = performance.now();
    // A new connection is given as long.
    if (database.epoch !== epoch) confirmedAt = now;
    ({ epoch } = database);
    if (now - confirmedAt <= leaseMs) return;
    confirmedAt = now;
    database.reconnect('it confirms no write');
  };
  const begin = async () => {
    if (timer !== undefined) return;
    await beat();
    timer = setInterval(() => {
      leaveSilentServer();
      // While one waits for the database, another would only wait behind it. Without any the lease ends by itself, and every
      // request reports why.
      beating ??= beat()
        .catch(() => {})
        .finally(() => {
          beating = undefined;
        });
    }, heartbeatMs);
    timer.unref();
  };
  const release = async () => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    await beating;
    generations.lease(undefined);
    try {
      await database.query('delete from daemons where id = $1', [id]);
    } catch (thrown) {
      // A daemon may end while the database is away: without heartbeats its row counts no more.
      if (!isHkctlError(thrown) || thrown.code !== 'store_unreachable') throw thrown;
    }
  };

  const recorded = () => database.query<RecordedDaemon>(selectRecorded);

  return {
    begin,
    release,
    async recordAddress(baseUrl, _pid, version) {
      await begin();
      await database.query(`delete from daemons where not (${isAlive})`);
      await database.query('update daemons set base_url = $2, version = $3 where id = $1', [
        id,
        baseUrl,
        version ?? null,
      ]);
    },
    clearAddress: release,
    recorded,
    async beginTask(task, nowMs, gapMs) {
      return (await database.query(beginTask, [markOf(task), nowMs, gapMs])).length > 0;
    },
    async taskBegunMs(task) {
      const [mark] = await database.query<{ value: number }>(selectTask, [markOf(task)]);
      return mark?.value;
    },
    address: async () => (await recorded()).find(({ serves }) => serves)?.baseUrl,
  };
}

/** SQL that is true for the row of a daemon that serves. One from the future is from before the clock was set back. */
export const isAlive = `seen_at_ms between ${nowSql} - ${aliveMs} and ${nowSql} + ${aliveMs}`;

const selectRecorded = `select left(base_url, 2048) as "baseUrl", pid, since_ms as "sinceMs", left(version, 64) as version, ${isAlive} as serves
  from daemons where base_url is not null and ${isShownMs('since_ms')} order by since_ms desc limit 1000`;

/** The mark with the time at which a task was last begun. */
function markOf(task: DaemonTask): string {
  return `${task}_begun_ms`;
}

const selectTask = 'select value from marks where name = $1';

const beginTask = `insert into marks (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value
  where abs(excluded.value - marks.value) >= $3 returning 1`;

const beatOrBegin = `insert into daemons (id, pid, since_ms, seen_at_ms) values ($1, $2, $3, ${nowSql})
  on conflict (id) do update set seen_at_ms = excluded.seen_at_ms`;

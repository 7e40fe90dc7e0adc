import { randomUUID } from 'node:crypto';
import { isHkctlError } from '../../../core/errors.ts';
import type { DaemonStore, DaemonTask, RecordedDaemon } from '../../../core/port/daemons.ts';
import type { Database } from '../connection/database.ts';
import { isShownMs } from '../connection/shown-instants.ts';
import type { ChangeCounters } from './change-counters.ts';

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
  changeCounters: ChangeCounters,
): DaemonStore & { release(): Promise<void> } {
  const daemonId = randomUUID();
  let heartbeatTimer: NodeJS.Timeout | undefined;
  let currentBeat: Promise<void> | undefined;

  const beat = async () => {
    const sentAtMs = performance.now();
    await database.query(beatOrBegin, [daemonId, process.pid], 'gate');
    changeCounters.lease(sentAtMs + leaseMs);
  };

  const begin = async () => {
    if (heartbeatTimer !== undefined) return;
    await beat();
    heartbeatTimer = setInterval(() => {
      // While one waits for the database, another would only wait behind it. Without any the lease ends by itself, and every
      // request reports why.
      currentBeat ??= beat()
        .catch(() => {})
        .finally(() => {
          currentBeat = undefined;
        });
    }, heartbeatMs);
    heartbeatTimer.unref();
  };

  const release = async () => {
    if (heartbeatTimer === undefined) return;
    clearInterval(heartbeatTimer);
    heartbeatTimer = undefined;
    await currentBeat;
    changeCounters.lease(undefined);
    try {
      await database.query(`delete from daemons where id = $1 or (${isSucceeded})`, [daemonId]);
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
        daemonId,
        baseUrl,
        version ?? null,
      ]);
    },
    async recordCertificate(_pid, { fromMs, untilMs }) {
      await database.query(
        'update daemons set certificate_from_ms = $2, certificate_until_ms = $3 where id = $1',
        [daemonId, fromMs, untilMs],
      );
    },
    clearAddress: release,
    recorded,
    async beginTask(task, nowMs, gapMs) {
      const markName = markNameOf(task);
      const taskRows = await database.query(beginTask, [markName, nowMs, gapMs]);
      return taskRows.length > 0;
    },
    async taskBegunMs(task) {
      const markName = markNameOf(task);
      const [mark] = await database.query<{ value: number }>(selectTask, [markName]);
      return mark?.value;
    },
    async address() {
      const daemons = await recorded();
      return daemons.find(({ serves }) => serves)?.baseUrl;
    },
  };
}

/** SQL that is true for the row of a daemon that serves. A heartbeat in the future is from before the clock was set back. */
export const isAlive = `seen_at_ms between ${nowSql} - ${aliveMs} and ${nowSql} + ${aliveMs}`;

/** SQL that is true for the row of a daemon that ended before another one served. A restart may be sooner than its end is known. */
const isSucceeded = `not (${isAlive}) and exists (
  select from daemons as successor
  where successor.base_url is not null and successor.id <> daemons.id
    and successor.since_ms > daemons.seen_at_ms)`;

const selectRecorded = `select left(base_url, 2048) as "baseUrl", pid, since_ms as "sinceMs",
    left(version, 64) as version, ${isAlive} as serves,
    certificate_from_ms as "certificateFromMs", certificate_until_ms as "certificateUntilMs"
  from daemons
  where base_url is not null and not (${isSucceeded}) and ${isShownMs('since_ms')}
  order by since_ms desc limit 1000`;

/** The mark with the time at which a task was last begun. */
function markNameOf(task: DaemonTask): string {
  return `${task}_begun_ms`;
}

const selectTask = 'select value from marks where name = $1';

const beginTask = `insert into marks (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value
  where abs(excluded.value - marks.value) >= $3 returning 1`;

const beatOrBegin = `insert into daemons (id, pid, since_ms, seen_at_ms) values ($1, $2, ${nowSql}, ${nowSql})
  on conflict (id) do update set seen_at_ms = excluded.seen_at_ms`;

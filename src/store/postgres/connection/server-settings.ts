import { errnoOf } from '../../../core/errors.ts';
import type { Location } from '../address/location.ts';
import { asOfDriver } from '../errors/errors.ts';

const oldestVersion = 150_000;

/** Facts that a new session learns of its server. */
export interface SessionServer {
  /** Such as 150004. */
  version: number;
  /** The start of the server, by which it can be distinguished from another one at the same address. */
  startedAt: string;
  /** The number of its process for this session. */
  pid: number;
}

interface Settings extends SessionServer {
  standby: boolean;
  readonly: boolean;
  encoding: string;
}

interface Sender {
  send<Row>(statement: { text: string }): Promise<{ rows: Row[] }>;
}

/**
 * Makes a new session independent of the defaults of the server. Refuses an old server and another encoding
 * (`store_unreadable`), and one that cannot be written (`store_unreachable`).
 */
export async function prepareSession(
  session: Sender,
  { schema, target }: Location,
  findsByKey: boolean,
): Promise<SessionServer> {
  const { rows } = await session
    .send<Settings>({ text: settingsSql(schema, findsByKey) })
    .catch((thrown: unknown) => {
      // A setting that the server does not know.
      throw errnoOf(thrown) === '42704' ? asOfDriver('TOO_OLD', thrown) : thrown;
    });
  const [settings] = rows;
  if (!settings) throw new Error('the server returned no settings');
  const { standby, readonly, encoding, ...server } = settings;
  if (server.version < oldestVersion) throw asOfDriver('TOO_OLD');
  if (encoding !== 'UTF8') throw asOfDriver('NOT_UTF8');
  if (target === 'read-write' && (standby || readonly)) throw asOfDriver('25006');
  return server;
}

/**
 * Settings with which the planner finds rows by their keys, and walks an index in its order. A growing table is rarely
 * analyzed, and without statistics the planner would scan and sort all of it. Citus can distribute few statements by a generic
 * plan, so that there the planner chooses.
 */
export const byKey = {
  enable_seqscan: "'off'",
  enable_bitmapscan: "'off'",
  enable_hashjoin: "'off'",
  enable_mergejoin: "'off'",
  enable_sort: "'off'",
  enable_incremental_sort: "'off'",
  plan_cache_mode: `case when to_regclass('pg_catalog.pg_dist_partition') is null then 'force_generic_plan' else 'auto' end`,
} as const;

const settingsSql = (
  schema: string,
  findsByKey: boolean,
) => `select current_setting('server_version_num')::int as version,
  pg_is_in_recovery() as standby, pg_postmaster_start_time()::text as "startedAt",
  pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as readonly,
  current_setting('server_encoding') as encoding,
  ${Object.entries({
    search_path: `'"${schema}"'`,
    timezone: "'UTC'",
    datestyle: "'ISO'",
    extra_float_digits: "'1'",
    bytea_output: "'hex'",
    standard_conforming_strings: "'on'",
    array_nulls: "'on'",
    client_min_messages: "'warning'",
    jit: "'off'",
    lock_timeout: "'5s'",
    // The connections of a daemon wait for work.
    idle_session_timeout: "'0'",
    default_transaction_isolation: "'read committed'",
    synchronous_commit: `case when current_setting('synchronous_commit') in ('off', 'local') then 'on'
    else current_setting('synchronous_commit') end`,
    ...(findsByKey && byKey),
  })
    .map(([setting, expression]) => `set_config('${setting}', ${expression}, false)`)
    .join(',\n  ')}`;

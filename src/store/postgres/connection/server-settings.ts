import { HkctlError } from '../../../core/errors.ts';
import type { Location } from '../address/location.ts';
import { isUnknownSetting, notPostgres } from './errors.ts';
import { queryUnlimited } from './time-limits.ts';

const oldestVersion = 15;

interface Settings {
  /** Such as 150004. */
  version: number;
  /** The start of the server, by which it can be distinguished from another one at the same address. */
  server: string;
  /** The process of the server that serves the connection. */
  pid: number;
  standby: boolean;
  readonly: boolean;
  encoding: string;
}

/** A session, as far as this needs it. */
interface Sender {
  version: number;
  send<Row>(config: string): Promise<{ rows: Row[] }>;
}

/**
 * Makes a new session independent of the defaults of the server, and refuses servers that a store cannot be kept on:
 * `store_unreadable` for an old one or another encoding, `store_unreachable` for one that cannot be written.
 */
export async function prepareSession(
  session: Sender,
  { schema, target, shown }: Location,
): Promise<Pick<Settings, 'version' | 'server' | 'pid'>> {
  const [settings] = await queryUnlimited<Settings>(session, settingsSql(schema)).catch(async (thrown: unknown) => {
    // A server from before one of the settings.
    if (isUnknownSetting(thrown)) requireVersion(await readVersion(session), shown);
    throw thrown;
  });
  if (!settings || !isComplete(settings)) throw notPostgres('settings are missing');
  const { version, server, pid, standby, readonly, encoding } = settings;
  requireVersion(version, shown);
  if (encoding !== 'UTF8') {
    throw new HkctlError(
      'store_unreadable',
      `The database of ${shown} has the encoding ${encoding}; hkctl needs UTF8.`,
      {
        hint: 'Make a database with: createdb --encoding=UTF8 --template=template0 NAME',
      },
    );
  }
  if (target === 'read-write' && (standby || readonly)) {
    throw new HkctlError(
      'store_unreachable',
      `The PostgreSQL store ${shown} is read-only: it is a standby, or was set so.`,
      {
        hint: 'Name the primary, or all servers with target_session_attrs=read-write in the address.',
      },
    );
  }
  return { version, server, pid };
}

const settingsSql = (schema: string) => `select current_setting('server_version_num')::int as version,
  pg_is_in_recovery() as standby, pg_postmaster_start_time()::text as server,
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
  })
    .map(([name, value]) => `set_config('${name}', ${value}, false)`)
    .join(',\n  ')}`;

async function readVersion(session: Sender): Promise<number> {
  const { rows } = await session.send<{ server_version_num: string }>('show server_version_num');
  return Number(rows[0]?.server_version_num);
}

/** What is no server of PostgreSQL may answer anything; the encoding is shown. */
function isComplete({ version, server, encoding }: Settings): boolean {
  return Number.isInteger(version) && typeof server === 'string' && /^\w{1,40}$/.test(encoding);
}

function requireVersion(version: number, shown: string): void {
  if (!Number.isInteger(version)) throw notPostgres('it has no version');
  const major = Math.floor(version / 10_000);
  if (major >= oldestVersion) return;
  throw new HkctlError(
    'store_unreadable',
    `The PostgreSQL server of ${shown} has version ${major}; hkctl needs 15 or newer.`,
    {
      hint: 'Upgrade the server, or keep the store in SQLite.',
    },
  );
}

import type { ServerFacts } from '../../core/operations/doctor-server.ts';
import type { StoreInspection } from '../../core/operations/inspection.ts';
import type { Database } from './connection/database.ts';
import { sizeSql } from './registry/metrics.ts';
import { readPlace, schemaVersion } from './schema/schema-version.ts';

/** What `hkctl doctor` checks of a store on PostgreSQL; `using` connects for one check. */
export function inspectStore(using: <T>(work: (database: Database) => Promise<T>) => Promise<T>): StoreInspection {
  return {
    databases: [],
    versions: () =>
      using(async (database) => {
        const { version } = await readPlace(await database.session());
        return [{ database: 'store', version, wanted: schemaVersion }];
      }),
    foreign: () => using(async (database) => [{ database: 'store', what: await foreignObjects(database) }]),
    server: () => using(serverFacts),
    sizeBytes: () => using(sizeOf),
  };
}

/** The size of the schema's tables with their indexes; the database may hold other schemas. */
async function sizeOf(database: Database): Promise<number> {
  const [found] = await database.query<{ value: number }>('inspect.size', sizeSql);
  return found?.value ?? 0;
}

/** Triggers and rules, of which our migrations make none: they would run inside our statements. */
async function foreignObjects(database: Database): Promise<string[]> {
  const rows = await database.query<{ what: string }>(
    'inspect.foreign',
    `select format('a trigger %I on %I', t.tgname, c.relname) as what from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal
      union all select format('a rule %I on %I', r.rulename, c.relname) from pg_rewrite r join pg_class c on c.oid = r.ev_class
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      union all select format('a policy %I on %I', p.polname, c.relname) from pg_policy p join pg_class c on c.oid = p.polrelid
        where c.relnamespace = current_schema()::regnamespace
      order by 1`,
  );
  return rows.map(({ what }) => what);
}

interface Row extends Omit<ServerFacts, 'standbys' | 'readings' | 'skewMs'> {
  following: number;
  synchronous: number;
  unseen: number;
  dead: number;
  live: number;
  nowMs: number;
}

async function serverFacts(database: Database): Promise<ServerFacts> {
  const before = Date.now();
  const [row] = await database.query<Row>(
    'inspect.server',
    `select 'PostgreSQL ' || current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as "databaseBytes",
      current_setting('fsync') = 'on' as syncs,
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('synchronous_standby_names') as "synchronousStandbys",
      (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
      has_table_privilege('audit', 'update') or has_table_privilege('audit', 'delete') as "canChangeAudit",
      (select count(*) from pg_stat_replication)::int as following,
      (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum'))::int as synchronous,
      (select count(*) from pg_stat_replication where sync_state is null)::int as unseen,
      (select coalesce(sum(n_dead_tup), 0)::float8 from pg_stat_user_tables where relid = 'readings'::regclass) as dead,
      (select coalesce(sum(n_live_tup), 0)::float8 from pg_stat_user_tables where relid = 'readings'::regclass) as live,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  );
  if (!row) throw new Error('the server returned no facts');
  const { following, synchronous, unseen, dead, live, nowMs, ...facts } = row;
  return {
    ...facts,
    // Only members of pg_monitor see the state of standbys.
    standbys: unseen > 0 ? undefined : { following, synchronous },
    readings: { dead, live },
    skewMs: nowMs - (before + Date.now()) / 2,
  };
}

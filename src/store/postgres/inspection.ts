import type { ServerInspection, StoreInspection } from '../../core/operations/inspection.ts';
import type { Database } from './connection/database.ts';
import { sizeSql } from './registry/metrics.ts';
import { readPlace, schemaVersion } from './schema/schema-version.ts';

export function inspectStore(
  using: <T>(work: (database: Database) => Promise<T>) => Promise<T>,
): StoreInspection {
  return {
    databases: [],
    versions: () =>
      using(async (database) => {
        const { version } = await database.exclusively(readPlace);
        return [{ database: 'store', version, wanted: schemaVersion }];
      }),
    foreign: () =>
      using(async (database) => {
        const foreignRows = await database.query<{ difference: string }>(foreignSql);
        return [
          {
            database: 'store',
            tables: [],
            differences: foreignRows.map(({ difference }) => difference),
          },
        ];
      }),
    server: () => using(serverFacts),
    sizeBytes: () => using(sizeOf),
  };
}

/** Triggers and views in the schema: the migrations make none of them. */
const foreignSql = `select format('a trigger %I on %I', tgname, relname) as difference from pg_trigger join pg_class c on c.oid = tgrelid
    where relnamespace = current_schema()::regnamespace and not tgisinternal
  union all select format('the view %I', relname) from pg_class c
    where relnamespace = current_schema()::regnamespace and relkind in ('v', 'm')
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
  order by difference`;

/** The size of the schema's tables with their indexes; the database may hold other schemas. */
async function sizeOf(database: Database): Promise<number> {
  const [sizeRow] = await database.query<{ value: number }>(sizeSql);
  return sizeRow?.value ?? 0;
}

async function serverFacts(database: Database): Promise<ServerInspection> {
  const before = Date.now();
  const [row] = await database.query<Omit<ServerInspection, 'skewMs'> & { nowMs: number }>(
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
      (select coalesce(sum(n_dead_tup), 0)::float8 from pg_stat_user_tables where relid = 'readings'::regclass::oid) as dead,
      (select coalesce(sum(n_live_tup), 0)::float8 from pg_stat_user_tables where relid = 'readings'::regclass::oid) as live,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  );
  if (!row) throw new Error('the server returned no facts');
  const { nowMs, ...facts } = row;
  return { ...facts, skewMs: nowMs - (before + Date.now()) / 2 };
}

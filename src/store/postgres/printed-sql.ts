import type { ResourceDefinition } from '../../core/fields/fields.ts';
import { isStoreAddress } from '../../core/store-address.ts';
import { tableName } from '../tables/record-names.ts';
import { parseLocation, usualSchema } from './address/location.ts';
import { schemaVersion } from './schema/schema-version.ts';

/** The schema of the store at an address, or the usual one if a file is named; `usage` for a wrong address. */
export function schemaOf(
  location: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return isStoreAddress(location) ? parseLocation(location, env).schema : usualSchema;
}

/**
 * SQL that makes the three roles of a store with the least rights (promise 7.2). A superuser runs it in the database of the
 * store, or its owner with CREATEROLE: before `init`, and again after `init` and every `migrate`. A second run changes nothing.
 */
export function rolesSql(schema: string): string {
  const quotedSchema = `"${schema}"`;
  return `-- Roles of hkctl for the schema ${schema}. Run it in the database of the store, as a superuser, or as the owner
-- of the database with CREATEROLE, as managed servers have it:
--   psql -d DATABASE -f FILE
-- Run it first, then hkctl init as hkctl_owner, then run it again; also after every hkctl migrate.
-- Set passwords with \\password in psql, or let pg_hba.conf admit the roles by peer or certificate.
begin;

do $$
begin
  if not exists (select from pg_roles where rolname = 'hkctl_owner') then create role hkctl_owner login; end if;
  if not exists (select from pg_roles where rolname = 'hkctl_admin') then create role hkctl_admin login; end if;
  if not exists (select from pg_roles where rolname = 'hkctl_daemon') then create role hkctl_daemon login; end if;
end $$;

-- Who is no superuser makes the schema, and grants rights on its tables, as a member of their owner.
do $$
begin
  if not pg_has_role(current_user, 'hkctl_owner', 'usage') then grant hkctl_owner to current_user; end if;
end $$;

-- Also if public may no longer connect. Imports and restores use temporary tables.
do $$
begin
  execute format('grant connect on database %I to hkctl_owner, hkctl_admin, hkctl_daemon', current_database());
  execute format('grant temporary on database %I to hkctl_owner, hkctl_admin', current_database());
end $$;

-- owner: owns the tables, makes them (init) and changes them (migrate). No daemon or person uses it every day.
create schema if not exists ${quotedSchema} authorization hkctl_owner;
do $$
declare
  it regclass;
begin
  -- The role that created the store: only the owner of a table can migrate it.
  if exists (select from pg_namespace where nspname = '${schema}' and nspowner <> 'hkctl_owner'::regrole) then
    alter schema ${quotedSchema} owner to hkctl_owner;
  end if;
  for it in select oid from pg_class where relnamespace = '${quotedSchema}'::regnamespace and relkind in ('r', 'p')
      and relowner <> 'hkctl_owner'::regrole loop
    execute format('alter table %s owner to hkctl_owner', it);
  end loop;
end $$;
revoke all on schema ${quotedSchema} from public;
grant usage, create on schema ${quotedSchema} to hkctl_owner;

-- admin: the commands. It may read and add audit records, and neither change nor remove them.
grant usage on schema ${quotedSchema} to hkctl_admin, hkctl_daemon;
grant select, insert, update, delete on all tables in schema ${quotedSchema} to hkctl_admin;
grant usage on all sequences in schema ${quotedSchema} to hkctl_admin;

-- daemon: reads keys and records; writes uses and usage of keys, limits, heartbeats of its own, and readings.
grant select on all tables in schema ${quotedSchema} to hkctl_daemon;
do $$
begin
  if to_regclass('${quotedSchema}.store_version') is null then
    raise notice 'There are no tables yet: run hkctl init as hkctl_owner, then this again.';
    return;
  elsif (select version from ${quotedSchema}.store_version) < ${schemaVersion} then
    raise notice 'The tables are those of an older hkctl: run hkctl migrate as hkctl_owner, then this again.';
    return;
  end if;
  revoke update, delete, truncate on ${quotedSchema}.audit from hkctl_admin, hkctl_daemon;
  revoke delete, truncate on ${quotedSchema}.audit_head from hkctl_admin, hkctl_daemon;
  revoke update, delete, truncate on ${quotedSchema}.journal from hkctl_admin, hkctl_daemon;
  revoke insert, update, delete on ${quotedSchema}.store_version from hkctl_admin, hkctl_daemon;
  revoke insert, delete on ${quotedSchema}.generations from hkctl_admin, hkctl_daemon;
  grant insert, update, delete on ${quotedSchema}.daemons, ${quotedSchema}.limit_counts to hkctl_daemon;
  grant insert, update on ${quotedSchema}.key_uses, ${quotedSchema}.key_usage, ${quotedSchema}.marks to hkctl_daemon;
  -- Usage of days that are no longer kept.
  grant delete on ${quotedSchema}.key_usage to hkctl_daemon;
  grant insert on ${quotedSchema}.readings, ${quotedSchema}.heartbeats, ${quotedSchema}.series, ${quotedSchema}.record_entities to hkctl_daemon;
  -- Readings past the retention of their organization are replaced by sums.
  grant insert, update on ${quotedSchema}.day_sums, ${quotedSchema}.drops to hkctl_daemon;
  grant delete on ${quotedSchema}.readings to hkctl_daemon;
  grant update (last_series) on ${quotedSchema}.record_entities to hkctl_daemon;
end $$;

commit;`;
}

/**
 * SQL that distributes the tables of records and readings by entity over the workers of Citus. Keys, users and the audit trail
 * stay on the coordinator: a copy of a key on a worker could still admit it after its revocation was answered.
 */
export function citusSql(schema: string, resources: readonly ResourceDefinition[]): string {
  const tables = [...entityTables, ...resources.map(tableName)];
  const colocated = `'${schema}.readings'`;
  const distributions = tables.map((table) => distribute(schema, table, colocated));
  return `-- Distribution of the store in the schema ${schema} by entity. Run it once, after hkctl init and before data is loaded
-- (later it works as well, and moves the rows), as the owner of the tables on the coordinator of Citus:
--   psql -d DATABASE -f FILE
create extension if not exists citus;
${distribute(schema, 'readings', "'none'")}
${distributions.join('\n')}
-- The tables of the registry and record_entities stay where they are: on the coordinator.`;
}

/** Tables other than those of resources whose rows belong to one entity; `readings` comes first. */
const entityTables = [
  'series',
  'heartbeats',
  'day_sums',
  'drops',
  'record_changes',
  'removed_records',
];

function distribute(schema: string, table: string, colocated: string): string {
  return `select create_distributed_table('${schema}.${table}', 'entity', colocate_with => ${colocated});`;
}

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { engineAt } from '../../../src/store/open.ts';
import { atEndOfFile } from '../../ends.ts';
import { onceForAll } from '../../once.ts';
import { storeOptions } from '../stores.ts';
import { sharedServer } from './shared-server.ts';

/** Address of a new database of the shared server, dropped after the file of tests: empty, or with an empty store in it. */
export async function newDatabase(content: 'empty' | 'store' = 'empty'): Promise<string> {
  if (content === 'empty') return databaseFrom('template0');
  return copiedDatabase('hkctl_template', async (address) => {
    await (await engineAt(address, { ...storeOptions, clock: Date.now }).create()).close();
  });
}

/** A new database, too: a copy of one that `make` fills once for all files of tests. */
export async function copiedDatabase(
  template: string,
  make: (address: string) => Promise<void>,
): Promise<string> {
  const folder = inject('postgresFolder');
  const server = await sharedServer(folder);
  await onceForAll(folder, template, async () => {
    await onServer(server, `drop database if exists ${template}`);
    await onServer(server, `create database ${template} template template0 encoding 'UTF8'`);
    await make(addressOf(server, template));
  });
  return databaseFrom(template);
}

async function databaseFrom(template: string): Promise<string> {
  const server = await sharedServer(inject('postgresFolder'));
  const name = `hkctl_test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${name} template ${template} strategy file_copy`);
  atEndOfFile(() => onServer(server, `drop database ${name} with (force)`));
  return addressOf(server, name);
}

/** Makes the store at an address as empty as a new one, in a tenth of the time that a new database takes. */
export async function emptyStore(address: string): Promise<void> {
  await onServer(
    address,
    `do $$
      declare
        name text;
        isFilled boolean;
        filled text[] := '{}';
      begin
        for name in select format('hkctl.%I', tablename) from pg_tables
            where schemaname = 'hkctl' and tablename not in ('store_version', 'audit_head', 'generations') loop
          execute 'select exists (select 1 from ' || name || ')' into isFilled;
          if isFilled then filled := filled || name; end if;
        end loop;
        if filled <> '{}' then
          execute 'truncate ' || array_to_string(filled, ', ') || ' restart identity cascade';
        end if;
        update hkctl.audit_head set last_seq = 0;
        update hkctl.generations set value = 0;
      end $$`,
  );
}

/** Makes a store one of the schema of 0.1.0: takes away what the migration after it has added. */
export async function makeOlder(address: string): Promise<void> {
  await onServer(
    address,
    'alter table hkctl.users drop column entity_ids',
    'alter table hkctl.sensors drop column silent_after',
    'drop index hkctl.key_usage_refused, hkctl.keys_live_named',
    // The constraint goes with the column.
    'alter table hkctl.key_usage drop column last_address',
    'alter table hkctl.key_usage add constraint key_usage_valid check (count >= 0)',
    'drop table hkctl.pending_steps',
    'drop table hkctl.day_sums',
    `create table hkctl.summaries (
      entity integer not null, series integer not null, hour_us bigint not null, count bigint not null,
      min double precision not null, max double precision not null, mean double precision not null,
      first double precision not null, last double precision not null,
      first_at_us bigint not null, last_at_us bigint not null, primary key (entity, series, hour_us))`,
    'alter table hkctl.daemons drop column certificate_from_ms, drop column certificate_until_ms',
    'alter table hkctl.tenants drop column longest_lifetime_days',
    'update hkctl.store_version set version = 3',
  );
}

/** The address of another database of a server. */
export function addressOf(server: string, database: string): string {
  return server.replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${database}`);
}

/** Runs statements as the superuser of a server, in the database that the address names. */
export async function onServer(address: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: address });
  // A server that ends by a statement also cuts the connection; the statement itself says so.
  client.on('error', () => {});
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

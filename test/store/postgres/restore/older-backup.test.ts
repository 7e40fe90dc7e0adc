import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chainRecord } from '../../../../src/core/audit/chain.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { backupTables, completeBackup } from '../../../../src/store/backup-file/format.ts';
import { createPrivate } from '../../../../src/store/backup-file/rows.ts';
import { engineAt } from '../../../../src/store/open.ts';
import {
  databaseNames,
  makeTables,
} from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';
import { draftOf, nowMs } from '../../stores.ts';
import { newDatabase } from '../databases.ts';

const migrationsFolder = join(process.cwd(), 'migrations');
const options = { clock: () => nowMs, migrationsFolder };

it('a backup of the first version of hkctl can be restored into PostgreSQL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-old-'));
  const file = join(folder, 'old.backup');
  const backup = createPrivate(file);
  for (const statement of backupTables) backup.exec(statement);
  backup.exec(`insert into backup values ('created_at_ms', ${nowMs})`);
  for (const name of databaseNames) {
    makeTables(backup, name, 1, migrationsFolder);
    backup.exec(`insert into backup values ('${name}_version', 1)`);
  }
  backup.exec(`insert into tenants values ('t', 'Acme', 'monday', 1);
    insert into users values ('u', 't', 'ada', 'Ada', 'super_user', 'active', 1);
    insert into entities values ('e', 't', 'BER', 'Berlin', 'UTC', 'active', 1);
    insert into keys (id, tenant_id, prefix, secret_hash, name, permissions, entity_id, created_by, created_at_ms, last_used_at_ms)
      values ('k', 't', 'hk_12345', 'hash', 'one', '[]', 'e', 'u', 2, 7);
    insert into record_entities values (70, 'e');
    insert into sensors (entity, id, code, name, is_active, updated_at) values (70, 's', 'S', 'S', 1, '2026');
    insert into series values (900, 'e', 's');
    insert into readings values (900, 5, 1.5, 1)`);
  const {
    actor: _actor,
    detail,
    ...record
  } = chainRecord(draftOf('t', 'store.init', 'Acme'), undefined);
  const columns =
    'seq, tenant_id, at_ms, action, os_account, target, outcome, previous_hash, hash, detail';
  const { seq, tenantId, atMs, action, osAccount, target, outcome, previousHash, hash } = record;
  const values = [
    seq,
    tenantId,
    atMs,
    action,
    osAccount,
    target,
    outcome,
    previousHash,
    hash,
    JSON.stringify(detail),
  ];
  backup
    .prepare(`insert into audit (${columns}) values (${values.map(() => '?').join(', ')})`)
    .run(values);
  completeBackup(backup, undefined);
  // A backup of that version carries no digest.
  backup.pragma(`application_id = ${0x68_6b_62_31}`);
  backup.close();
  const address = await newDatabase();
  const temporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith('hkctl-backup-'));
  const before = temporary();
  await engineAt(address, options).restore(file, { authorize() {}, confirm() {}, audit() {} });
  expect(temporary().filter((name) => !before.includes(name))).toEqual([]);
  const store = await engineAt(address, options).open();
  expect(await store.keys.list('t', { nowMs }, { limit: 5 })).toMatchObject([
    { id: 'k', allowedIps: [], note: null, lastUsedAtMs: 7 },
  ]);
  expect(await store.records.get(sensors, 'e', 's')).toContain('"S"');
  const series = (await store.readings.directory('e')).get('S')?.series ?? 0;
  expect(await store.readings.range({ series, limit: 9 })).toEqual([
    { atUs: 5, value: 1.5, quality: 'good' },
  ]);
  await store.close();
  rmSync(folder, { recursive: true });
});

import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { schemaVersions } from '../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { Cli } from '../../../cli/harness.ts';
import { tamper } from '../../../cli/tamper.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
  makeOld(cli.store);
});

/** Makes the registry one of schema 1, by taking away what its later migrations have added. */
function makeOld(store: string): void {
  const added = {
    keys: ['allowed_ips', 'note', 'last_used_ip'],
    tenants: ['retain_readings_days'],
    daemons: ['version'],
    users: ['entity_ids'],
  };
  const statements = Object.entries(added).flatMap(([table, columns]) =>
    columns.map((column) => `alter table ${table} drop column ${column}`),
  );
  tamper(store, [...statements, 'drop table key_usage', 'pragma user_version = 1'].join(';'));
}

function versionOf(file: string): unknown {
  const connection = openDatabase(file, { readonly: true });
  try {
    return connection.pragma('user_version', { simple: true });
  } finally {
    connection.close();
  }
}

const backups = () => readdirSync(dirname(cli.store)).filter((name) => name.endsWith('.backup'));

describe('migrate', () => {
  it('writes a backup of the old store, then applies the steps and audits both', async () => {
    expect((await cli.run('keys list --json')).error().code).toBe('store_too_old');
    const { applied, backup } = (await cli.ok('migrate --json')).json<{
      applied: number;
      backup: string;
    }>();
    expect([applied, backups()]).toEqual([
      schemaVersions.registry - 1,
      ['hkctl.before-migrate-20261120T080000Z.backup'],
    ]);
    expect(backup).toBe(join(dirname(cli.store), backups()[0] ?? ''));
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({
      action: 'store.migrate',
      outcome: 'done',
      detail: { applied, backup },
    });
    // The backup is a whole store of its time.
    const other = new Cli(join(dirname(dirname(cli.store)), 'other', 'hkctl.db'));
    await other.ok(['restore', backup, '--yes']);
    expect((await other.ok('entities list --json')).json<unknown[]>()).toHaveLength(2);
  });

  it('writes none with --without-backup, and none where there is nothing to do', async () => {
    expect((await cli.ok('migrate --without-backup --json')).json()).toEqual({
      applied: schemaVersions.registry - 1,
    });
    expect((await cli.ok('migrate --json')).json()).toEqual({ applied: 0 });
    expect((await cli.ok('migrate')).stdout).toBe('The store is up to date.\n');
    expect(backups()).toEqual([]);
  });

  it('changes nothing where one of the databases cannot be changed', async () => {
    const { readings, registry } = filesOf(cli.store);
    const other = openDatabase(readings, { fileMustExist: true });
    other.exec('begin immediate');
    const { code, stderr } = await cli.run('migrate --without-backup');
    other.exec('rollback');
    other.close();
    expect([code, stderr]).toEqual([6, expect.stringContaining('locked')]);
    expect(versionOf(registry)).toBe(1);
    await cli.ok('migrate');
    expect(versionOf(registry)).toBe(schemaVersions.registry);
  });

  it('changes nothing where a database after the first cannot be migrated', async () => {
    const { readings, registry } = filesOf(cli.store);
    // Of that version it would have a table that is not there.
    tamper(readings, 'pragma user_version = 1');
    expect((await cli.run('migrate --without-backup --json')).error().code).toBe('store_corrupt');
    expect(versionOf(registry)).toBe(1);
    tamper(readings, `pragma user_version = ${schemaVersions.readings}`);
    await cli.ok('migrate');
  });

  it('changes nothing where the backup cannot be written', async () => {
    tamper(cli.store, "update audit set target = 'other' where seq = 1");
    expect((await cli.run('migrate --json')).error().message).toContain('No backup was written');
    expect([
      readdirSync(dirname(cli.store)).filter((name) => name.includes('before-migrate')),
      versionOf(cli.store),
    ]).toEqual([[], 1]);
  });

  it('asks the profile before it writes anything', async () => {
    expect((await cli.run('migrate', { osAccount: 'operator' })).code).toBe(4);
    expect([backups(), versionOf(cli.store)]).toEqual([[], 1]);
  });

  it('replaces no backup of the same second, which may be the only copy of the older store', async () => {
    const { backup } = (await cli.ok('migrate --json')).json<{ backup: string }>();
    const kept = readFileSync(backup);
    makeOld(cli.store);
    const second = (await cli.ok('migrate --json')).json<{ backup: string }>();
    expect(second.backup).toBe(backup.replace(/\.backup$/, '-2.backup'));
    expect(readFileSync(backup)).toEqual(kept);
  });

  it('removes what one left that was killed the day before', async () => {
    const left = join(
      dirname(cli.store),
      'hkctl.before-migrate-20261119T070000Z.backup.hkctl-0123456789ab.new',
    );
    writeFileSync(left, '');
    const yesterday = cli.nowMs / 1000 - 25 * 3600;
    utimesSync(left, yesterday, yesterday);
    await cli.ok('migrate');
    expect(existsSync(left)).toBe(false);
  });
});

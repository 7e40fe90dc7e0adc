import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import {
  databaseNames,
  initialVersions,
  schemaVersions,
} from '../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { Cli } from '../../../cli/harness.ts';
import { tamper } from '../../../cli/tamper.ts';
import { frozenVersion, thaw } from '../../../store/frozen.ts';

let cli: Cli;
beforeEach(() => {
  const { store, backup } = thaw(frozenVersion, mkdtempSync(join(tmpdir(), 'hkctl-migrate-')));
  rmSync(backup);
  cli = new Cli(store);
  cli.nowMs = Date.parse('2026-12-01T08:00:00Z');
});
afterEach(() => rmSync(dirname(cli.store), { recursive: true }));

/** The version of the registry of the frozen store. */
const frozenRegistry = initialVersions.registry;
const missingSteps = databaseNames
  .map((name) => schemaVersions[name] - initialVersions[name])
  .reduce((sum, steps) => sum + steps);

function versionOf(file: string): unknown {
  const connection = openDatabase(file, { readonly: true });
  try {
    return connection.pragma('user_version', { simple: true });
  } finally {
    connection.close();
  }
}

const backups = () => readdirSync(dirname(cli.store)).filter((name) => name.endsWith('.backup.gz'));

describe('migrate', () => {
  it('gives sensors that no request has read their numbers while there is space', async () => {
    const countIn = (file: string, table: string) => {
      const connection = openDatabase(file, { readonly: true });
      try {
        return connection.prepare(`select count(*) from ${table}`).pluck().get();
      } finally {
        connection.close();
      }
    };
    const { readings, records } = filesOf(cli.store);
    tamper(readings, 'delete from series');
    await cli.ok('migrate --without-backup');
    expect(countIn(records, 'sensors')).toBeGreaterThan(0);
    expect(countIn(readings, 'series')).toBe(countIn(records, 'sensors'));
  });

  it('writes a backup of the old store, then applies the steps and audits both', async () => {
    expect((await cli.run('keys list --json')).error().code).toBe('store_too_old');
    const { applied, backup } = (await cli.ok('migrate --json')).json<{
      applied: number;
      backup: string;
    }>();
    expect([applied, backups()]).toEqual([
      missingSteps,
      ['hkctl.before-migrate-20261201T080000Z.backup.gz'],
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
    expect((await other.ok('entities list --json')).json<unknown[]>()).toHaveLength(1);
  });

  it('writes none with --without-backup, and none where there is nothing to do', async () => {
    expect((await cli.ok('migrate --without-backup --json')).json()).toEqual({
      applied: missingSteps,
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
    expect(versionOf(registry)).toBe(frozenRegistry);
    await cli.ok('migrate');
    expect(versionOf(registry)).toBe(schemaVersions.registry);
  });

  it('changes nothing where a step cannot be applied', async () => {
    const { registry } = filesOf(cli.store);
    tamper(registry, 'alter table users add column entity_ids text');
    expect((await cli.run('migrate --without-backup')).code).toBe(1);
    expect(versionOf(registry)).toBe(frozenRegistry);
    tamper(registry, 'alter table users drop column entity_ids');
    await cli.ok('migrate');
  });

  it('changes nothing where the backup cannot be written', async () => {
    tamper(cli.store, "update audit set target = 'other' where seq = 1");
    expect((await cli.run('migrate --json')).error().message).toContain('No backup was written');
    expect([
      readdirSync(dirname(cli.store)).filter((name) => name.includes('before-migrate')),
      versionOf(cli.store),
    ]).toEqual([[], frozenRegistry]);
  });

  it('asks the profile before it writes anything', async () => {
    expect((await cli.run('migrate', { osAccount: 'ada' })).code).toBe(4);
    expect([backups(), versionOf(cli.store)]).toEqual([[], frozenRegistry]);
  });

  it('replaces no backup of the same second, which may be the only copy of the older store', async () => {
    const { backup } = (await cli.ok('migrate --json')).json<{ backup: string }>();
    const first = readFileSync(backup);
    thaw(frozenVersion, dirname(cli.store));
    const second = (await cli.ok('migrate --json')).json<{ backup: string }>();
    expect(second.backup).toBe(backup.replace(/\.backup\.gz$/, '-2.backup.gz'));
    expect(readFileSync(backup)).toEqual(first);
  });

  it('removes what one left that was killed the day before', async () => {
    const left = join(
      dirname(cli.store),
      'hkctl.before-migrate-20261130T070000Z.backup.gz.hkctl-0123456789ab.new',
    );
    writeFileSync(left, '');
    const yesterday = cli.nowMs / 1000 - 25 * 3600;
    utimesSync(left, yesterday, yesterday);
    await cli.ok('migrate');
    expect(existsSync(left)).toBe(false);
  });
});

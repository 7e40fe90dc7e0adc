import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import {
  databaseNames,
  initialVersions,
  schemaVersions,
} from '../../../src/store/sqlite-file/schema/schema-versions.ts';
import { frozenVersion, frozenVersions, thaw } from '../../store/frozen.ts';
import { Cli, type KeyJson } from '../harness.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-frozen-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of a frozen store in a folder of its own. */
function thawed(version: string): { cli: Cli; backup: string } {
  const { store, backup } = thaw(version, join(folder, 'state'));
  const cli = new Cli(store);
  cli.nowMs = Date.parse('2026-12-01T08:00:00Z');
  return { cli, backup };
}

async function requireWhole(cli: Cli): Promise<void> {
  const keys = (await cli.ok('keys list --all --json')).json<KeyJson[]>();
  expect(keys.map(({ name, status }) => [name, status])).toEqual([
    ['Old one', 'Revoked'],
    ['Oven gateway', 'Active'],
    ['Oven gateway', 'Revoked'],
    ['ERP', 'Active'],
  ]);
  expect((await cli.ok('users list --json')).json<unknown[]>()).toHaveLength(2);
  const [sensor] = (await cli.ok('sensors list --entity BER --json')).json<
    Record<string, unknown>[]
  >();
  expect(sensor).toMatchObject({ code: 'OVEN-1', last_value: 182.4 });
  expect((await cli.ok('audit verify --json')).json()).toMatchObject({ ok: true, broken: null });
  const { checks } = (await cli.run('doctor --json')).json<{
    checks: { name: string; status: string }[];
  }>();
  expect(checks.find(({ name }) => name === 'schema')).toMatchObject({ status: 'ok' });
}

describe.each(frozenVersions)('a store of %s', (name) => {
  it('asks for a migration, and is whole after it', async () => {
    const { cli } = thawed(name);
    expect((await cli.run('keys list --json')).error()).toMatchObject({
      code: 'store_too_old',
      hint: expect.stringContaining('hkctl migrate'),
    });
    const { applied } = (await cli.ok('migrate --json')).json<{ applied: number }>();
    // It was frozen at the versions that the first migrations make.
    const added = databaseNames.map((each) => schemaVersions[each] - initialVersions[each]);
    expect(applied).toBe(added.reduce((sum, count) => sum + count));
    await requireWhole(cli);
  });

  it('left a backup that still restores', async () => {
    const { backup } = thawed(name);
    const cli = await new Cli(join(folder, 'other', 'hkctl.db')).seed();
    cli.nowMs = Date.parse('2026-12-01T08:00:00Z');
    await cli.ok(['restore', backup, '--yes']);
    await requireWhole(cli);
  });
});

describe('a store from before the first version that is kept compatible', () => {
  it('is refused, and its backup, with the way to bring it along', async () => {
    const { cli, backup } = thawed(frozenVersion);
    setVersion(cli.store, 2);
    changeBackup(backup);
    const refusal = {
      code: 'store_too_old',
      message: expect.stringContaining('has schema 2, which this version of hkctl no longer reads'),
      hint: expect.stringContaining('with hkctl 0.1.0'),
    };
    expect((await cli.run('migrate --json')).error()).toMatchObject(refusal);
    const other = await new Cli(join(folder, 'other', 'hkctl.db')).seed();
    expect((await other.run(['restore', backup, '--yes', '--json'])).error()).toMatchObject(
      refusal,
    );
  });
});

function setVersion(file: string, version: number): void {
  const connection = openFile(file);
  connection.pragma(`user_version = ${version}`);
  connection.close();
}

/** Makes the registry in a backup one of version 2. */
function changeBackup(file: string): void {
  const connection = openDatabase(file, {});
  connection.exec("update backup set value = 2 where name = 'registry_version'");
  connection.close();
}

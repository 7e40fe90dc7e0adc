import { rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { filesOf, openFile } from '../../src/store/sqlite/files.ts';
import { schemaVersions } from '../../src/store/sqlite/schema-versions.ts';
import { Cli } from './harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const terminal = { columns: 80, rows: 24 };

describe('init', () => {
  it('says that there is a store already before it asks anything', async () => {
    const { code, stderr } = await cli.run('init', { terminal });
    expect(code).toBe(5);
    expect(stderr).toContain('There is a store at');
    expect(stderr).not.toContain('Name of the organization');
  });
});

describe('migrate', () => {
  const readings = () => openFile(filesOf(cli.store).readings, { busyTimeoutMs: 100, create: true });
  const version = () => {
    const connection = readings();
    const found = connection.pragma('user_version', { simple: true });
    connection.close();
    return found;
  };

  it('refuses whoever may not before it changes anything, and audits the attempt', async () => {
    // A file of the store as it was before its first migration.
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${filesOf(cli.store).readings}${suffix}`, { force: true });
    readings().close();
    for (const osAccount of ['operator', 'entity_admin']) {
      expect((await cli.run('migrate --json', { osAccount })).error().code).toBe('not_permitted');
    }
    expect((await cli.run('migrate --json', { osAccount: 'nobody' })).error().code).toBe('no_profile');
    expect(version()).toBe(0);
    const [last, before] = (await cli.ok('audit list --json --limit 2')).json<unknown[]>();
    expect(last).toMatchObject({ action: 'profile.use', outcome: 'denied', actor: null, target: 'nobody' });
    expect(before).toMatchObject({ action: 'store.migrate', outcome: 'denied', actor: { login: 'entity_admin' } });
    expect((await cli.ok('migrate --json')).json()).toEqual({ applied: schemaVersions.readings });
    expect(version()).toBe(schemaVersions.readings);
  });
});

import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numberOfWhole } from '../../../src/store/backup-file/format.ts';
import { engineAt } from '../../../src/store/open.ts';
import { rolesSql } from '../../../src/store/postgres/printed-sql.ts';
import { Cli, startMs } from '../../cli/harness.ts';
import { tamperSchema } from '../../cli/tamper.ts';
import { reseal } from '../../store/changed-backups.ts';
import { newDatabase, onServer } from '../../store/postgres/databases.ts';

const options = { clock: () => startMs, migrationsFolder: join(process.cwd(), 'migrations') };

let cli: Cli;
let folder: string;
let file: string;
beforeEach(async () => {
  cli = await Cli.onPostgres();
  folder = mkdtempSync(join(tmpdir(), 'hkctl-pg-backup-'));
  file = join(folder, 'plant.backup');
});
afterEach(() => rmSync(folder, { recursive: true }));

const statusOf = async (id: string) => (await cli.show(id)).status;
const restore = (more: readonly string[] = []) =>
  cli.run(['restore', file, '--yes', '--json', ...more]);

describe('backup of a store on PostgreSQL', () => {
  it('is audited, replaces a file only with --force, and leaves nothing half beside it', async () => {
    await cli.key('one');
    const report = (await cli.ok(['backup', file, '--json'])).json();
    expect(report).toMatchObject({ file, keys: 1 });
    expect((await cli.run(['backup', file])).code).toBe(5);
    await cli.ok(['backup', file, '--force']);
    expect(readdirSync(folder)).toEqual(['plant.backup']);
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({ action: 'store.backup', target: file, outcome: 'done' });
    expect((await cli.run(['backup', join(folder, 'x')], { osAccount: 'entity_admin' })).code).toBe(
      4,
    );
  });

  it('of a trail that was changed writes nothing', async () => {
    await onServer(cli.store, `update hkctl.audit set target = '"other"' where seq = 2`);
    const { code, stderr } = await cli.run(['backup', file]);
    expect([code, stderr]).toEqual([6, expect.stringContaining('is damaged: audit record 2')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('continues a series with --keep', async () => {
    for (let n = 0; n < 3; n++) {
      cli.nowMs += 60_000;
      await cli.ok(['backup', folder, '--keep', '2']);
    }
    const kept = readdirSync(folder).filter((name) => name.endsWith('.backup.gz'));
    expect(kept.sort().map((name) => numberOfWhole(join(folder, name)))).toEqual([2, 3]);
  });
});

describe('restore into PostgreSQL', () => {
  it('brings back no key, user, role or entity that was stopped since', async () => {
    const [one, two] = [await cli.key('one'), await cli.key('two')];
    await cli.ok('users add eve --name Eve --role super_user');
    await cli.ok(['backup', file]);
    await cli.ok(['keys', 'revoke', one.key.id, '--yes']);
    await cli.ok('users deactivate operator --yes');
    await cli.ok('users set-role eve operator');
    await cli.ok('entities deactivate BER --yes');
    await cli.ok('entities remove CHI --yes');
    const [head = ''] = /[0-9a-f]{64}/.exec((await cli.ok('audit verify')).stdout) ?? [];
    const report = (await restore()).json();
    expect(report).toMatchObject({
      file,
      kept_revoked: [one.key.prefix],
      kept_deactivated_users: ['operator'],
      kept_demoted_users: [{ login: 'eve', role: 'operator' }],
      kept_deactivated_entities: ['BER'],
      kept_removed_entities: ['CHI'],
    });
    expect([await statusOf(one.key.id), await statusOf(two.key.id)]).toEqual(['Revoked', 'Active']);
    const trail = (await cli.ok('audit list --json')).json<
      { action: string; detail: Record<string, unknown> }[]
    >();
    const event = trail.find(({ action }) => action === 'store.restore');
    expect(event?.detail).toMatchObject({
      replaced_head: head,
      keys_kept_revoked: 1,
      entities_kept_removed: 1,
    });
    expect((await cli.run('audit verify')).code).toBe(0);

    // The restored store knows it as well, also for a restore that comes after it.
    expect((await restore()).json()).toMatchObject({
      kept_revoked: [one.key.prefix],
      kept_removed_entities: ['CHI'],
    });
  });

  it('keeps a stop over a restore of a backup that is older than what was stopped', async () => {
    const older = join(folder, 'older.backup');
    await cli.ok(['backup', older]);
    const { key } = await cli.key('one');
    await cli.ok('entities add NEW --name New --timezone UTC');
    await cli.ok(['backup', file]);
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    await cli.ok('entities remove NEW --yes');
    await cli.ok(['restore', older, '--yes']);
    expect((await cli.run(['keys', 'show', key.id])).code).toBe(3);
    expect((await restore()).json()).toMatchObject({
      kept_revoked: [key.prefix],
      kept_removed_entities: ['NEW'],
    });
  });

  it('starts what was started again since it was stopped', async () => {
    await cli.ok('users deactivate operator --yes');
    await cli.ok(['backup', file]);
    expect((await restore()).json()).toMatchObject({ kept_deactivated_users: [] });
    await cli.ok('users activate operator');
    await cli.ok(['backup', file, '--force']);
    expect((await restore()).json()).toMatchObject({ kept_deactivated_users: [] });
    const users = (await cli.ok('users list --json')).json<{ login: string; status: string }[]>();
    expect(users.find(({ login }) => login === 'operator')?.status).toBe('active');
  });

  it('carries the journal to SQLite, where nothing comes back either', async () => {
    const { key } = await cli.key('one');
    const older = join(folder, 'older.backup');
    await cli.ok(['backup', older]);
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    await cli.ok('entities remove CHI --yes');
    await cli.ok(['backup', file]);
    const sqlite = new Cli(join(folder, 'hkctl.db'));
    await sqlite.ok(['restore', file, '--yes']);
    expect((await sqlite.ok(['restore', older, '--yes', '--json'])).json()).toMatchObject({
      kept_revoked: [key.prefix],
      kept_removed_entities: ['CHI'],
    });
  });

  it('of a SQLite backup makes the store in an empty database, whose keys verify the same secret', async () => {
    const sqlite = await new Cli(join(folder, 'hkctl.db')).seed();
    const { key, secret } = await sqlite.key('one');
    await sqlite.ok(['backup', file]);
    const empty = new Cli(await newDatabase());
    const denied = await empty.run(['restore', file, '--yes'], { osAccount: 'operator' });
    expect([denied.code, (await empty.run('keys list')).code]).toEqual([4, 6]);
    await empty.ok(['restore', file, '--yes']);
    const verified = (await empty.ok('keys verify --json', { input: secret })).json();
    expect(JSON.stringify(verified)).toContain(key.id);
    expect((await empty.ok('keys list --json')).stdout).toBe(
      (await sqlite.ok('keys list --json')).stdout,
    );
  });

  it('refuses while a daemon serves, on any machine, and changes nothing', async () => {
    await cli.ok(['backup', file]);
    const daemon = await engineAt(cli.store, options).open();
    await daemon.daemon.begin();
    const unnamed = await restore();
    expect([unnamed.code, unnamed.error().message]).toEqual([
      5,
      expect.stringContaining('A daemon serves'),
    ]);
    await daemon.daemon.recordAddress('http://10.0.0.7:8420', 1, '1.0.0');
    const named = await restore();
    expect([named.code, named.error().message]).toEqual([
      5,
      expect.stringContaining('at http://10.0.0.7:8420'),
    ]);
    await daemon.close();
    expect((await restore()).code).toBe(0);
  });

  it('is for a Super user of the present store, and asks', async () => {
    await cli.ok(['backup', file]);
    expect((await cli.run(['restore', file, '--yes'], { osAccount: 'manager' })).code).toBe(4);
    expect((await cli.run(['restore', file])).code).toBe(2);
  });

  it('needs the owner of the tables, while the admin may take backups', async () => {
    const address = await newDatabase();
    const as = (role: string) =>
      new Cli(address.replace(/^(postgres(?:ql)?:\/\/)[^@/]*@/, `$1${role}@`));
    await cli.key('one');
    await cli.ok(['backup', file]);
    await onServer(address, rolesSql('hkctl'));
    expect((await as('hkctl_admin').run(['restore', file, '--yes'])).code).toBe(6);
    await as('hkctl_owner').ok(['restore', file, '--yes']);
    await onServer(address, rolesSql('hkctl'));
    await as('hkctl_admin').ok(['backup', file, '--force']);
    const denied = await as('hkctl_admin').run(['restore', file, '--yes', '--json']);
    expect([denied.code, denied.error().message]).toEqual([
      6,
      expect.stringContaining('The log-in lacks rights'),
    ]);
    await as('hkctl_admin').ok('entities remove CHI --yes');
    await as('hkctl_owner').ok(['restore', file, '--yes']);
    expect((await as('hkctl_admin').ok('keys list --json')).json()).toHaveLength(1);
  });

  it('leaves a schema alone that holds tables of others, or a newer store', async () => {
    await cli.ok(['backup', file]);
    const other = new Cli(await newDatabase());
    await onServer(other.store, 'create schema hkctl', 'create table hkctl.mine (a int)');
    expect((await other.run(['restore', file, '--yes', '--json'])).error().code).toBe(
      'store_corrupt',
    );
    await onServer(other.store, 'select from hkctl.mine');
    await onServer(cli.store, 'update hkctl.store_version set version = 99');
    expect((await restore()).error().code).toBe('store_too_new');
  });

  const hostile: readonly [what: string, sql: string, code: string, message: string][] = [
    [
      'a trigger',
      'create trigger evil after insert on audit begin select 1; end',
      'store_corrupt',
      'evil',
    ],
    ['another table', 'create table evil (x)', 'store_corrupt', 'evil'],
    [
      'a changed trail',
      "update audit set target = 'other' where seq = 2",
      'store_corrupt',
      'audit record 2',
    ],
    [
      'a text for a time',
      "update keys set created_at_ms = 'soon'",
      'store_corrupt',
      'a row of keys has a value',
    ],
    [
      'a number beyond every limit',
      'update keys set created_at_ms = 1e300',
      'store_corrupt',
      'a row of keys has a value',
    ],
    ['a NUL character', "update keys set name = 'a' || char(0) || 'b'", 'bad_input', 'NUL'],
    [
      'records of nobody',
      "insert into record_changes values (77, 'parts', 'x', '')",
      'store_corrupt',
      'record_changes',
    ],
    ['COPY in a text', "update entities set name = '\\.' || char(10) || 'x' || char(9)", '', ''],
  ];
  it.each(hostile)('of a backup with %s', async (_what, sql, code, message) => {
    await cli.key('one');
    await cli.ok(['backup', file]);
    tamperSchema(file, sql);
    reseal(file);
    const before = (await cli.ok('keys list --json')).stdout;
    const result = await restore();
    if (code === '') {
      expect(result.code).toBe(0);
      expect((await cli.ok('entities list --json')).stdout).toContain('\\\\.\\nx\\t');
      return;
    }
    expect(result.error()).toMatchObject({ code, message: expect.stringContaining(message) });
    expect((await cli.ok('keys list --json')).stdout).toBe(before);
    expect((await cli.run('audit verify')).code).toBe(0);
  });

  it('draws a bar on a terminal, and none elsewhere', async () => {
    await cli.ok(['backup', file]);
    const terminal = { columns: 80, rows: 24 };
    expect((await cli.ok(['restore', file, '--yes'], { terminal })).stderr).toContain('Restoring');
    expect((await cli.ok(['restore', file, '--yes'])).stderr).not.toContain('Restoring');
  });

  it('takes no notice of a copy of the file that is no backup', async () => {
    copyFileSync(join(process.cwd(), 'package.json'), file);
    expect((await restore()).error().code).toBe('bad_input');
    expect(readFileSync(file, 'utf8')).toContain('"name"');
  });
});

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { filesOf, openFile } from '../../../../../src/store/sqlite/connection/files.ts';
import { holdAsDaemon } from '../../../../../src/store/sqlite/connection/locks.ts';
import { openDatabase } from '../../../../../src/store/sqlite-file/driver.ts';
import { cli, file, folder, renewPlant } from '../../../../cli/commands/backups/backup-plant.ts';
import { press } from '../../../../cli/keyboard.ts';
import { tamper } from '../../../../cli/tamper.ts';
import { reseal } from '../../../../store/changed-backups.ts';

beforeEach(renewPlant);

async function createKey(name: string) {
  const { key, secret } = await cli.key(name);
  return { ...key, secret };
}

const statusOf = async (id: string) => (await cli.show(id)).status;

describe('restore', () => {
  it('by somebody whom the backup does not know is named in the audit trail all the same', async () => {
    await cli.ok(['backup', file]);
    await cli.ok('users add carl --name Carl --role super_user');
    await cli.ok(['restore', file, '--yes'], { osAccount: 'carl' });
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({
      action: 'store.restore',
      actor: { login: 'carl' },
      os_account: 'carl',
    });
  });

  it('brings back no daemon that served the store when it was backed up', async () => {
    const daemons = (change: string) => {
      const registry = openFile(cli.store);
      try {
        if (change !== '') registry.exec(change);
        return registry.prepare('select pid from daemons').pluck().all();
      } finally {
        registry.close();
      }
    };
    expect(
      daemons(
        "insert into daemons (pid, base_url, since_ms) values (4194303, 'http://127.0.0.1:1', 1)",
      ),
    ).toHaveLength(1);
    await cli.ok(['backup', file]);
    await cli.ok(['restore', file, '--yes']);
    expect(daemons('')).toEqual([]);
  });

  it('brings back what was there, and says so in the audit trail', async () => {
    const kept = await createKey('Kept');
    await cli.ok(['backup', file]);
    const later = await createKey('Later');
    const report = (await cli.ok(['restore', file, '--yes', '--json'])).json();
    expect(report).toMatchObject({ file, keys: 1, kept_revoked: [] });
    expect(await statusOf(kept.id)).toBe('Active');
    expect((await cli.run(['keys', 'show', later.id])).code).toBe(3);
    const actions = (await cli.ok('audit list --json --limit 2')).json<{ action: string }[]>();
    expect(actions.map(({ action }) => action)).toEqual(['store.restore', 'key.create']);
    await cli.ok('audit verify');
  });

  it('keeps revoked what was revoked or rotated since, and names it', async () => {
    const [revoked, rotated, alive] = [
      await createKey('Revoked'),
      await createKey('Rotated'),
      await createKey('Alive'),
    ];
    await cli.ok(['backup', file]);
    await cli.ok(['keys', 'revoke', revoked.id, '--yes']);
    await cli.ok(['keys', 'rotate', rotated.id, '--yes', '--json']);
    const { kept_revoked } = (await cli.ok(['restore', file, '--yes', '--json'])).json<{
      kept_revoked: string[];
    }>();
    expect([...kept_revoked].sort()).toEqual([revoked.prefix, rotated.prefix].sort());
    expect([
      await statusOf(revoked.id),
      await statusOf(rotated.id),
      await statusOf(alive.id),
    ]).toEqual(['Revoked', 'Revoked', 'Active']);
    for (const { secret, code } of [
      { ...revoked, code: 5 },
      { ...rotated, code: 5 },
      { ...alive, code: 0 },
    ]) {
      expect((await cli.run('keys verify', { input: secret })).code).toBe(code);
    }
    await cli.ok('audit verify');
  });

  it('forgets no time that was seen: what has expired since stays expired on a clock that fell back', async () => {
    const create = `keys create --name A --entity BER --preset sensor-gateway --expires 2h --json`;
    const { key, secret } = (await cli.ok(create)).json<{ key: { id: string }; secret: string }>();
    await cli.ok(['backup', file]);
    const before = cli.nowMs;
    cli.nowMs += 3 * 3_600_000;
    for (let look = 0; look < 2; look++) await cli.ok('keys list');
    await cli.ok(['restore', file, '--yes']);
    cli.nowMs = before;
    expect(await statusOf(key.id)).toBe('Expired');
    expect((await cli.run('keys verify', { input: secret })).code).toBe(5);
  });

  it('makes a store where there is none, with the journal of the backup', async () => {
    const key = await createKey('A');
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    await cli.ok(['backup', file]);
    const journal = readFileSync(filesOf(cli.store).revocations, 'utf8');
    rmSync(dirname(cli.store), { recursive: true });
    await cli.ok(['restore', file, '--yes']);
    expect(readFileSync(filesOf(cli.store).revocations, 'utf8').startsWith(journal)).toBe(true);
    expect(statSync(cli.store).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(cli.store)).mode & 0o777).toBe(0o700);
    expect(await statusOf(key.id)).toBe('Revoked');
  });

  it('replaces a store that is damaged', async () => {
    const key = await createKey('A');
    await cli.ok(['backup', file]);
    writeFileSync(cli.store, 'x'.repeat(8192));
    expect((await cli.run('keys list')).code).toBe(6);
    await cli.ok(['restore', file, '--yes']);
    expect(await statusOf(key.id)).toBe('Active');
  });

  it.each([
    ['a text', () => writeFileSync(cli.store, 'root:x:0:0')],
    [
      'a database of another program',
      () => openDatabase(cli.store, {}).exec('create table ours (a)').close(),
    ],
    ['the backup itself', () => copyFileSync(file, cli.store)],
  ])(
    'replaces nothing that is no store and has no other file of one beside it: %s',
    async (_, put) => {
      await cli.ok(['backup', file]);
      for (const name of readdirSync(dirname(cli.store))) rmSync(join(dirname(cli.store), name));
      put();
      const before = readFileSync(cli.store);
      const { code, stderr } = await cli.run(['restore', file, '--yes']);
      expect([code, stderr]).toEqual([
        6,
        expect.stringContaining('store of hkctl, and no other file of one is next to it'),
      ]);
      expect(readFileSync(cli.store)).toEqual(before);
      expect(readdirSync(dirname(cli.store))).toEqual(['hkctl.db']);
    },
  );

  it('changes nothing where the file is no backup, damaged, or nobody confirms', async () => {
    const key = await createKey('A');
    await cli.ok(['backup', file]);
    const other = `${file}.other`;
    writeFileSync(other, 'no database');
    expect((await cli.run(['restore', other, '--yes'])).code).toBe(2);
    expect((await cli.run(['restore', `${file}.none`, '--yes'])).code).toBe(2);
    expect((await cli.run(['restore', cli.store, '--yes'])).code).toBe(2);
    expect((await cli.run(['restore', file])).code).toBe(2);
    expect((await cli.run(['restore', file, '--yes'], { osAccount: 'entity_admin' })).code).toBe(4);
    const half = statSync(file).size / 2;
    truncateSync(file, half - (half % 4096));
    expect((await cli.run(['restore', file, '--yes'])).code).toBe(6);
    expect(await statusOf(key.id)).toBe('Active');
    expect(existsSync(cli.store.replace('.db', '.restored.db'))).toBe(false);
  });

  it('says that a path leads to no file, and that a copy of a backup has no end', async () => {
    await cli.ok(['backup', file]);
    const circle = `${file}.circle`;
    symlinkSync(circle, circle);
    for (const [path, why] of [
      [circle, 'its links run in a circle'],
      [join(file, 'x'), 'its parent is not a folder'],
      [`${file}${'x'.repeat(300)}`, 'its name is too long'],
    ] as const) {
      const { code, stderr } = await cli.run(['restore', path, '--yes']);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot be read: ${why}.`)]);
    }
    for (const missing of [1, 4096]) {
      truncateSync(file, statSync(file).size - missing);
      const { code, stderr } = await cli.run(['restore', file, '--yes']);
      expect([code, stderr]).toEqual([
        6,
        expect.stringContaining(`The backup ${file} is damaged: its end is missing.`),
      ]);
    }
  });

  it.each([
    "update users set role = 'god'",
    "update entities set status = 'gone'",
    "update tenants set week_start = 'today'",
    "update keys set permissions = 'all'",
    'update keys set expires_at_ms = 9e15',
    'update keys set last_used_at_ms = -9223372036854775808',
    "update users set name = x'ff00fe'",
    "update keys set name = replace(hex(zeroblob(70000)), '00', 'ab')",
    "insert or replace into marks values ('clock_seen_ms', 9007199254740993)",
    "insert or replace into marks values ('clock_seen_ms', 'x')",
    "insert into heartbeats values (1, 9e18, 'ok', 1, 1, 'x')",
    "insert into heartbeats values (1, 1.5, 'ok', 1, 1, 'x')",
    "insert into heartbeats values (1, 1, 'ok', 9e999, 1, 'x')",
    "insert into day_sums values (1, 9e18, 0, x'00')",
    "insert into day_sums values (1, 0, 0, x'010002000000')",
    'insert into day_sums values (1, 0, 0, null)',
    'insert into day_sums values (1, 0, null, null)',
    "insert into drops values ('x', -9e18)",
    "insert into audit_outbox (id, draft) values (9999, 'none')",
    `insert into audit_outbox (id, draft) values (9999, '{"action":"x"}')`,
    "insert into audit_outbox (id, draft) values (9999, x'00')",
    "update backup_journal set text = x'00ff'; insert into backup_journal select x'00ff'",
  ])('refuses a backup that was altered after it was written: %s', async (sql) => {
    await cli.key('Gateway');
    await cli.ok(['backup', file]);
    const backup = openDatabase(file, {});
    backup.exec(sql);
    backup.close();
    const { code, stderr } = await cli.run(['restore', file, '--yes']);
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(
        /it was altered, its digest does not fit its content|its end is missing/,
      ),
    ]);
    expect((await cli.ok('users list')).stdout).toContain('Super user');
  });

  it('asks before it verifies more than the digest of the backup', async () => {
    await createKey('A');
    await cli.ok(['backup', file]);
    // Only who reads all of it finds this.
    tamper(file, "update audit set target = 'other' where seq = 1");
    reseal(file);
    const before = readdirSync(dirname(cli.store));
    const terminal = { columns: 100, rows: 30 };
    const cancelled = await cli.run(['restore', file], { terminal, keys: [press.ctrlC] });
    expect([cancelled.code, cancelled.stderr]).toEqual([
      130,
      expect.stringMatching(/Replace the store [^?]* \(1 key\)\?/),
    ]);
    expect(readdirSync(dirname(cli.store)).filter((name) => !before.includes(name))).toEqual([]);
    expect((await cli.run(['restore', file, '--yes'])).code).toBe(6);
    expect(readdirSync(dirname(cli.store)).filter((name) => /restored/.test(name))).toEqual([]);
  });

  it('asks nothing where no store is replaced, as on another server', async () => {
    await cli.ok(['backup', file]);
    const elsewhere = join(folder, 'elsewhere', 'hkctl.db');
    await cli.ok(['--store', elsewhere, 'restore', file]);
    expect((await cli.ok(['--store', elsewhere, 'keys', 'list', '--json'])).code).toBe(0);
    // What is left of a store may still be worth something.
    rmSync(elsewhere);
    const { code, stderr } = await cli.run(['--store', elsewhere, 'restore', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('What was kept since is lost.')]);
  });

  it('is refused while a daemon serves, before anything is asked, and also where that has noted no address', async () => {
    await cli.ok(['backup', file]);
    const store = await (await cli.services.engine(cli.store)).open();
    await store.daemon.recordAddress('http://127.0.0.1:8420', process.pid);
    const served = await cli.run(['restore', file]);
    expect([served.code, served.stderr]).toEqual([
      5,
      expect.stringContaining('A daemon serves this store at http://127'),
    ]);
    expect((await cli.run(['restore', file], { osAccount: 'entity_admin' })).code).toBe(4);
    await store.close();
    const letGo = holdAsDaemon(filesOf(cli.store).daemons);
    for (const lose of [() => {}, () => writeFileSync(cli.store, 'x'.repeat(8192))]) {
      lose();
      const held = await cli.run(['restore', file, '--yes']);
      expect([held.code, held.stderr]).toEqual([
        5,
        expect.stringContaining('A daemon serves this store'),
      ]);
    }
    letGo();
    await cli.ok(['restore', file, '--yes']);
  });

  it('is refused while another process has the store open', async () => {
    const key = await createKey('A');
    await cli.ok(['backup', file]);
    const held = openFile(cli.store, { busyTimeoutMs: 100, create: false });
    held.prepare('select count(*) from keys').get();
    const { code, stderr } = await cli.run(['restore', file, '--yes']);
    held.close();
    expect([code, stderr]).toEqual([5, expect.stringContaining('Another process')]);
    expect(await statusOf(key.id)).toBe('Active');
  });

  it('that was cut off between its renames is ended by the next command', async () => {
    const key = await createKey('A');
    await cli.ok(['backup', file]);
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    await cli.ok(['restore', file, '--yes']);
    // As it was after the decision and the first of three renames.
    const [from, to] = [filesOf(cli.store), filesOf(cli.store.replace('.db', '.restored.db'))];
    for (const name of ['records', 'readings'] as const) renameSync(from[name], to[name]);
    mkdirSync(dirname(from.records), { recursive: true });
    writeFileSync(from.records, 'the old one');
    writeFileSync(`${from.records}-wal`, 'its log');
    writeFileSync(cli.store.replace('.db', '.restored.ready'), '');
    await cli.ok('sensors list --entity BER --json');
    expect(existsSync(cli.store.replace('.db', '.restored.ready'))).toBe(false);
    expect(await statusOf(key.id)).toBe('Revoked');
  });
});

import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HkctlError } from '../../../../src/core/errors.ts';
import { addTables, beginBackup, completeBackup } from '../../../../src/store/backup-file/new-backup.ts';
import { writeVerified } from '../../../../src/store/backup-file/verified-backup.ts';
import { copyAttached } from '../../../../src/store/backup-file/whole-files.ts';
import { openDatabase } from '../../../../src/store/sqlite/connection/driver.ts';
import { databaseNames, filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import { preparedPath } from '../../../../src/store/sqlite/restore/prepared.ts';
import { schemaVersions } from '../../../../src/store/sqlite/schema/schema-versions.ts';
import { Cli } from '../../harness.ts';
import { tamper } from '../../tamper.ts';
import { cli, file, folder, renewPlant } from './backup-plant.ts';

const migrationsFolder = join(process.cwd(), 'migrations');

beforeEach(renewPlant);

describe('backup', () => {
  it('writes one file for its owner only, reports what it holds and is audited', async () => {
    await cli.key('A');
    const report = (await cli.ok(['backup', file, '--json'])).json<Record<string, unknown>>();
    expect(report).toMatchObject({ file, keys: 1, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({ action: 'store.backup', target: file, outcome: 'done' });
  });

  it('replaces a file only with --force, and leaves nothing half beside it', async () => {
    writeFileSync(file, 'mine');
    expect((await cli.run(['backup', file])).code).toBe(5);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await cli.ok(['backup', file, '--force']);
    expect(readFileSync(file, 'latin1')).toMatch(/^SQLite format 3/);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it('is for a Super user', async () => {
    const { code, stderr } = await cli.run(['backup', file], { osAccount: 'entity_admin' });
    expect([code, existsSync(file)], stderr).toEqual([4, false]);
  });

  it('holds no secret', async () => {
    const { secret } = await cli.key('A');
    await cli.ok(['backup', file]);
    expect(readFileSync(file, 'latin1')).not.toContain(secret.slice(8, 30));
  });

  it('says where it cannot write', async () => {
    writeFileSync(file, 'a file');
    const wrong = [join(file, 'inside'), join(folder, 'nowhere', 'plant.backup')];
    for (const target of wrong) {
      const { code, stderr } = await cli.run(['backup', target, '--force']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be written')]);
    }
    const { code, stderr } = await cli.run(['restore', folder, '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a folder')]);
  });

  it('never takes the place of a file of the store', async () => {
    const own = filesOf(cli.store);
    const link = join(folder, 'link.backup');
    symlinkSync(own.records, link);
    const { store, ready } = preparedPath(cli.store);
    const sidecars = [`${own.registry}-wal`, `${own.records}-shm`, store, ready, own.revocations];
    for (const target of [own.registry, own.records, own.readings, link, ...sidecars]) {
      const { code, stderr } = await cli.run(['backup', target, '--force']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is a file of the store itself')]);
    }
    await cli.ok('doctor');
    // Nor does what it writes before it has its name.
    const odd = new Cli(join(folder, 'plant.new'));
    await odd.seed();
    const before = readFileSync(odd.store);
    expect((await odd.run(['backup', join(folder, 'plant')])).code).toBe(2);
    expect(readFileSync(odd.store)).toEqual(before);
  });

  it('never takes the place of a link, also of one that leads nowhere', async () => {
    const [file, link, dangling] = ['other', 'to-it', 'to-nothing'].map((name) => join(folder, name));
    if (!file || !link || !dangling) throw new Error('no paths');
    writeFileSync(file, 'of another program');
    symlinkSync(file, link);
    symlinkSync(join(folder, 'nowhere'), dangling);
    for (const target of [link, dangling]) {
      const { code, stderr } = await cli.run(['backup', target, '--force']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('it is a link')]);
      expect(lstatSync(target).isSymbolicLink()).toBe(true);
    }
    expect((await cli.run(['backup', dangling])).code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('of another program');
  });

  it('of a store with a link among its files names the link', async () => {
    const { records } = filesOf(cli.store);
    symlinkSync('/etc/passwd', `${records}-wal`);
    const { code, stderr } = await cli.run(['backup', join(folder, 'linked.backup')]);
    rmSync(`${records}-wal`);
    expect([code, stderr]).toEqual([6, expect.stringContaining(`${records}-wal is a link`)]);
  });

  it('of a store with a missing file names the file', async () => {
    rmSync(filesOf(cli.store).records);
    const { code, stderr } = await cli.run(['backup', file]);
    expect([code, stderr]).toEqual([6, expect.stringContaining(`The file ${filesOf(cli.store).records} of the store`)]);
  });

  it('whose file another process has replaced meanwhile leaves that one alone', async () => {
    const writing = writeVerified({
      target: file,
      force: false,
      migrationsFolder,
      async fill() {
        rmSync(`${file}.new`);
        writeFileSync(`${file}.new`, 'of another process');
      },
      damaged: (what) => new HkctlError('store_corrupt', what),
    });
    await expect(writing).rejects.toMatchObject({ code: 'state_forbids' });
    expect([readFileSync(`${file}.new`, 'utf8'), existsSync(file)]).toEqual(['of another process', false]);
  });

  it('does not replace one that another process has finished meanwhile', async () => {
    const made = join(folder, 'made');
    await cli.ok(['backup', made]);
    const writing = writeVerified({
      target: file,
      force: false,
      migrationsFolder,
      fill(backup) {
        backup.prepare('attach ? as made').run(made);
        beginBackup(backup, 1);
        for (const name of databaseNames) {
          copyAttached(backup, 'made', 'main', addTables(backup, name, schemaVersions[name], migrationsFolder));
        }
        completeBackup(backup, undefined);
        writeFileSync(file, 'of another process');
      },
      damaged: (what) => new HkctlError('store_corrupt', what),
    });
    await expect(writing).rejects.toMatchObject({ code: 'state_forbids' });
    expect([readFileSync(file, 'utf8'), existsSync(`${file}.new`)]).toEqual(['of another process', false]);
  });

  it('has no second file beside it while it is written, which a killed one would leave', async () => {
    let seen: string[] = [];
    const writing = writeVerified({
      target: file,
      force: false,
      migrationsFolder,
      fill(backup) {
        backup.exec('create table first (a); begin; insert into first values (1)');
        seen = readdirSync(folder).filter((name) => name.startsWith('plant.backup'));
      },
      damaged: (what) => new HkctlError('store_corrupt', what),
    });
    await expect(writing).rejects.toThrow();
    expect(seen).toEqual(['plant.backup.new']);
  });

  it('takes a leftover of its own for one, and leaves the file of somebody else alone', async () => {
    writeFileSync(`${file}.new`, 'my notes');
    expect((await cli.run(['backup', file])).code).toBe(5);
    expect(readFileSync(`${file}.new`, 'utf8')).toBe('my notes');
    copyFileSync(cli.store, `${file}.new`);
    expect((await cli.run(['backup', file])).code).toBe(5);
    expect(readFileSync(`${file}.new`)).toEqual(readFileSync(cli.store));
    writeFileSync(`${file}.new`, '');
    await cli.ok(['backup', file]);
    // Cut off while it was written: a database with the mark, and no more.
    const begun = openDatabase(`${file}.new`, {});
    begun.exec('pragma application_id = 0x686b6230; create table part (x)');
    begun.close();
    expect((await cli.run(['restore', `${file}.new`, '--yes'])).code).toBe(2);
    await cli.ok(['backup', file, '--force']);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it('of a damaged trail says where the damage is, and writes nothing', async () => {
    tamper(cli.store, "update audit set target = 'other' where seq = 1");
    const { code, stderr } = await cli.run(['backup', file]);
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/^error: The store .* is damaged: audit record 1.*hkctl audit/s),
    ]);
    expect(existsSync(file)).toBe(false);
  });
});

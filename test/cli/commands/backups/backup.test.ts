import {
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyArchiveRows } from '../../../../src/store/backup-file/copying.ts';
import { addTables, digestLineBytes } from '../../../../src/store/backup-file/format.ts';
import { type BackupSource, writeBackupFrom } from '../../../../src/store/backup-file/writing.ts';
import { filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import {
  databaseNames,
  schemaVersions,
} from '../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { tamper } from '../../tamper.ts';
import { cli, file, folder, renewPlant } from './backup-plant.ts';

const migrationsFolder = join(process.cwd(), 'migrations');
const writing = (copyTo: BackupSource['copyTo']) => {
  const source = { migrationsFolder, copyTo, shown: 'The store', workPath: cli.store };
  return writeBackupFrom(source, file, { nowMs: cli.nowMs, force: false });
};
/** The files of backups that are not complete. */
const pending = () =>
  [folder, dirname(cli.store)].flatMap((place) =>
    readdirSync(place).filter((name) => name.endsWith('.new')),
  );

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
    expect(pending()).toEqual([]);
  });

  it('is compressed if its name ends with .gz, and is restored whatever its name is then', async () => {
    const compressed = `${file}.gz`;
    const report = await cli.ok(['backup', compressed, '--json']);
    const bytes = readFileSync(compressed);
    const content = gunzipSync(bytes);
    const digest = content.toString('latin1').slice(-digestLineBytes, -1);
    expect(report.json()).toMatchObject({ file: compressed, bytes: bytes.length, digest });
    expect(content.toString('latin1', 0, 15)).toBe('SQLite format 3');

    writeFileSync(file, bytes);
    await cli.ok(['restore', file, '--yes', '--digest', digest]);
    writeFileSync(compressed, content);
    await cli.ok(['restore', compressed, '--yes', '--digest', digest]);
    const input = new PassThrough();
    input.write(bytes.subarray(0, 1));
    input.end(bytes.subarray(1));
    await cli.ok(['restore', '-', '--yes', '--digest', digest], { input });
  });

  it('a restore that nobody could confirm is refused before a byte of the backup is read', async () => {
    const { code, error } = await cli.run(['restore', join(folder, 'none'), '--json']);
    expect([code, error().code]).toEqual([2, 'confirmation_required']);
    expect((await cli.run(['restore', join(folder, 'none'), '--yes'])).stderr).toContain(
      'there is no such file',
    );
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

  it('goes to a path that is too long for SQLite, and comes back from there', async () => {
    const deep = join(folder, `${'n'.repeat(100)}/`.repeat(5));
    mkdirSync(deep, { recursive: true });
    const target = join(deep, 'plant.backup');
    await cli.ok(['backup', target]);
    expect(readdirSync(deep)).toEqual(['plant.backup']);
    await cli.ok(['restore', target, '--yes']);
  });

  it('never takes the place of a file of the store', async () => {
    const own = filesOf(cli.store);
    const link = join(folder, 'link.backup');
    symlinkSync(own.records, link);
    const { restored: store, ready } = filesOf(cli.store);
    const sidecars = [`${own.registry}-wal`, `${own.records}-shm`, store, ready, own.revocations];
    for (const target of [own.registry, own.records, own.readings, link, ...sidecars]) {
      const { code, stderr } = await cli.run(['backup', target, '--force']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is a file of the store itself')]);
    }
    await cli.ok('doctor');
  });

  it('never takes the place of a link, also of one that leads nowhere', async () => {
    const [file, link, dangling] = ['other', 'to-it', 'to-nothing'].map((name) =>
      join(folder, name),
    );
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

  it('of a store with a missing file names the file', async () => {
    rmSync(filesOf(cli.store).records);
    const { code, stderr } = await cli.run(['backup', file]);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining(`The file ${filesOf(cli.store).records} of the store`),
    ]);
  });

  it('does not replace one of the same name that another process has finished meanwhile', async () => {
    const made = join(folder, 'made');
    await cli.ok(['backup', made]);
    const first = writing(async (backup) => {
      await cli.ok(['backup', file]);
      const from = openDatabase(made, { readonly: true });
      for (const name of databaseNames) {
        copyArchiveRows(
          from,
          backup,
          addTables(backup, name, schemaVersions[name], migrationsFolder),
        );
      }
      from.close();
      return undefined;
    });
    await expect(first).rejects.toMatchObject({ code: 'state_forbids' });
    expect(pending()).toEqual([]);
    await cli.ok(['restore', file, '--yes']);
  });

  it('is one file with a name of its own while it is written, which is no backup yet and is removed after an error', async () => {
    let seen: string[] = [];
    const failing = writing(async (backup) => {
      backup.exec('create table first (a); insert into first values (1)');
      seen = pending();
      const unfinished = join(dirname(cli.store), seen[0] ?? '');
      expect((await cli.run(['restore', unfinished, '--yes'])).code).toBe(2);
      return undefined;
    });
    await expect(failing).rejects.toThrow();
    expect(seen).toEqual([expect.stringMatching(/^hkctl\.db\.hkctl-[0-9a-f]{12}\.new$/)]);
    expect(pending()).toEqual([]);
  });

  it('removes what killed ones left a day ago, and no other file', async () => {
    const left = ['plant.backup.hkctl-0123456789ab.new', 'other.backup.hkctl-0123456789ab.new'];
    const written = 'plant.backup.hkctl-ba9876543210.new';
    const others = [
      'plant.backup.new',
      'plant.backup.hkctl-notes.new',
      'link.hkctl-0123456789ab.new',
    ];
    const [link = ''] = others.slice(-1);
    symlinkSync(cli.store, join(folder, link));
    for (const name of [...left, written, ...others]) {
      if (name !== link) writeFileSync(join(folder, name), 'part');
      const hours = name === written ? 23 : 25;
      const at = cli.nowMs / 1000 - hours * 3600;
      lutimesSync(join(folder, name), at, at);
    }
    await cli.ok(['backup', file]);
    expect(pending().sort()).toEqual([written, ...others].sort());
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

import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engineAt } from '../../../../src/store/open.ts';
import { filesOf, openFile } from '../../../../src/store/sqlite/connection/files.ts';
import { holdAsDaemon } from '../../../../src/store/sqlite/connection/locks.ts';
import { rebuildReadings } from '../../../../src/store/sqlite/rebuilt-readings.ts';
import { migratedSchema } from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';
import {
  differences,
  schemaObjectsIn,
} from '../../../../src/store/sqlite-file/schema/schema-objects.ts';
import { schemaVersions } from '../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { batchOf } from '../../../store/conformance/readings/readings.ts';
import { portraitOf } from '../../../store/portrait.ts';
import { filled } from '../../../store/postgres/backup/filled.ts';
import { at } from '../../../store/restores.ts';
import { makeOlder } from '../../../store/sqlite/older.ts';
import { type Plant, storeOptions } from '../../../store/stores.ts';

const { migrationsFolder } = storeOptions;
const version = 2;

const made = mkdtempSync(join(tmpdir(), 'hkctl-older-'));
let folder: string;
let path: string;
let plant: Plant;
let before: unknown;

beforeAll(async () => {
  const store = await engineAt(join(made, 'hkctl.db'), storeOptions).create();
  plant = await filled(store);
  before = await portraitOf(store);
  await store.close();
  makeOlder(join(made, 'hkctl.db'));
});
afterAll(() => rmSync(made, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-rebuilt-'));
  path = join(folder, 'hkctl.db');
  cpSync(made, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const migrate = (withoutBackup = true) =>
  engineAt(path, storeOptions).migrate(() => {}, { withoutBackup });
const portrait = () => at(path, portraitOf);
const names = () => readdirSync(folder).sort();

/** Converts readings until a number of times progress was reported, and stops there as if it were killed. */
function interrupted(backup?: string): void {
  const killed = new Error('killed');
  const work = () => {
    const rebuilt = rebuildReadings({ path, version, migrationsFolder, backup, progress() {} });
    rebuilt.close();
    throw killed;
  };
  expect(work).toThrow(killed);
}

describe('the migration of a store that has a row for each reading', () => {
  it('keeps everything, replaces the file and leaves nothing else', async () => {
    const { readings } = filesOf(path);
    const inode = statSync(readings).ino;
    const there = names();
    const shares: number[] = [];
    const progress = (bytes: number, total: number) => shares.push(bytes / total);
    expect(
      await engineAt(path, storeOptions).migrate(() => {}, { withoutBackup: true, progress }),
    ).toEqual({
      applied: schemaVersions.readings - version,
    });
    expect(await portrait()).toEqual(before);
    expect(names().filter((name) => !there.includes(name))).toEqual(['hkctl.daemons']);
    expect(statSync(readings).ino).not.toBe(inode);
    expect(statSync(readings).mode & 0o777).toBe(0o600);
    expect(shares[0]).toBe(0);
    const connection = openFile(readings);
    expect(connection.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(
      differences(
        schemaObjectsIn(connection),
        migratedSchema('readings', schemaVersions.readings, migrationsFolder).objects,
      ),
    ).toEqual([]);
    connection.close();
    expect(await migrate()).toEqual({ applied: 0 });
  });

  it('accepts what comes later and gives no number of a sensor twice', async () => {
    await migrate();
    await at(path, async (store) => {
      const directory = await store.readings.directory(plant.entity.id);
      const [series = 0] = [...directory.values()]
        .map((sensor) => sensor.series)
        .sort((a, b) => b - a);
      const [last] = await store.readings.range({ series, limit: 1 });
      const again = batchOf([[series, last?.atUs ?? 0, last?.value ?? 0]]);
      expect(await store.readings.append(again)).toMatchObject({ accepted: 0, duplicates: 1 });
      expect(await store.readings.append(batchOf([[series, 9e15, 1]]))).toMatchObject({
        accepted: 1,
      });
    });
  });

  it('goes on where it was interrupted, with the backup that was made then', async () => {
    const { backup = '' } = await migrate(false);
    makeOlder(path);
    interrupted(backup);
    const backups = names().filter((name) => name.endsWith('.backup'));
    const made = statSync(filesOf(path).rebuilt).ino;
    expect(await migrate(false)).toMatchObject({ backup });
    expect(names().filter((name) => name.endsWith('.backup'))).toEqual(backups);
    expect(statSync(filesOf(path).readings).ino).toBe(made);
    expect(await portrait()).toEqual(before);
  });

  it('begins again if the older version has written meanwhile', async () => {
    interrupted();
    const older = openFile(filesOf(path).readings);
    older.exec(
      'update readings set value = 77.0125 where series = (select min(series) from readings)',
    );
    const [series = 0, count] = older
      .prepare<[], [number, number]>('select series, count(*) from readings where value = 77.0125')
      .raw()
      .get() ?? [0, 0];
    older.close();
    await migrate();
    await at(path, async (store) => {
      const found = await store.readings.range({ series, limit: 1e5 });
      expect(found.filter(({ value }) => value === 77.0125)).toHaveLength(count);
    });
  });

  it('leaves the old file as it is while a daemon serves it or another process has it open', async () => {
    const { readings, daemons } = filesOf(path);
    const content = readFileSync(readings);
    const release = holdAsDaemon(daemons);
    await expect(migrate()).rejects.toMatchObject({
      code: 'state_forbids',
      message: expect.stringContaining('daemon'),
    });
    release();
    const other = openFile(readings);
    other.prepare('select count(*) from readings').get();
    await expect(migrate()).rejects.toMatchObject({
      code: 'state_forbids',
      message: expect.stringContaining('open'),
    });
    other.close();
    expect(readFileSync(readings).equals(content)).toBe(true);
    await migrate();
    expect(await portrait()).toEqual(before);
  });

  it('refuses a row that hkctl has not written, and leaves the old file', async () => {
    for (const wrong of ["'x'", '9e999', "x'00'"]) {
      const older = openFile(filesOf(path).readings);
      older.exec(`insert into readings select max(series), 5, ${wrong}, 0 from readings`);
      older.close();
      await expect(migrate(), wrong).rejects.toMatchObject({ code: 'store_corrupt' });
      const again = openFile(filesOf(path).readings);
      again.exec('delete from readings where at_us = 5');
      again.close();
    }
    await migrate();
    expect(await portrait()).toEqual(before);
    expect(existsSync(filesOf(path).rebuilt)).toBe(false);
  });

  it('makes a backup that this version can restore, too', async () => {
    const { backup = '' } = await migrate(false);
    const other = join(folder, 'other', 'hkctl.db');
    await engineAt(other, storeOptions).restore(backup, {
      authorize() {},
      confirm() {},
      audit() {},
    });
    expect(await at(other, portraitOf)).toEqual(before);
  });
});

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { engineAt } from '../../../../src/store/open.ts';
import { filesOf, openFile } from '../../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import { compactWhileIdle } from '../../../../src/store/sqlite/readings/writer/compaction.ts';
import { ChunkEncoder } from '../../../../src/store/sqlite-file/chunks/codec.ts';
import { type Connection, openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { reseal, verify } from '../../../store/changed-backups.ts';
import { batchOf } from '../../../store/conformance/readings/readings.ts';
import { importInto } from '../../../store/conformance/records/stored-records.ts';
import { at, quiet } from '../../../store/restores.ts';
import { readingsOn } from '../../../store/sqlite/readings/sent.ts';
import { nowMs, plantIn, storeOptions } from '../../../store/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-chunks-'));
const [whole, file] = [join(folder, 'whole.backup'), join(folder, 'changed.backup')];
const path = join(folder, 'one', 'hkctl.db');
const perChunk = 1024;

beforeAll(async () => {
  const store = await engineAt(path, storeOptions).create();
  const plant = await plantIn(store);
  await importInto(store, plant, sensors, [
    { id: 'S-1', code: 'T1', name: 'One', is_active: true },
  ]);
  const series = (await store.readings.directory(plant.entity.id)).get('T1')?.series ?? 0;
  const rows = Array.from({ length: 3 * perChunk }, (_, n) => [series, n * 1e6, n / 8] as const);
  await store.readings.append(batchOf(rows));
  await store.close();
  await engineAt(path, storeOptions).backup(whole, { nowMs, force: false });
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => copyFileSync(whole, file));

/** The bytes of a chunk with these readings. */
function bytesOf(
  atUs: readonly number[],
  values: readonly number[] = atUs,
  quality = 0,
): Uint8Array {
  const columns = {
    count: atUs.length,
    atUs: Float64Array.from(atUs),
    values: Float64Array.from(values),
    qualities: new Uint8Array(atUs.length).fill(quality),
  };
  return new ChunkEncoder().encode(columns).slice();
}

function change(work: (backup: Connection) => void): void {
  const backup = openDatabase(file, {});
  backup.pragma('journal_mode = memory');
  work(backup);
  backup.close();
}

/** Puts readings in the place of those of the second chunk, which begins at 1024 s. */
function replaceSecond(
  body: Uint8Array,
  { fromUs, toUs, count }: { fromUs: unknown; toUs: unknown; count: unknown },
) {
  change((backup) => {
    const sql = 'update chunks set body = ?, from_us = ?, to_us = ?, count = ? where id = 2';
    backup.prepare<unknown[]>(sql).run(body, fromUs, toUs, count);
  });
}

const second = [1024e6, 1025e6, 1026e6] as const;
const facts = { fromUs: second[0], toUs: second[2], count: 3 };

describe('a backup', () => {
  it('has all readings in chunks, also those that were in the write buffer', async () => {
    const backup = openDatabase(whole, { readonly: true });
    const rows = 'select count, from_us, to_us from chunks order by from_us';
    expect(backup.prepare(rows).raw().all()).toEqual(
      [0, 1, 2].map((n) => [perChunk, n * 1024e6, (n + 1) * 1024e6 - 1e6]),
    );
    expect(backup.prepare('select count(*) from log').pluck().get()).toBe(0);
    backup.close();
    await verify(whole);
    const restored = join(folder, 'two', 'hkctl.db');
    await engineAt(restored, storeOptions).restore(whole, quiet);
    await at(restored, async (store) => {
      const [tenant] = await store.tenants.list();
      const [entity] = await store.entities.list(tenant?.id ?? '');
      const series = (await store.readings.directory(entity?.id ?? '')).get('T1')?.series ?? 0;
      expect(await store.readings.range({ series, limit: 1e5 })).toHaveLength(3 * perChunk);
      expect(
        await store.readings.append(
          batchOf([
            [series, 0, 0],
            [series, 5e6, 7],
            [series, 5e9, 1],
          ]),
        ),
      ).toMatchObject({
        accepted: 1,
        duplicates: 1,
        conflicts: [{}],
      });
    });
  });

  it('has no sums of days: a restored store makes those of its readings', async () => {
    const { readings } = filesOf(path);
    const perDay = 4000;
    const dayUs = 86_400_000_000;
    const connection = openFile(readings);
    const { stored, send } = readingsOn(connection);
    const series = connection.prepare<[], number>('select series from series').pluck().get() ?? 0;
    send(
      Array.from(
        { length: 2 * perDay },
        (_, n) => [series, 20_000 * dayUs + n * 21.6e6, n] as const,
      ),
    );
    while (compactWhileIdle(stored));
    const daysOf = (of: Connection) =>
      of.prepare('select day_us, body is null from day_sums order by 1').raw().all();
    expect(daysOf(connection)).toEqual([
      [0, 0],
      [20_000 * dayUs, 0],
    ]);
    connection.close();

    const second = join(folder, 'second.backup');
    await engineAt(path, storeOptions).backup(second, { nowMs, force: false });
    const backup = openDatabase(second, { readonly: true });
    expect(daysOf(backup)).toEqual([]);
    backup.close();
    const restored = join(folder, 'three', 'hkctl.db');
    await engineAt(restored, storeOptions).restore(second, quiet);
    const found = openFile(filesOf(restored).readings);
    expect(daysOf(found)).toEqual([
      [0, 1],
      [20_000 * dayUs, 1],
      [20_001 * dayUs, 1],
    ]);
    while (compactWhileIdle(new StoredReadings(found)));
    expect(daysOf(found)).toEqual([
      [0, 0],
      [20_000 * dayUs, 0],
      [20_001 * dayUs, 0],
    ]);
    found.close();
  });

  it('with other readings in a chunk, all of them right, is read', async () => {
    replaceSecond(bytesOf(second), facts);
    await verify(file);
  });
});

const place =
  'the readings of sensor "S-1" from 1970-01-01T00:17:04.000000Z to 1970-01-01T00:17:06.000000Z: ';
const wrong: readonly [what: string, body: Uint8Array, row: object, said: string][] = [
  ['bytes that end early', bytesOf(second).subarray(0, -1), {}, `${place}their bytes are damaged`],
  [
    'bytes after the end',
    Uint8Array.of(...bytesOf(second), 0),
    {},
    `${place}their bytes are damaged`,
  ],
  ['no bytes', new Uint8Array(0), {}, `${place}their bytes are damaged`],
  ['NaN', bytesOf(second, [1, Number.NaN, 2]), {}, `${place}one has a value that is none`],
  [
    'an infinite value',
    bytesOf(second, [1, Number.NEGATIVE_INFINITY, 2]),
    {},
    `${place}one has a value that is none`,
  ],
  ['an unknown quality', bytesOf(second, second, 4), {}, `${place}one has a value that is none`],
  [
    'instants out of order',
    bytesOf([1024e6, 1030e6, 1026e6]),
    {},
    `${place}they are not in order of time`,
  ],
  [
    'an instant twice',
    bytesOf([1024e6, 1024e6, 1026e6]),
    {},
    `${place}they are not in order of time`,
  ],
  [
    'another first instant',
    bytesOf([1023.5e6, 1025e6, 1026e6]),
    {},
    `${place}they begin or end at another instant`,
  ],
  [
    'another last instant',
    bytesOf([1024e6, 1025e6, 1027e6]),
    {},
    `${place}they begin or end at another instant`,
  ],
  [
    'a range that overlaps',
    bytesOf([5e6, 1026e6]),
    { fromUs: 5e6, count: 2 },
    'they begin before those before them end',
  ],
];

describe('a damaged backup is refused for', () => {
  it.each(wrong)('%s', async (_, body, row, said) => {
    replaceSecond(body, { ...facts, ...row });
    await expect(verify(file)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining(said),
    });
  });

  it('chunks of a sensor that it does not name', async () => {
    change((backup) => backup.exec('update chunks set series = 77 where id = 2'));
    await expect(verify(file)).rejects.toMatchObject({
      message: expect.stringContaining('the series 77 from'),
    });
  });

  it('all of this also when it is restored: nothing is changed', async () => {
    replaceSecond(bytesOf(second, [1, Number.NaN, 2]), facts);
    reseal(file);
    await expect(engineAt(path, storeOptions).restore(file, quiet)).rejects.toMatchObject({
      code: 'store_corrupt',
    });
    await at(path, async (store) => expect(await store.tenants.list()).toHaveLength(1));
  });
});

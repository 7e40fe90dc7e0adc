import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { aggregates } from '../../../../src/core/port/readings.ts';
import { engineAt } from '../../../../src/store/open.ts';
import { toSeries } from '../../../../src/store/postgres/readings/writer/series-numbers.ts';
import {
  initialVersion,
  schemaVersion,
  sqliteVersions,
} from '../../../../src/store/postgres/schema/schema-version.ts';
import { schemaVersions } from '../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { textOf } from '../../conformance/readings/readings.ts';
import { draftOf, newKey, nowMs, plantIn } from '../../stores.ts';
import { makeOlder, newDatabase, onServer } from '../databases.ts';
import { opened } from '../opened.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-migrate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const engine = (address: string, into = folder) =>
  engineAt(address, {
    clock: () => nowMs,
    migrationsFolder: join(process.cwd(), 'migrations'),
    env: { STATE_DIRECTORY: into },
  });

/** A store of the schema before this one, with a key that was revoked. */
async function olderStore() {
  const address = await newDatabase('store');
  const store = await opened(address, false);
  const plant = await plantIn(store);
  const key = newKey(plant, 1);
  await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'));
  await store.keys.revoke([key.id], plant.user.id, nowMs, [
    draftOf(plant.tenant.id, 'key.revoke', 'x'),
  ]);
  await makeOlder(address);
  const mark = `after_rotation:${key.id}:digest`;
  await onServer(address, `insert into hkctl.marks (name, value) values ('${mark}', 0)`);
  return { address, plant, key };
}

const hooks = { authorize: () => {}, confirm: async () => {}, audit: async () => {} };

it('knows the tables of a backup of each version', () => {
  expect(Object.keys(sqliteVersions).map(Number)).toEqual(
    Array.from({ length: schemaVersion - initialVersion + 1 }, (_, n) => n + initialVersion),
  );
  expect(sqliteVersions[schemaVersion]).toEqual(schemaVersions);
});

it('what version 0.2.0 has kept of dropped hours stays', async () => {
  const { address, plant } = await olderStore();
  const hourUs = 3_600_000_000;
  await onServer(
    address,
    `set search_path = hkctl; insert into record_entities (entity_id, last_series) values ('${plant.entity.id}', 2);
      insert into series select number, n, 's' || n from record_entities, generate_series(1, 2) n;
      insert into summaries select entity, series, h * ${hourUs}, 3, 1, 9, 4, 9, series, h * ${hourUs} + 5, h * ${hourUs} + 7
        from series, generate_series(0, 49) h`,
  );
  await engine(address, mkdtempSync(join(folder, 'hours-'))).migrate();
  const store = await opened(address, false);
  expect((await store.readings.retention(plant.entity.id)).summarisedUs).toBe(49 * hourUs + 7);
  const text = await textOf(store, {
    series: toSeries(1, 2),
    limit: 99,
    format: 'json',
    buckets: { widthUs: hourUs, aggregates },
  });
  const buckets: unknown[] = JSON.parse(`[${text}]`);
  const hour = { count: 3, min: 1, max: 9, avg: 4, first: 9, last: 2 };
  expect(buckets).toHaveLength(50);
  for (const bucket of buckets) expect(bucket).toMatchObject(hour);
});

it('a migration writes a backup of the older store first, which can be restored', async () => {
  const { address, plant, key } = await olderStore();
  await expect(engine(address).open()).rejects.toMatchObject({ code: 'store_too_old' });
  await expect(
    engine(address).backup(join(folder, 'x'), { nowMs, force: false }),
  ).rejects.toMatchObject({
    code: 'store_too_old',
  });
  const { applied, backup = '' } = await engine(address).migrate();
  expect([applied, backup]).toEqual([
    schemaVersion - initialVersion,
    expect.stringMatching(/hkctl_test_[0-9a-f]+\.before-migrate-20261120T081500Z\.backup\.gz$/),
  ]);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  const migrated = await engine(address).open();
  // The command that waits in a store of 0.2.0 is known by its digest.
  expect(await migrated.pendingSteps.list()).toEqual([
    { keyId: key.id, place: '', step: 'exec', command: null },
  ]);
  await migrated.close();
  expect(await engine(address).migrate()).toEqual({ applied: 0 });

  const other = await newDatabase();
  const { facts } = await engine(other).restore(backup, hooks);
  expect(facts).toMatchObject({ keys: 1 });
  const restored = await engine(other).open();
  expect(await restored.keys.find(plant.tenant.id, key.id)).toMatchObject({ revokedAtMs: nowMs });
  await restored.close();
});

it('a migration changes nothing where its backup cannot be written, and needs none where none is wanted', async () => {
  const { address } = await olderStore();
  const absent = join(folder, 'absent');
  await expect(engine(address, absent).migrate()).rejects.toThrow();
  await expect(engine(address).open()).rejects.toMatchObject({ code: 'store_too_old' });
  const before = readdirSync(folder);
  expect(await engine(address, absent).migrate(undefined, { withoutBackup: true })).toEqual({
    applied: schemaVersion - initialVersion,
  });
  expect([existsSync(absent), readdirSync(folder)]).toEqual([false, before]);
  await (await engine(address).open()).close();
});

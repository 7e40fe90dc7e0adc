import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { engineAt } from '../../../../src/store/open.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { reseal } from '../../changed-backups.ts';
import { batchOf } from '../../conformance/readings/readings.ts';
import { importInto } from '../../conformance/records/stored-records.ts';
import { quiet } from '../../restores.ts';
import { nowMs, plantIn, storeOptions } from '../../stores.ts';
import { newDatabase } from '../databases.ts';

it.each([
  ['records of an entity', 'update sensors set entity = 999'],
  ['heartbeats of a sensor', 'insert into heartbeats (series, at_us) values (999, 1)'],
])('a backup with %s that it does not name is refused, and leaves no store', async (_, change) => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-unnamed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'hkctl.db');
  const file = join(folder, 'plant.backup');
  const store = await engineAt(path, storeOptions).create();
  const plant = await plantIn(store);
  await importInto(store, plant, sensors, [
    { id: 'S-1', code: 'T1', name: 'One', is_active: true },
  ]);
  const series = (await store.readings.directory(plant.entity.id)).get('T1')?.series ?? 0;
  await store.readings.append(batchOf([[series, 1e6, 1.5]]));
  await store.close();
  await engineAt(path, storeOptions).backup(file, { nowMs, force: false });
  const backup = openDatabase(file, {});
  backup.exec(change);
  backup.close();
  reseal(file);
  const engine = engineAt(await newDatabase(), storeOptions);
  await expect(engine.restore(file, quiet)).rejects.toMatchObject({
    code: 'store_corrupt',
    message: expect.stringContaining('has a value that is not of its column'),
  });
  await expect(engine.open()).rejects.toMatchObject({ code: 'store_absent' });
});

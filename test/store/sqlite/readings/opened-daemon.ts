import { onTestFinished } from 'vitest';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { filesOf, openFile } from '../../../../src/store/sqlite/connection/files.ts';
import { sensorRows, seriesOf, textOf } from '../../conformance/readings/readings.ts';
import { importInto } from '../../conformance/records/stored-records.ts';
import { fileStore, plantIn } from '../../stores.ts';

/** A store as a daemon opens it, one sensor's series, and another process on the file of readings. */
export async function openDaemon() {
  const { store, path, remove } = await fileStore();
  onTestFinished(remove);
  const plant = await plantIn(store);
  await importInto(store, plant, sensors, sensorRows(1));
  await store.openAll();
  const series = await seriesOf(store, plant, 'S-1');
  const other = openFile(filesOf(path).readings);
  onTestFinished(() => void other.close());
  const values = async () =>
    (await textOf(store, { series, limit: 100, format: 'csv' })).match(/(?<=Z,)[^,]+/g);
  const lastValue = async () => (await store.readings.states([series])).get(series)?.reading?.value;
  return { store, path, plant, series, other, values, lastValue };
}

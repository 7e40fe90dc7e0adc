import { expect, it } from 'vitest';
import { filesOf, openFile } from '../../../../src/store/sqlite/connection/files.ts';
import { createFeed } from '../../../../src/store/sqlite/readings/feed.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import { compactWhileIdle } from '../../../../src/store/sqlite/readings/writer/compaction.ts';
import { fileStore } from '../../stores.ts';

it('tells each reading once, also those that left the write buffer before the next look', async () => {
  const { store, path, remove } = await fileStore();
  const append = (...readings: [atUs: number, value: number][]) =>
    store.readings.append({
      count: readings.length,
      rows: Float64Array.from(readings.flatMap(([atUs, value]) => [1, atUs, value, 0])),
    });
  const connection = openFile(filesOf(path).readings);
  const otherConnection = openFile(filesOf(path).readings);
  const stored = new StoredReadings(otherConnection);
  const compactAll = () => {
    while (compactWhileIdle(stored));
  };
  await append([5, 0.5]);
  const feed = createFeed(connection, new StoredReadings(connection), new Set([1]));
  const told = async () => {
    const { readings, isComplete } = await feed.next();
    return [readings.map(({ atUs }) => atUs), isComplete];
  };

  await append([10, 1]);
  await append([20, 2]);
  compactAll();
  expect(await told()).toEqual([[10, 20], false]);
  expect(await told()).toEqual([[], true]);
  await append([30, 3]);
  compactAll();
  await append([15, 1.5], [40, 4]);
  expect(await told()).toEqual([[15, 30, 40], false]);
  await append([50, 5]);
  expect(await told()).toEqual([[50], true]);
  compactAll();
  expect((await told())[0]).toEqual([]);
  await append([60, 6]);
  expect(await told()).toEqual([[60], true]);

  connection.close();
  otherConnection.close();
  await remove();
});

import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { filesOf, openFile } from '../../../../../src/store/sqlite/connection/files.ts';
import { createFeed } from '../../../../../src/store/sqlite/readings/feed.ts';
import { StoredReadings } from '../../../../../src/store/sqlite/readings/stored.ts';
import {
  IngestWriter,
  joinBatches,
} from '../../../../../src/store/sqlite/readings/writer/ingest-writer.ts';
import { batchOf } from '../../../../store/conformance/readings/readings.ts';
import { readingsInMemory } from '../../../../store/sqlite/readings/sent.ts';
import { fileStore } from '../../../../store/stores.ts';

it('the write buffer stops growing, however many readings arrive, and all of them can be read', () => {
  const { connection, stored, sendRows } = readingsInMemory();
  const [series, inCommit, commits] = [500, 40_000, 40];
  const sizes: number[] = [];
  for (let commit = 0; commit < commits; commit++) {
    const rows = new Float64Array(4 * inCommit);
    for (let i = 0; i < inCommit; i++) {
      const n = commit * inCommit + i;
      rows.set([n % series, Math.floor(n / series) * 1e6, n / 100, 0], 4 * i);
    }
    expect(sendRows(rows)).toEqual({ accepted: inCommit, duplicates: 0, conflicts: [] });
    sizes.push(stored.buffer.memory.count);
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(540_000);
  // A row can go once the series that compacts last has compacted.
  expect(connection.prepare('select count(*) from log').pluck().get()).toBeLessThan(30);
  let count = 0;
  for (let n = 0; n < series; n++)
    count += stored.reading(() => stored.count(n, 0, Number.POSITIVE_INFINITY));
  expect(count).toBe(inCommit * commits);
  connection.close();
});

it('a last reading that was removed is no last reading for whoever looks at the write buffer only once', () => {
  const { connection, stored, sendRows } = readingsInMemory();
  sendRows(Float64Array.from([7, 1, 10, 0, 7, 2, 20, 0]));
  const lastOf = () => new StoredReadings(connection).readingLast((last) => last(7));
  expect(lastOf()).toMatchObject({ atUs: 2, value: 20 });
  stored.writing(() => stored.remove([{ series: 7, fromUs: 2, toUs: 3 }]));
  expect(lastOf()).toMatchObject({ atUs: 1, value: 10 });
  connection.close();
});

it('a batch that is written from the memory of a longer one brings nothing of that along', async () => {
  const { store, remove } = await fileStore();
  onTestFinished(remove);
  const batch = (series: number, size: number) =>
    batchOf(Array.from({ length: size }, (_, n) => [series, n, series]));
  const sizes = [...[3000, 2100, 1].entries()];
  for (const [series, size] of sizes) {
    expect(await store.readings.append(batch(series, size))).toMatchObject({
      accepted: size,
      duplicates: 0,
    });
  }
  for (const [series, size] of sizes) {
    const found = await store.readings.range({ series, limit: 5000 });
    expect(found.map(({ atUs, value }) => [atUs, value])).toEqual(
      Array.from({ length: size }, (_, n) => [n, series]),
    );
  }
});

it('readings compact once nothing is written any more', async () => {
  const { store, path, remove } = await fileStore();
  onTestFinished(remove);
  const connection = openFile(filesOf(path).readings);
  onTestFinished(() => void connection.close());
  await store.readings.append(batchOf([1, 2, 3].map((n) => [7, n, n])));
  const chunks = connection
    .prepare<[], number>('select sum(count) from chunks where series = 7')
    .pluck();
  expect(chunks.get()).toBeNull();
  while (chunks.get() !== 3) await wait(20);
  // The newest row stays, so that no id is used twice.
  expect(connection.prepare('select id, length(body) from log').raw().all()).toEqual([[1, 0]]);
  expect(await store.readings.range({ series: 7, limit: 10 })).toHaveLength(3);
});

it('readings of another process leave the write buffer only seconds after the last of them', async () => {
  const { store, path, remove } = await fileStore();
  onTestFinished(remove);
  const connection = openFile(filesOf(path).readings);
  onTestFinished(() => void connection.close());
  const other = new StoredReadings(connection);
  const feed = createFeed(connection, new StoredReadings(connection), new Set([7]));
  await store.readings.append(batchOf([[7, 1000, 1]]));
  expect((await feed.next()).readings).toHaveLength(1);
  const writer = new IngestWriter(connection, other);
  // Longer than the writer thread waits before it looks, each reading older than the one before.
  for (let atUs = 999; atUs > 960; atUs--) {
    writer.write([joinBatches([batchOf([[7, atUs, 1]])])]);
    await wait(200);
  }
  const { readings, isComplete } = await feed.next();
  expect([readings.length, isComplete]).toEqual([39, true]);
});

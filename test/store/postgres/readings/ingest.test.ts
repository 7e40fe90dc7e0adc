import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BatchResult } from '../../../../src/core/port/readings.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { engineAt } from '../../../../src/store/open.ts';
import { createIngestQueue } from '../../../../src/store/postgres/readings/writer/ingest-queue.ts';
import { batchOf } from '../../conformance/readings/readings.ts';
import { importInto } from '../../conformance/records/stored-records.ts';
import { type Plant, plantIn, storeOptions } from '../../stores.ts';
import { newDatabase, onServer } from '../databases.ts';

let address: string;
let daemons: Store[];
let plant: Plant;
const seriesOf = async (store: Store, name: string) =>
  (await store.readings.directory(plant.entity.id)).get(name)?.series ?? 0;

beforeAll(async () => {
  address = await newDatabase('store');
  daemons = await Promise.all([1, 2, 3].map(() => engineAt(address, storeOptions).open()));
  const [first] = daemons;
  if (!first) throw new Error('there is no store');
  plant = await plantIn(first);
  const rows = Array.from({ length: 40 }, (_, n) => ({
    id: `S-${n}`,
    code: `C-${n}`,
    name: 'n',
    is_active: true,
  }));
  await importInto(first, plant, sensors, rows);
});
afterAll(async () => {
  for (const store of daemons) await store.close();
});

it('a sensor has the same number on every daemon that sees it first', async () => {
  const numbers = await Promise.all(
    daemons.map((store) => Promise.all([0, 7, 39].map((n) => seriesOf(store, `S-${n}`)))),
  );
  expect(new Set(numbers.flat()).size).toBe(3);
  for (const found of numbers) expect(found).toEqual(numbers[0]);
});

it('the same readings sent to several daemons in any order are kept once, and nothing waits in a circle', async () => {
  const series = await Promise.all(
    Array.from({ length: 40 }, (_, n) => seriesOf(daemons[0] as Store, `S-${n}`)),
  ); // three
  const [count, rounds] = [3000, 12];
  const results: BatchResult[] = [];
  for (let round = 0; round < rounds; round++) {
    const rows = Array.from(
      { length: count },
      (_, n) => [series[n % 40] ?? 0, round * 1_000_000 + n, n] as const,
    );
    const orders = [
      rows,
      rows.toReversed(),
      [...rows.slice(count / 2), ...rows.slice(0, count / 2)],
    ];
    results.push(
      ...(await Promise.all(
        daemons.map((store, n) => store.readings.append(batchOf(orders[n] ?? rows))),
      )),
    );
  }
  const sum = (name: 'accepted' | 'duplicates') =>
    results.reduce((total, result) => total + result[name], 0);
  expect([sum('accepted'), sum('duplicates')]).toEqual([count * rounds, 2 * count * rounds]);
  expect(results.flatMap(({ conflicts }) => conflicts)).toEqual([]);
});

it('another value at the same instant is refused, whichever daemon has the first', async () => {
  const series = await seriesOf(daemons[0] as Store, 'S-1'); // three
  const sent = daemons.map((store, n) => store.readings.append(batchOf([[series, 5, n]])));
  const results = await Promise.all(sent);
  expect(results.filter(({ accepted }) => accepted === 1)).toHaveLength(1);
  expect(results.filter(({ conflicts }) => conflicts.length === 1)).toHaveLength(2);
});

it('an import on one daemon is followed by the others at once', async () => {
  const [first, second] = daemons;
  if (!first || !second) throw new Error('there are stores');
  await second.readings.directory(plant.entity.id);
  await importInto(first, plant, sensors, [
    { id: 'S-NEW', code: 'NEW', name: 'n', is_active: true },
  ]);
  expect((await second.readings.directory(plant.entity.id)).has('NEW')).toBe(true);
});

it('readings whose connection is cut are refused, and those after them are kept', async () => {
  const [store] = daemons;
  if (!store) throw new Error('there is a store');
  const series = await seriesOf(store, 'S-2');
  await store.readings.append(batchOf([[series, 1, 1]]));
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  await onServer(address, cut);
  const result = await store.readings.append(batchOf([[series, 2, 2]])).catch((thrown) => thrown);
  if ('code' in result) expect(result.code).toBe('store_unreachable');
  expect(await store.readings.append(batchOf([[series, 3, 3]]))).toMatchObject({ accepted: 1 });
  expect(
    (await store.readings.range({ series, fromUs: 0, toUs: 4, limit: 9 })).map(({ atUs }) => atUs),
  ).toContain(3);
});

it('while the writers wait, what comes next gathers in one group; an error reaches its own group only', async () => {
  const groups: { batches: readonly number[]; end(error?: Error): void }[] = [];
  const writer = (batches: readonly number[]) =>
    new Promise<BatchResult[]>((resolve, reject) => {
      const results = batches.map((accepted) => ({ accepted, duplicates: 0, conflicts: [] }));
      groups.push({ batches, end: (error) => (error ? reject(error) : resolve(results)) });
    });
  const queue = createIngestQueue<number>([writer, writer], (size) => size);
  const first = queue.write(1);
  await started(groups, 1);
  const second = [queue.write(2), queue.write(3)];
  await started(groups, 2);
  const third = [queue.write(4), queue.write(15_000), queue.write(15_000)];
  groups[0]?.end(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  await started(groups, 3);
  expect(groups.map(({ batches }) => batches)).toEqual([[1], [2, 3], [4, 15_000]]);
  groups[1]?.end();
  expect((await Promise.all(second)).map(({ accepted }) => accepted)).toEqual([2, 3]);
  await started(groups, 4);
  groups[2]?.end();
  groups[3]?.end();
  expect((await Promise.all(third)).map(({ accepted }) => accepted)).toEqual([4, 15_000, 15_000]);
  await queue.drained();
});

it('more than may wait is refused at once, and accepted again when there is room', async () => {
  const ends: (() => void)[] = [];
  const writer = (batches: readonly number[]) =>
    new Promise<BatchResult[]>((resolve) => {
      ends.push(() =>
        resolve(batches.map((accepted) => ({ accepted, duplicates: 0, conflicts: [] }))),
      );
    });
  const queue = createIngestQueue<number>([writer], (size) => size);
  const waiting = [queue.write(600_000), queue.write(400_000)];
  await expect(queue.write(1)).rejects.toMatchObject({ code: 'unavailable' });
  await started(ends, 1);
  ends[0]?.();
  await started(ends, 2);
  waiting.push(queue.write(600_000));
  ends[1]?.();
  await started(ends, 3);
  ends[2]?.();
  expect((await Promise.all(waiting)).map(({ accepted }) => accepted)).toEqual([
    600_000, 400_000, 600_000,
  ]);
  const many = Array.from({ length: 20_000 }, () => queue.write(0));
  await expect(queue.write(0)).rejects.toMatchObject({ code: 'unavailable' });
  await started(ends, 4);
  ends[3]?.();
  await Promise.all(many);
});

/** Waits until so many groups have begun. */
async function started(groups: readonly unknown[], count: number): Promise<void> {
  while (groups.length < count) await new Promise((resolve) => setImmediate(resolve));
}

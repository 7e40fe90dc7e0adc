import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quarterUs } from '../../../../src/core/readings/reads/quarters.ts';
import { createReader } from '../../../../src/store/sqlite/readings/reader/reader.ts';
import { createDrop } from '../../../../src/store/sqlite/readings/retention.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import { bufferedFor } from '../../../../src/store/sqlite/readings/write-buffer/write-buffer.ts';
import { propertyRuns } from '../../../properties.ts';
import { client } from '../../conformance/readings/readings.ts';
import { readingsInMemory, readsBy } from './sent.ts';

const hourUs = 4 * quarterUs;

/** A database with one series whose readings lie at the given minutes; each has its number as value. */
function databaseOf(minutes: readonly number[]) {
  const { connection, stored, send: sendReadings } = readingsInMemory();
  connection.exec("insert into series (series, entity_id, sensor_id) values (1, 'E', 'S')");
  const send = (sent: readonly number[]) => {
    sendReadings(sent.map((minute) => [1, minute * 60_000_000, minutes.indexOf(minute)]));
  };
  send(minutes);
  return { connection, stored, send };
}

it('a read in buckets of quarters of an hour is the same whatever is dropped, and sent again, between any two of its slices', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.integer({ min: -300, max: 900 }), { minLength: 1, maxLength: 120 }),
    fc.constantFrom(1, 2, 4, 5, 96),
    fc.option(fc.integer({ min: -20, max: 60 }), { nil: undefined }),
    fc.integer({ min: 1, max: 30 }),
    fc.array(
      fc.record({
        steps: fc.integer({ min: 0, max: 12 }),
        quarter: fc.integer({ min: -20, max: 64 }),
        again: fc.array(fc.nat({ max: 119 }), { maxLength: 10 }),
      }),
      { maxLength: 40 },
    ),
    fc.boolean(),
    async (minutes, quarters, fromQuarter, most, drops, isDaemon) => {
      const { connection, stored, send } = databaseOf(minutes);
      try {
        const drop = createDrop(connection, stored, { readings: 3, series: 1 });
        const readSlice = createReader(connection, stored).slice;
        const readOfDaemon = createReader(connection, new StoredReadings(connection)).slice;
        const read = async (between: () => void) => {
          const reads = readsBy(async (asked) => {
            const request = { ...asked, most };
            const buffered = isDaemon
              ? stored.reading(() => bufferedFor.slice(stored.buffer.memory, request))
              : undefined;
            if (isDaemon) between();
            const slice = buffered ? readOfDaemon(request, buffered) : readSlice(request);
            between();
            return slice;
          });
          const buckets = {
            widthUs: quarters * quarterUs,
            aggregates: ['count', 'min', 'max', 'last'] as const,
          };
          const fromUs = fromQuarter === undefined ? undefined : fromQuarter * quarterUs;
          const text = await reads.read(
            { series: 1, fromUs, limit: 1000, format: 'csv', buckets },
            client(),
          );
          return Buffer.from(text.text).toString();
        };
        const expected = await read(() => {});
        let next = 0;
        const dropping = () => {
          const { steps = 0, quarter = 0, again = [] } = drops[next++] ?? {};
          for (let step = 0; step < steps; step++)
            drop({ entityId: 'E', untilUs: quarter * quarterUs });
          send(again.flatMap((n) => minutes[n] ?? []));
        };
        expect(await read(dropping)).toBe(expected);
        expect(await read(dropping)).toBe(expected);
      } finally {
        connection.close();
      }
    },
  );
  await fc.assert(property, propertyRuns(300));
});

it('a quarter that is dropped is not counted twice by a read that had begun before', async () => {
  const { connection, stored } = databaseOf(Array.from({ length: 60 }, (_, n) => n));
  const drop = createDrop(connection, stored, { readings: 25, series: 1 });
  const readSlice = createReader(connection, stored).slice;
  const seen: number[] = [];
  const reads = readsBy(async (request) => {
    const slice = readSlice({ ...request, most: 20 });
    seen.push(slice.scanned);
    // After the second slice the drop overtakes the read.
    if (seen.length === 2)
      for (let step = 0; step < 2; step++) drop({ entityId: 'E', untilUs: hourUs });
    return slice;
  });
  const buckets = { widthUs: hourUs, aggregates: ['count', 'last'] as const };
  const text = await reads.read({ series: 1, limit: 10, format: 'csv', buckets }, client());
  expect(Buffer.from(text.text).toString()).toBe('1970-01-01T00:00:00.000000Z,60,59\n');
  // The bucket was read anew, which has four quarters.
  expect(seen).toEqual([20, 20, 4]);
  connection.close();
});

it('an hour that was sent again is not counted twice, however many slices it takes', async () => {
  const minutes = Array.from({ length: 60 }, (_, n) => n);
  const { connection, stored, send } = databaseOf([...minutes, 70]);
  const drop = createDrop(connection, stored, { readings: 100, series: 1 });
  drop({ entityId: 'E', untilUs: hourUs });
  send(minutes);
  const readSlice = createReader(connection, stored).slice;
  const reads = readsBy(async (request) => readSlice({ ...request, most: 20 }));
  const buckets = { widthUs: 2 * hourUs, aggregates: ['count', 'last'] as const };
  const text = await reads.read({ series: 1, limit: 10, format: 'csv', buckets }, client());
  expect(Buffer.from(text.text).toString()).toBe('1970-01-01T00:00:00.000000Z,61,60\n');
  connection.close();
});

import { expect, it } from 'vitest';
import { parseLocation } from '../../../../../src/store/postgres/address/location.ts';
import { PooledDatabase } from '../../../../../src/store/postgres/connection/database.ts';
import { createReadingWriter } from '../../../../../src/store/postgres/readings/writer/batches.ts';
import { batchOf } from '../../../conformance/readings/readings.ts';
import { newDatabase, onServer } from '../../databases.ts';

/** A lane that counts the statements that insert a group without a search for its rows. */
function countingLane(address: string) {
  const database = new PooledDatabase(parseLocation(address, {}));
  const ingest = database.lane('ingest');
  const lane = {
    plain: 0,
    query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
      if (/^insert (?!.*on conflict)/s.test(text)) lane.plain++;
      return ingest.query<Row>(text, values);
    },
    copy(text: string, rows: Buffer): Promise<void> {
      lane.plain++;
      return ingest.copy(text, rows);
    },
    close: () => database.close(),
  };
  return lane;
}

it('groups are inserted plainly until one has a repeated reading, and again after a while without', async () => {
  const address = await newDatabase('store');
  const lane = countingLane(address);
  const write = createReadingWriter(lane, 'hkctl');
  const one = (atUs: number, value = 1) => write([batchOf([[1, atUs, value]])]);
  const accepted = [{ accepted: 1, duplicates: 0, conflicts: [] }];
  try {
    for (let at = 1; at <= 10; at++) expect(await one(at)).toEqual(accepted);
    expect(lane.plain).toBe(10);
    expect(await one(5)).toEqual([{ accepted: 0, duplicates: 1, conflicts: [] }]);
    expect(await one(5, 2)).toEqual([{ accepted: 0, duplicates: 0, conflicts: [0] }]);
    for (let at = 11; at <= 265; at++) expect(await one(at)).toEqual(accepted);
    expect(lane.plain).toBe(11);
    expect(await one(266)).toEqual(accepted);
    expect(lane.plain).toBe(12);
  } finally {
    await lane.close();
  }
});

it('repeated readings are found where the server gives their error no code of its own, as Citus does', async () => {
  const address = await newDatabase('store');
  await onServer(
    address,
    `create function public.refuse() returns trigger language plpgsql as $$ begin
        if current_query() !~ 'on conflict' and exists (select from hkctl.readings where at_us = new.at_us) then
          raise exception 'duplicate key value' using errcode = 'XX000';
        end if;
        return new;
      end $$`,
    'create trigger refuse before insert on hkctl.readings for each row execute function public.refuse()',
  );
  const lane = countingLane(address);
  const write = createReadingWriter(lane, 'hkctl');
  try {
    expect(await write([batchOf([[1, 5, 1]])])).toEqual([
      { accepted: 1, duplicates: 0, conflicts: [] },
    ]);
    const both = [
      [1, 5, 1],
      [1, 6, 1],
    ] as const;
    expect(await write([batchOf(both.map((row) => [...row]))])).toEqual([
      { accepted: 1, duplicates: 1, conflicts: [] },
    ]);
  } finally {
    await lane.close();
  }
});

it('large groups go by COPY, all or none, and what was there already is found afterwards', async () => {
  const address = await newDatabase('store');
  const lane = countingLane(address);
  const write = createReadingWriter(lane, 'hkctl');
  // Two series one after the other, in the order of time backwards.
  const rows = Array.from({ length: 4000 }, (_, n): [number, number, number] => [
    1 + (n % 2),
    8_000_000_000 - n,
    -n / 7,
  ]);
  try {
    expect(await write([batchOf(rows.slice(0, 1500)), batchOf(rows.slice(1500, 3000))])).toEqual([
      { accepted: 1500, duplicates: 0, conflicts: [] },
      { accepted: 1500, duplicates: 0, conflicts: [] },
    ]);
    expect(lane.plain).toBe(1);
    const stored = await lane.query<{ row: number[] }>(
      'select array[entity, series, at_us, value, quality] as row from readings',
    );
    const sorted = rows.slice(0, 3000).sort(([a, at], [b, bt]) => a - b || at - bt);
    expect(stored.map(({ row }) => row)).toEqual(
      sorted.map(([series, at, value]) => [0, series, at, value, 0]),
    );
    const [again] = await write([batchOf([...rows.slice(2000), [1, 8_000_000_000, 1]])]);
    expect(again).toEqual({ accepted: 1000, duplicates: 1000, conflicts: [2000] });
    expect(await write([batchOf(rows)])).toEqual([
      { accepted: 0, duplicates: 4000, conflicts: [] },
    ]);
  } finally {
    await lane.close();
  }
});

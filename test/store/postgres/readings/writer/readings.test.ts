import { expect, it } from 'vitest';
import { parseLocation } from '../../../../../src/store/postgres/address/location.ts';
import { createLane } from '../../../../../src/store/postgres/connection/lane.ts';
import { Session } from '../../../../../src/store/postgres/connection/session.ts';
import { createReadingWriter } from '../../../../../src/store/postgres/readings/writer/readings.ts';
import { batchOf } from '../../../conformance/readings/readings.ts';
import { newDatabase, onServer } from '../../databases.ts';

/** A lane that counts the statements that insert a group without a search for its rows. */
async function countingLane(address: string) {
  const session = await Session.open(parseLocation(address, {}), { silentMs: 30_000, connectTimeoutMs: 5000 });
  const { query, change } = createLane((work) => work(session));
  const lane = {
    plain: 0,
    query,
    change(text: string, values?: readonly unknown[]) {
      lane.plain++;
      return change(text, values);
    },
    close: () => session.close(),
  };
  return lane;
}

it('groups are inserted plainly until one has a repeated reading, and again after a while without', async () => {
  const address = await newDatabase('store');
  const lane = await countingLane(address);
  const write = createReadingWriter(lane);
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
  const lane = await countingLane(address);
  const write = createReadingWriter(lane);
  try {
    expect(await write([batchOf([[1, 5, 1]])])).toEqual([{ accepted: 1, duplicates: 0, conflicts: [] }]);
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

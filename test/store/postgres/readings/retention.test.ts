import { expect, it } from 'vitest';
import { newDatabase, onServer } from '../databases.ts';
import { opened } from '../opened.ts';

it('drops the few readings of many sensors in one step, however far the server is', async () => {
  const address = await newDatabase('store');
  const [sensors, hourUs] = [1500, 3_600_000_000];
  await onServer(
    address,
    `set search_path = hkctl; insert into record_entities (entity_id, last_series) values ('e', ${sensors});
      insert into series select number, n, 's' || n from record_entities, generate_series(1, ${sensors}) n;
      insert into readings select entity, series, at, series, 0 from series, unnest('{5, ${hourUs + 5}}'::bigint[]) at`,
  );
  const store = await opened(address, false);
  const dropped = await store.readings.drop({ entityId: 'e', untilUs: hourUs });
  expect(dropped).toEqual({ readings: sensors, next: null });
  expect(await store.readings.retention('e')).toEqual({
    oldestUs: hourUs + 5,
    untilUs: hourUs,
    summarisedUs: 5,
  });
});

import { expect, it } from 'vitest';
import { newDatabase, onServer } from '../../store/postgres/databases.ts';
import { opened } from '../../store/postgres/opened.ts';
import { draftOf, newKey, nowMs, plantIn } from '../../store/stores.ts';

it('more keys than a statement can have parameters are revoked together, or none of them', async () => {
  const count = 70_000;
  const address = await newDatabase('store');
  const store = await opened(address, false);
  const plant = await plantIn(store);
  await store.keys.insert(newKey(plant, 0), draftOf(plant.tenant.id, 'key.create', 'x'));
  await onServer(
    address,
    `insert into hkctl.keys select r.* from hkctl.keys o, generate_series(1, ${count}) n,
      jsonb_populate_record(o, jsonb_build_object(
        'id', 'key ' || n, 'prefix', 'prefix ' || n, 'secret_hash', 'hash ' || n)) as r`,
  );
  const ids = Array.from({ length: count }, (_, n) => `key ${n + 1}`);
  const audit = [draftOf(plant.tenant.id, 'key.revoke', 'many')];
  const filter = { statuses: ['Active'], nowMs: nowMs + 1 } as const;
  expect(await store.keys.revoke([...ids, 'unknown'], plant.user.id, nowMs, audit)).toEqual([
    'unknown',
  ]);
  expect(await store.keys.count(plant.tenant.id, filter)).toBe(count + 1);
  expect(await store.keys.revoke(ids, plant.user.id, nowMs, audit)).toEqual([]);
  expect(await store.keys.count(plant.tenant.id, filter)).toBe(1);
  expect(await store.keys.find(plant.tenant.id, 'key 70000')).toMatchObject({
    revokedAtMs: nowMs,
    revokedBy: { login: plant.user.login },
    rotatedTo: null,
  });
});

import { Client } from 'pg';
import { expect, it } from 'vitest';
import { draftOf, newKey, nowMs, plantIn } from '../../stores.ts';
import { newDatabase, onServer } from '../databases.ts';
import { opened } from '../opened.ts';

async function journalIn(address: string): Promise<string[]> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(
      'select line from hkctl.journal order by number',
    );
    return rows.map(({ line }) => line.split(' ').slice(1, 3).join(' '));
  } finally {
    await client.end();
  }
}

it('a change on PostgreSQL journals its stops and starts in its own transaction', async () => {
  const address = await newDatabase('store');
  const store = await opened(address, false);
  const plant = await plantIn(store);
  const { tenant, user, entity } = plant;
  const draft = draftOf(tenant.id, 'user.set_role', 'x');
  const other = { ...user, id: 'other', login: 'other', role: 'super_user' as const };
  await store.users.insert(other, draft);
  const key = newKey(plant, 1);
  await store.keys.insert(key, draft);

  await store.users.update(other.id, { status: 'inactive' }, draft);
  await store.users.update(other.id, { status: 'active' }, draft);
  await store.entities.setStatus(entity.id, 'inactive', draft);
  await store.entities.setStatus(entity.id, 'active', draft);
  await store.keys.revoke([key.id], user.id, nowMs, [draft]);
  const expected = [
    'deactivated user',
    'activated user',
    'deactivated entity',
    'activated entity',
    `revoked ${key.id}`,
  ];
  expect(await journalIn(address)).toEqual(expected);

  await onServer(
    address,
    "create function hkctl.no_more() returns trigger language plpgsql as $$ begin raise 'no more'; end $$",
    'create trigger no_more before insert on hkctl.audit for each row execute function hkctl.no_more()',
  );
  await expect(store.entities.remove(entity.id, draft)).rejects.toThrow();
  await expect(store.users.update(other.id, { role: 'operator' }, draft)).rejects.toThrow();
  expect(await journalIn(address)).toEqual(expected);
});

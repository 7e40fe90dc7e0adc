import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/core/port/store.ts';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import { atEndOfFile } from '../../ends.ts';
import { newDatabase, onServer } from '../../store/postgres/databases.ts';
import { opened } from '../../store/postgres/opened.ts';
import { draftOf, fileStore, plantIn } from '../../store/stores.ts';

/** Appends copies of the first record, which do not fit into the chain, to a trail. */
const copies = (
  sequence: string,
  quoted: string,
) => `insert into audit (seq, tenant_id, at_ms, action, os_account, target, outcome,
    detail, previous_hash, hash)
  select 100 + n, tenant_id, at_ms, action, os_account, ${quoted}, outcome, detail, previous_hash, hash
  from audit cross join ${sequence} where seq = 1`;

describe.each<[string, () => Promise<Store>]>([
  [
    'SQLite',
    async () => {
      const { path, store, remove } = await fileStore({ isThreaded: false });
      atEndOfFile(remove);
      await plantIn(store);
      const connection = openDatabase(path, {});
      const numbers =
        'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 20400)';
      connection.exec(copies(`(${numbers} select n from numbers)`, "'copy'"));
      connection.close();
      return store;
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const address = await newDatabase('store');
      const store = await opened(address, false);
      await plantIn(store);
      await onServer(
        address,
        `set search_path = hkctl; ${copies('generate_series(1, 20400) as n', `'"copy"'`)}`,
      );
      return store;
    },
  ],
])('a long trail on %s', (_name, open) => {
  it('is searched to its beginning, newest first, up to the limit', async () => {
    const store = await open();
    const [tenant] = await store.tenants.list();
    const list = async (filter: Parameters<Store['audit']['list']>[1]) =>
      (await store.audit.list(tenant?.id ?? '', filter)).map(({ seq, target }) => [seq, target]);
    expect(await list({ limit: 2 })).toEqual([
      [20_500, 'copy'],
      [20_499, 'copy'],
    ]);
    const [first] = await list({ target: tenant?.name ?? '', limit: 5 });
    expect(first).toEqual([1, tenant?.name]);
    expect(await list({ limit: 1, after: 20_400 })).toEqual([[20_399, 'copy']]);
    expect(await list({ limit: 1, after: 20_400, isOldestFirst: true })).toEqual([
      [20_401, 'copy'],
    ]);
    const all = await list({ limit: 100_000 });
    expect(all.length).toBe(20_401);
    expect(all.every(([seq], at) => at === 0 || Number(seq) < Number(all[at - 1]?.[0]))).toBe(true);
    await store.audit.append(draftOf(tenant?.id ?? '', 'key.list', 'last'));
    expect(await list({ target: 'LAST', limit: 5 })).toEqual([[20_501, 'last']]);
  });
});

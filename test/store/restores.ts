import { Client } from 'pg';
import type { RestoreHooks } from '../../src/core/operations/backups.ts';
import type { Store } from '../../src/core/port/store.ts';
import { engineAt } from '../../src/store/open.ts';
import { storeOptions } from './stores.ts';

/** A restore that asks nothing and audits nothing. */
export const quiet: RestoreHooks = { authorize() {}, confirm() {}, audit() {} };

/** Does something with the store at a location. */
export async function at<T>(location: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await engineAt(location, storeOptions).open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Holds a transaction open with a statement, in the database at an address. */
export async function holding(address: string, statement: string): Promise<Client> {
  const client = new Client({ connectionString: address });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return client;
}

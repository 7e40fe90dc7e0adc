import { afterEach, describe } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { plantIn, postgresStore } from '../stores.ts';
import { emptyStore, newDatabase } from './databases.ts';

const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

/** A store whose tables were distributed by Citus; its content is deleted. */
const distributed = process.env.TEST_HKCTL_CITUS;

/** Databases that no test uses at the moment. */
const free = distributed ? [distributed] : [];
if (distributed) await emptyStore(distributed);

describe('PostgreSQL', () => {
  conformance(async () => {
    const address = free.pop() ?? (await newDatabase('store'));
    const store = await postgresStore(address);
    removals.push(async () => {
      await store.close();
      await emptyStore(address);
      free.push(address);
    });
    return { store, plant: await plantIn(store) };
  });
});

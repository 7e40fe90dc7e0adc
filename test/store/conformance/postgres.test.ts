import { afterEach, describe } from 'vitest';
import { plantIn, postgresStore } from '../stores.ts';
import { conformance } from './conformance.ts';

const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

describe('PostgreSQL', () => {
  conformance(async () => {
    const store = await postgresStore();
    removals.push(async () => store.close());
    return { store, plant: await plantIn(store) };
  });
});

import { afterEach, describe } from 'vitest';
import { fileStore, plantIn } from '../stores.ts';
import { conformance } from './conformance.ts';

const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

describe('SQLite', () => {
  conformance(async () => {
    const { store, remove } = await fileStore();
    removals.push(remove);
    return { store, plant: await plantIn(store) };
  });
});

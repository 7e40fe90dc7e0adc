import { afterEach, describe } from 'vitest';
import { fileStore, memoryStore, plantIn } from '../stores.ts';
import { keyConformance } from './keys.ts';

const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

describe('SQLite in memory', () => {
  keyConformance(async () => {
    const store = await memoryStore();
    removals.push(async () => store.close());
    return { store, plant: await plantIn(store) };
  });
});

describe('SQLite in files', () => {
  keyConformance(async () => {
    const { store, remove } = await fileStore();
    removals.push(remove);
    return { store, plant: await plantIn(store) };
  });
});

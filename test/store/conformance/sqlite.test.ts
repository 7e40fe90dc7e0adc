import { afterEach, describe } from 'vitest';
import { fileStore, plantIn, temporaryStore } from '../stores.ts';
import { conformance } from './conformance.ts';

const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

describe('SQLite without threads', () => {
  conformance(async () => {
    const store = await temporaryStore();
    removals.push(async () => store.close());
    return { store, plant: await plantIn(store) };
  });
});

describe('SQLite with the threads of a daemon', () => {
  conformance(async () => {
    const { store, remove } = await fileStore();
    removals.push(remove);
    return { store, plant: await plantIn(store) };
  });
});

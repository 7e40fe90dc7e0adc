import { afterEach } from 'vitest';
import { fileStore, plantIn } from '../../stores.ts';
import type { Given } from '../given.ts';

/** Stores in files, which are removed after each test of the file of tests that asks. */
export function givenFiles(): Given {
  const removals: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const remove of removals.splice(0)) await remove();
  });
  return async () => {
    const { store, remove } = await fileStore();
    removals.push(remove);
    return { store, plant: await plantIn(store) };
  };
}

import { onTestFinished } from 'vitest';
import type { Store } from '../../../src/core/port/store.ts';
import { openStore } from '../../../src/store/sqlite/opening.ts';
import { nowMs, storeOptions } from '../stores.ts';

/** The same store once more, as another process opens it: without threads. It is closed when the test has ended. */
export function another(path: string): Store {
  const store = openStore(path, {
    clock: () => nowMs,
    migrationsFolder: storeOptions.migrationsFolder,
  });
  onTestFinished(() => store.close());
  return store;
}

import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../../../../src/core/port/store.ts';
import { filesOf } from '../../../../../src/store/sqlite/connection/files.ts';
import { draftOf, fileStore, newKey, nowMs, plantIn } from '../../../../store/stores.ts';

async function openStore(): Promise<{
  store: Store;
  path: string;
  revoke: (n: number) => Promise<void>;
}> {
  const { store, path, remove } = await fileStore();
  onTestFinished(remove);
  const plant = await plantIn(store);
  const revoke = async (n: number) => {
    const key = newKey(plant, n);
    await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', key.prefix));
    await store.keys.revoke([key.id], plant.user.id, nowMs, []);
  };
  await store.openAll();
  return { store, path, revoke };
}

const replace = (file: string) => {
  renameSync(file, `${file}.old`);
  copyFileSync(`${file}.old`, file);
};

describe('the files that a store has open', () => {
  it('are in place while the store is used, also where its journal is made only then', async () => {
    const { store, path, revoke } = await openStore();
    for (let n = 1; n <= 3; n++) {
      await revoke(n);
      expect(() => store.requireInPlace()).not.toThrow();
    }
    expect(existsSync(filesOf(path).revocations)).toBe(true);
  });

  it.each([
    '.db',
    '.db-wal',
    '.db-shm',
    '.records.db',
    '.records.db-wal',
    '.records.db-shm',
    '.readings.db',
    '.readings.db-wal',
    '.readings.db-shm',
    '.revocations',
  ])('are named once they are removed or replaced: %s', async (end) => {
    for (const swap of [replace, (file: string) => rmSync(file)]) {
      const { store, path, revoke } = await openStore();
      await revoke(1);
      store.requireInPlace();
      const file = path.replace(/\.db$/, end);
      swap(file);
      expect(() => store.requireInPlace()).toThrow(
        expect.objectContaining({
          code: 'store_corrupt',
          message: expect.stringContaining(`The file ${file} of`),
        }),
      );
      // What lies at the path by now belongs to others: a store that is closed deletes none of it.
      const log = `${path}-wal`;
      if (!existsSync(log)) writeFileSync(log, 'of others');
      await store.close();
      expect(existsSync(log)).toBe(true);
    }
  });
});

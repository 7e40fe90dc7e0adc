import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { createStore } from '../../../src/store/sqlite/migration.ts';
import { openStore } from '../../../src/store/sqlite/opening.ts';
import { draftOf, storeOptions } from '../../store/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-files-'));
afterEach(() => rmSync(folder, { recursive: true }));

it('a store waits five seconds for another writer', async () => {
  const path = join(folder, 'hkctl.db');
  await (await createStore(path, storeOptions)).close();
  const holder = openFile(path, { busyTimeoutMs: 100, create: false });
  holder.exec('begin immediate');
  const store = openStore(path, storeOptions);
  const before = performance.now();
  expect(() => store.audit.append(draftOf('x', 'key.list', 'x'))).toThrow(
    expect.objectContaining({ code: 'store_locked' }),
  );
  expect(performance.now() - before).toBeGreaterThan(4500);
  holder.close();
  await store.close();
});

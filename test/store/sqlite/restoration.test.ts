import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { engineAt } from '../../../src/store/open.ts';
import { type Connection, openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import { at, quiet } from '../restores.ts';
import { draftOf, nowMs, plantIn, storeOptions } from '../stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-restoration-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('puts no registry in place whose last changes could not be written into its file', async () => {
  const [path, file] = [join(folder, 'hkctl.db'), join(folder, 'one.backup')];
  const engine = engineAt(path, { ...storeOptions, busyTimeoutMs: 100 });
  const store = await engine.create();
  const { tenant, user } = await plantIn(store);
  const second = { ...user, id: 'second', login: 'second' };
  await store.users.insert(second, draftOf(tenant.id, 'user.add', second.login));
  await store.close();
  await engine.backup(file, { nowMs, force: false });
  await at(path, async (opened) =>
    opened.users.update(
      second.id,
      { status: 'inactive' },
      draftOf(tenant.id, 'user.deactivate', 'second'),
    ),
  );

  let reader: Connection | undefined;
  const restoring = engine.restore(file, {
    ...quiet,
    // As on a full disk, the pages of the file cannot be replaced.
    audit() {
      reader = openDatabase(join(folder, 'hkctl.restored.db'), { readonly: true });
      reader.exec('begin; select * from users');
    },
  });
  await expect(restoring).rejects.toMatchObject({ code: 'store_locked' });
  reader?.close();
  expect(await at(path, async (opened) => opened.users.list(tenant.id))).toContainEqual({
    ...second,
    status: 'inactive',
  });
});

it('removes what it has made, and says what is wrong with the disk, if the new store cannot be completed', async () => {
  const [path, file] = [join(folder, 'full', 'hkctl.db'), join(folder, 'two.backup')];
  const engine = engineAt(path, storeOptions);
  const store = await engine.create();
  await plantIn(store);
  await store.close();
  await engine.backup(file, { nowMs, force: false });
  const before = readdirSync(join(folder, 'full'));
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const restoring = engine.restore(file, {
    ...quiet,
    audit() {
      throw full;
    },
  });
  await expect(restoring).rejects.toMatchObject({ code: 'store_full', cause: full });
  expect(readdirSync(join(folder, 'full')).filter((name) => !before.includes(name))).toEqual([
    'hkctl.daemons',
  ]);
});

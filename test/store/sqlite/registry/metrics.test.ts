import { expect, it } from 'vitest';
import { filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import { metricsStatements } from '../../../../src/store/sqlite/registry/metrics.ts';
import { openDatabase } from '../../../../src/store/sqlite-database/driver.ts';
import { fileStore, nowMs, plantIn } from '../../stores.ts';

it('facts for monitoring are read by index: no statement scans the table of keys or sorts', async () => {
  const { store, path, remove } = await fileStore();
  await plantIn(store);
  const connection = openDatabase(filesOf(path).registry, { readonly: true });
  const plans: string[] = [];
  for (const sql of Object.values(metricsStatements)) {
    const statement = connection.prepare(`explain query plan ${sql}`);
    const steps = statement.all({ 1: 1, 2: 1 }) as { detail: string }[]; // the columns of explain
    plans.push(...steps.map(({ detail }) => detail));
  }
  connection.close();
  const wrong = plans.filter((step) => /TEMP B-TREE|^SCAN keys$|AUTOMATIC/.test(step));
  expect([plans.some((step) => step.includes('keys_live_expiring')), wrong]).toEqual([true, []]);
  expect((await store.metrics?.read(nowMs))?.keys).toEqual({ active: 0, expired: 0, revoked: 0 });
  await remove();
});

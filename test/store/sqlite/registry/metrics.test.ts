import { expect, it } from 'vitest';
import { filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import { metricsStatements } from '../../../../src/store/sqlite/registry/metrics.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { fileStore, nowMs, plantIn } from '../../stores.ts';

it('facts for monitoring are read by index: no statement scans the table of keys or sorts', async () => {
  const { store, path, remove } = await fileStore();
  await plantIn(store);
  const connection = openDatabase(filesOf(path).registry, { readonly: true });
  const plans: string[] = [];
  const values = { nowMs, tenantId: 'x' };
  for (const statement of Object.values(metricsStatements)) {
    const { text, valuesOf } = statement();
    const plan = connection.prepare(`explain query plan ${text}`);
    const steps = plan.all(valuesOf(values)) as { detail: string }[]; // the columns of explain
    plans.push(...steps.map(({ detail }) => detail));
  }
  connection.close();
  const wrong = plans.filter((step) => /TEMP B-TREE|^SCAN keys$|AUTOMATIC/.test(step));
  expect([plans.some((step) => step.includes('keys_live_expiring')), wrong]).toEqual([true, []]);
  expect((await store.metrics?.read(nowMs))?.keys).toEqual({ active: 0, expired: 0, revoked: 0 });
  await remove();
});

// A limit of 100,000 made such a store report that no key was revoked.
it('keys are counted in full: 150,000 with 50,000 revoked and 20,000 expired', async () => {
  const { store, path, remove } = await fileStore();
  const { tenant, user } = await plantIn(store);
  const connection = openDatabase(filesOf(path).registry, {});
  connection
    .prepare(
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 150000)
      insert into keys (id, tenant_id, prefix, secret_hash, name, permissions, created_by,
        created_at_ms, revoked_at_ms, expires_at_ms)
      select 'key ' || n, ?, 'hk_' || n, 'hash ' || n, 'Gateway', '[]', ?, 0,
        iif(n <= 50000, 1, null), iif(n > 130000, 1, null) from numbers`,
    )
    .run(tenant.id, user.id);
  connection.close();
  expect((await store.metrics?.read(nowMs))?.keys).toEqual({
    active: 80_000,
    expired: 20_000,
    revoked: 50_000,
  });
  await remove();
});

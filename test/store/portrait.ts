import { aggregates } from '../../src/core/port/readings.ts';
import type { RecordPosition } from '../../src/core/port/records.ts';
import type { Store } from '../../src/core/port/store.ts';
import { resources } from '../../src/resources/index.ts';
import { nowMs } from './stores.ts';

const client = { owner: 'test', charge() {} };

/** Everything that the port returns of a store, in which two engines must not differ after a backup and a restore. */
export async function portraitOf(store: Store): Promise<unknown> {
  const tenants = [];
  for (const tenant of await store.tenants.list()) {
    const entities = await store.entities.list(tenant.id);
    const keys = await store.keys.list(tenant.id, { nowMs }, { limit: 1000 });
    tenants.push({
      tenant,
      users: await store.users.list(tenant.id),
      entities,
      keys,
      usage: await store.usage.of(
        keys.map(({ id }) => id),
        { first: 19_950, last: 20_050 },
      ),
      plants: await Promise.all(entities.map((entity) => plantOf(store, entity.id))),
    });
  }
  const audit = [];
  for await (const record of store.audit.walk()) audit.push(record);
  return { tenants, audit, given: await store.audit.lastSeq(), head: await store.audit.head() };
}

async function plantOf(store: Store, entityId: string): Promise<unknown> {
  const records: Record<string, unknown> = {};
  for (const resource of resources) {
    const rows: string[] = [];
    for (let after: RecordPosition | undefined; ; ) {
      const page = await store.records.page({
        resource,
        entityId,
        conditions: [],
        orderBy: 'id',
        limit: 500,
        ...(after && { after }),
      });
      rows.push(page.json);
      if (!page.next) break;
      after = page.next;
    }
    const { changedAt, forgottenTo } = await store.records.changes(resource, entityId);
    const removed = await store.records.removed({
      resource,
      entityId,
      after: { value: '', id: '' },
      to: '9999',
      limit: 1000,
    });
    records[resource.name] = { rows, changedAt, forgottenTo, removed };
  }
  const directory = await store.readings.directory(entityId);
  const sensors = [];
  for (const [code, { series }] of [...directory].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const range = { series, limit: 100_000 };
    const buckets = { widthUs: 3_600_000_000, aggregates: aggregates };
    const { digest, count } = await store.readings.text(
      { ...range, format: 'json', buckets },
      client,
    );
    const state = (await store.readings.states([series])).get(series);
    sensors.push({ code, readings: await store.readings.range(range), digest, count, state });
  }
  return { records, sensors };
}

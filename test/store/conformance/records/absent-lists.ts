import { expect, it } from 'vitest';
import type { Store } from '../../../../src/core/port/store.ts';
import { orders } from '../../../../src/resources/jobs-and-orders.ts';
import type { Plant } from '../../stores.ts';
import type { Given } from '../given.ts';
import { importInto } from './stored-records.ts';

/** Lists that an imported row does not have: they stay as they are stored. */
export function absentListConformance(given: Given): void {
  const services = [{ row_id: 'SVC-01', service_code: 'HT' }];
  const order = (id: string, change: Readonly<Record<string, unknown>> = {}) => ({
    id,
    order_number: id,
    status: 'open',
    ...change,
  });
  const servicesOf = async ({ records }: Store, { entity }: Plant, id: string) =>
    JSON.parse((await records.get(orders, entity.id, id)) ?? '{}').services;

  it('keeps the list of a record whose new row has none, also with --replace; a new record has an empty one', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, orders, [
      order('O-1', { services }),
      order('O-2', { services }),
      order('O-3'),
    ]);
    expect(await servicesOf(store, plant, 'O-3')).toEqual([]);
    const rows = [
      order('O-1', { status: 'closed' }),
      order('O-2'),
      order('O-4'),
      order('O-5', { services }),
    ];
    for (const dryRun of [true, false]) {
      const summary = await importInto(store, plant, orders, rows, {
        replace: true,
        dryRun,
        nowUs: 2e15,
      });
      expect(summary).toEqual({ inserted: 2, updated: 1, unchanged: 1, removed: 1 });
    }
    for (const id of ['O-1', 'O-2', 'O-5'])
      expect(await servicesOf(store, plant, id)).toEqual(services);
    expect(await servicesOf(store, plant, 'O-4')).toEqual([]);
    const first = JSON.parse((await store.records.get(orders, plant.entity.id, 'O-1')) ?? '{}');
    expect(first.status).toBe('closed');
  });

  it('empties a list that is given as empty', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, orders, [
      order('O-1', { services }),
      order('O-2', { services }),
    ]);
    const summary = await importInto(store, plant, orders, [
      order('O-1', { services: [] }),
      order('O-2'),
    ]);
    expect(summary).toEqual({ inserted: 0, updated: 1, unchanged: 1, removed: 0 });
    expect(await servicesOf(store, plant, 'O-1')).toEqual([]);
    expect(await servicesOf(store, plant, 'O-2')).toEqual(services);
  });
}

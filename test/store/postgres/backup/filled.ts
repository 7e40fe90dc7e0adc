import { randomBytes, randomUUID } from 'node:crypto';
import type { Store } from '../../../../src/core/port/store.ts';
import { loadRecords } from '../../../../src/demo/demo.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { steadyBy } from '../../../core/steady.ts';
import { batchOf } from '../../conformance/readings/readings.ts';
import { importInto } from '../../conformance/records/stored-records.ts';
import { draftOf, newKey, nowMs, type Plant, plantIn } from '../../stores.ts';

const hourUs = 3_600_000_000;

/** Fills a store with something of everything: the demo's records, stopped things, removed records, dropped readings, odd texts and numbers. */
export async function filled(store: Store): Promise<Plant> {
  const plant = await plantIn(store);
  const { tenant, entity, user } = plant;
  const domain = { store, ...steadyBy(() => nowMs), random: randomBytes, newId: randomUUID };
  await loadRecords(domain, { user, osAccount: 'tester' }, entity);
  const old = newKey(plant, 1, { note: 'gateway of "Halle 3"\t\\N', allowedIps: ['192.0.2.0/24'] });
  const next = newKey(plant, 2, { rotatedFrom: old.id, expiresAtMs: nowMs + 1e9 });
  await store.keys.insert(old, draftOf(tenant.id, 'key.create', 'one'));
  const counted = {
    keyId: old.id,
    day: 20_000,
    kind: 'request',
    code: '',
    count: 3,
    lastAtMs: null,
    lastSensor: null,
    lastAddress: null,
  } as const;
  const lost = {
    ...counted,
    kind: 'rejected',
    code: 'unknown_sensor',
    lastAtMs: nowMs,
    lastSensor: 'OVEN\t"9"\\N',
    lastAddress: null,
  } as const;
  await store.keys.recordUse(new Map([[old.id, { atMs: nowMs + 5, ip: '192.0.2.7' }]]), {
    counts: [counted, lost, { ...counted, day: 20_001 }],
    kept: undefined,
  });
  await store.keys.rotate([{ oldKeyId: old.id, next }], nowMs + 9, [
    draftOf(tenant.id, 'key.rotate', 'one\u0000"\\'),
  ]);
  await store.keys.insert(newKey(plant, 3), draftOf(tenant.id, 'key.create', 'three'));
  const gone = { ...entity, id: randomUUID(), code: 'OLD', name: 'Old' };
  await store.entities.insert(gone, draftOf(tenant.id, 'entity.add', 'OLD'));
  await store.keys.insert(
    newKey({ ...plant, entity: gone }, 4),
    draftOf(tenant.id, 'key.create', 'four'),
  );
  await importInto(store, { ...plant, entity: gone }, parts, [
    { id: 'x', name: 'X', part_number: '1', is_active: true },
  ]);
  await store.entities.remove(gone.id, draftOf(tenant.id, 'entity.remove', 'OLD'));
  const odd = [1e-7, 1e21, -5, 0.1 + 0.2, 123456.789, 0].map((weight_kg, n) => ({
    id: `odd-${n}`,
    name: `a\tb\\c\nd é 𝄞 ${n}`,
    part_number: `N${n}`,
    is_active: n % 2 === 0,
    weight_kg,
  }));
  await importInto(store, plant, parts, odd);
  const rest = odd.slice(1);
  await importInto(store, plant, parts, rest, { replace: true, nowUs: nowMs * 1000 + 5 });
  const directory = await store.readings.directory(entity.id);
  const series = [...new Set([...directory.values()].map((sensor) => sensor.series))].sort(
    (a, b) => a - b,
  );
  const rows = series.flatMap((number, s) =>
    Array.from(
      { length: 40 },
      (_, n) => [number, 1000 * hourUs + n * 600e6, s + n / 7, n % 4] as const,
    ),
  );
  await store.readings.append(batchOf(rows));
  const [first = 0] = series;
  await store.readings.appendHeartbeats([
    { series: first, atUs: 5, status: 'ok', battery: 0.5, signal: null, firmware: 'v"1"' },
  ]);
  for (let position: number | null | undefined; position !== null; ) {
    const request = {
      entityId: entity.id,
      untilUs: 1003 * hourUs,
      ...(position !== undefined && { position }),
    };
    position = (await store.readings.drop(request)).next;
  }
  return plant;
}

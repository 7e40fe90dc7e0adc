import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { bareApp } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

it('stores no long body of a key that is revoked while it waits', async () => {
  const plant = await HttpPlant.open();
  const face = bareApp(plant);
  const { secret, id } = await plant.key();
  const reading = { sensor: 'SENSOR-OF-NOBODY', at: '2026-11-20T08:15:00Z', value: 1 };
  const body = JSON.stringify({ readings: Array(10_000).fill(reading) });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const all = Array.from({ length: 20 }, () =>
    face.fetch('/api/v1/sensors/readings', { method: 'POST', headers, body }),
  );
  // In the order of the server: a client may read an older answer later.
  const statuses = () => [...face.log().matchAll(/"status":(\d+)/g)].map(([, status]) => Number(status));
  // All bodies have arrived by then and their key was valid; each iteration parses one slice of them.
  for (let iteration = 0; iteration < 20; iteration++) await setImmediate();
  await plant.revoke(id);
  const before = statuses().length;
  await Promise.all(all);
  expect(before).toBeLessThan(20);
  expect(statuses().slice(before + 1)).toEqual(Array(19 - before).fill(401));
  await plant.domain.store.close();
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { addTenant, updateTenant } from '../../../src/core/organization/tenants.ts';
import type { DropRequest } from '../../../src/core/port/readings.ts';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { Retention } from '../../../src/http/monitoring/retention.ts';
import { bareApp, type Face } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
let face: Face;
let headers: Record<string, string>;
beforeAll(async () => {
  plant = await HttpPlant.open();
  face = bareApp(plant);
  const { secret } = await plant.key();
  headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
});
afterAll(() => plant.domain.store.close());

const hourMs = 3_600_000;

function loggedRetention(domain = plant.domain) {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const messages = () => {
    log.flush();
    return lines.map((line) => JSON.parse(line));
  };
  return { retention: new Retention(domain, log), messages };
}

async function post(instants: readonly number[]) {
  const readings = instants.map((ms, n) => ({ sensor: 'OVEN-3-T1', at: new Date(ms).toISOString(), value: n }));
  const body = JSON.stringify({ readings });
  const response = await face.fetch('/api/v1/sensors/readings', { method: 'POST', headers, body });
  return response.json() as Promise<{ accepted: number; duplicates: number; rejected: { code: string }[] }>;
}

async function read(query: string) {
  const response = await face.fetch(`/api/v1/sensors/SE-1001/readings?${query}`, { headers });
  return ((await response.json()) as { data: Record<string, unknown>[] }).data;
}

it('readings past the retention are dropped, their summaries answer buckets, and late ones are rejected', async () => {
  const { nowMs } = plant;
  const border = Math.floor((nowMs - 24 * hourMs) / hourMs) * hourMs;
  const instants = Array.from({ length: 60 }, (_, n) => border - 12 * hourMs + n * 25 * 60_000 + 1);
  expect(await post(instants)).toMatchObject({ accepted: 60 });
  const agg = 'agg=avg,min,max,last,count';
  const hours = await read(`bucket=1h&${agg}`);
  const days = await read(`bucket=1d&${agg}`);
  const kept = instants.filter((ms) => ms >= border).length;
  expect([kept > 10, kept < 50]).toEqual([true, true]);

  // Nothing is dropped without a retention, nor for another organization's.
  const { retention, messages } = loggedRetention();
  await retention.run();
  const admin = { login: 'other-admin', name: 'Other' };
  const other = await addTenant(plant.domain, plant.actor, { name: 'Other', weekStart: 'monday', admin });
  const user = await plant.domain.store.users.findByLogin('other-admin');
  if (!user) throw new Error('the organization has its Super user');
  await updateTenant(plant.domain, { user, osAccount: 'other' }, { retainReadingsDays: 1 });
  expect((await plant.domain.store.tenants.find(other.id))?.retainReadingsDays).toBe(1);
  await retention.run();
  expect(await read('limit=1000')).toHaveLength(60);
  expect(messages()).toEqual([]);

  await updateTenant(plant.domain, plant.actor, { retainReadingsDays: 1 });
  await retention.run();
  expect(await read('limit=1000')).toHaveLength(kept);
  expect(await read(`bucket=1h&${agg}`)).toEqual(hours);
  const after = await read(`bucket=1d&${agg}`);
  expect(after.map(({ avg, ...rest }) => rest)).toEqual(days.map(({ avg, ...rest }) => rest));
  expect(await read(`bucket=30m&to=${border}`)).toEqual([]);
  const before = `${new Date(border).toISOString().slice(0, -1)}000Z`;
  expect(messages()).toMatchObject([{ level: 'info', entity: 'BER', before, readings: 60 - kept }]);

  const late = await post([instants[0] ?? 0, border - 1, border, instants.at(-1) ?? 0]);
  expect(late.rejected.map(({ code }) => code)).toEqual(['past_retention', 'past_retention', 'reading_conflict']);
  expect(late.accepted).toBe(1);
  expect(await read(`bucket=1h&${agg}&to=${border}`)).toEqual(hours.slice(0, 12));
});

it('moves with the hours, and asks the store for nothing in between', async () => {
  const requests: DropRequest[] = [];
  const { store } = plant.domain;
  const readings = {
    ...store.readings,
    drop: (request: DropRequest) => {
      requests.push(request);
      return store.readings.drop(request);
    },
  };
  const domain = { ...plant.domain, store: Object.assign(Object.create(store), { readings }) };
  const { retention } = loggedRetention(domain);
  await retention.run();
  expect(requests.length).toBeGreaterThan(0);
  const [{ untilUs } = { untilUs: 0 }] = requests.splice(0);
  await retention.run();
  expect(requests).toEqual([]);
  plant.nowMs += hourMs;
  await retention.run();
  expect(requests[0]?.untilUs).toBe(untilUs + hourMs * 1000);
});

it('goes on after a fault, and ends between two steps', async () => {
  let faults = 1;
  const { store } = plant.domain;
  const readings = {
    ...store.readings,
    drop: (request: DropRequest) => {
      if (faults-- > 0) throw new Error('the disk is full');
      return store.readings.drop(request);
    },
  };
  const domain = { ...plant.domain, store: Object.assign(Object.create(store), { readings }) };
  const { retention, messages } = loggedRetention(domain);
  plant.nowMs += hourMs;
  await retention.run();
  expect(messages()).toMatchObject([{ level: 'warn', msg: 'old readings were not dropped; trying again' }]);
  await retention.run();
  expect(messages().map(({ level }) => level)).toEqual(['warn', 'info']);
  plant.nowMs += hourMs;
  const running = retention.run();
  await retention.stop();
  await running;
});

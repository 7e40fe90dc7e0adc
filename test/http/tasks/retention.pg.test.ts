import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addTenant, updateTenant } from '../../../src/core/organization/tenants.ts';
import type { DropRequest } from '../../../src/core/port/readings.ts';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { createRetention } from '../../../src/http/tasks/retention.ts';
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
const dayMs = 24 * hourMs;

function loggedRetention(domain = plant.domain) {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const messages = () => {
    log.flush();
    return lines.map((line) => JSON.parse(line));
  };
  return { retention: createRetention(domain, log), messages };
}

async function post(instants: readonly number[]) {
  const readings = instants.map((ms, n) => ({
    sensor: 'OVEN-3-T1',
    at: new Date(ms).toISOString(),
    value: n,
  }));
  const body = JSON.stringify({ readings });
  const response = await face.fetch('/api/v1/sensors/readings', { method: 'POST', headers, body });
  return response.json() as Promise<{
    accepted: number;
    duplicates: number;
    rejected: { code: string }[];
  }>;
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
  const other = await addTenant(plant.domain, plant.actor, {
    name: 'Other',
    weekStart: 'monday',
    admin,
  });
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
  expect(await read(`bucket=1d&${agg}`)).toEqual(days);
  expect(await read(`bucket=10m&to=${border}`)).toEqual([]);
  const before = `${new Date(border).toISOString().slice(0, -1)}000Z`;
  expect(messages()).toMatchObject([{ level: 'info', entity: 'BER', before, readings: 60 - kept }]);

  const late = await post([instants[0] ?? 0, border - 1, border, instants.at(-1) ?? 0]);
  expect(late.rejected.map(({ code }) => code)).toEqual([
    'past_retention',
    'past_retention',
    'reading_conflict',
  ]);
  expect(late.accepted).toBe(1);
  expect(await read(`bucket=1h&${agg}&to=${border}`)).toEqual(hours.slice(0, 12));
});

/** The instants of the readings that are still there. */
async function kept(query = 'limit=100000'): Promise<number[]> {
  return (await read(query)).map(({ at }) => Date.parse(String(at)));
}

async function retain(days: number | null) {
  await updateTenant(plant.domain, plant.actor, { retainReadingsDays: days });
}

const wholeHour = (ms: number) => Math.floor(ms / hourMs) * hourMs;

describe('a retention that drops much', () => {
  let oldest: number;

  beforeEach(async () => {
    await retain(null);
    plant.nowMs += 10 * dayMs;
    oldest = plant.nowMs - 40 * dayMs;
    await post(Array.from({ length: 40 * 24 }, (_, n) => oldest + n * hourMs));
  });
  afterEach(() => {
    plant.isSteady = true;
  });

  it('drops a day of it every hour, however many daemons there are, and looks for nothing in between', async () => {
    let lookups = 0;
    const { store } = plant.domain;
    const readings = {
      ...store.readings,
      retention: (entityId: string) => {
        lookups++;
        return store.readings.retention(entityId);
      },
    };
    const domain = { ...plant.domain, store: Object.assign(Object.create(store), { readings }) };
    const daemons = [loggedRetention(domain), loggedRetention(), loggedRetention()];
    const run = async () => {
      for (const { retention } of daemons) {
        await retention.run();
        await retention.run();
      }
    };
    const first = (await kept())[0] ?? 0;
    await retain(7);
    await run();
    let expected = wholeHour(first) + dayMs;
    expect((await kept())[0]).toBeGreaterThanOrEqual(expected);
    expect((await kept())[0]).toBeLessThan(expected + hourMs);
    const before = lookups;
    await run();
    expect(lookups).toBe(before);
    for (let hour = 1; hour <= 3; hour++) {
      plant.nowMs += hourMs;
      await run();
      expected += dayMs;
      expect((await kept())[0]).toBeGreaterThanOrEqual(expected);
      expect((await kept())[0]).toBeLessThan(expected + hourMs);
    }
  });

  it('ends at the border, and a drop that was interrupted is completed at once', async () => {
    const [first = 0] = await kept();
    const days = Math.floor((plant.nowMs - first) / dayMs);
    await retain(days);
    const { retention } = loggedRetention();
    const running = retention.run();
    await retention.stop();
    await running;
    await loggedRetention().retention.run();
    const border = wholeHour(plant.nowMs - days * dayMs);
    expect((await kept())[0]).toBeGreaterThanOrEqual(border);
    expect(first).toBeLessThan(border);
  });

  it('drops nothing by a clock that is not steady, and rejects nothing', async () => {
    const before = await kept();
    await retain(1);
    plant.nowMs += 2 * 365 * dayMs;
    plant.isSteady = false;
    await loggedRetention().retention.run();
    expect(await kept()).toEqual(before);
    expect(await post([oldest + 7])).toMatchObject({ accepted: 1, rejected: [] });
    // The clock is right again: the limit is that of the setting, at once.
    plant.nowMs -= 2 * 365 * dayMs;
    plant.isSteady = true;
    expect(await post([plant.nowMs - hourMs + 7])).toMatchObject({ accepted: 1 });
    expect((await post([plant.nowMs - 2 * dayMs])).rejected).toMatchObject([
      { code: 'past_retention' },
    ]);
  });

  it('rejects by the present setting, in both directions', async () => {
    const at = plant.nowMs - 20 * dayMs + 1;
    const outcome = async () => (await post([at])).rejected[0]?.code;
    await retain(5);
    await loggedRetention().retention.run();
    expect(await outcome()).toBe('past_retention');
    await retain(30);
    expect(await outcome()).toBeUndefined();
    await retain(5);
    expect(await outcome()).toBe('past_retention');
    await retain(null);
    expect(await outcome()).toBeUndefined();
    expect(await post([oldest - 1000 * dayMs])).toMatchObject({ accepted: 1 });
  });

  it('by a clock that was ahead for hours, and then is right: a few days are summed up, and everything is accepted again', async () => {
    await retain(400);
    const { retention } = loggedRetention();
    await retention.run();
    const first = (await kept())[0] ?? 0;
    plant.nowMs += 1000 * dayMs;
    for (let hour = 0; hour < 3; hour++, plant.nowMs += hourMs) await retention.run();
    plant.nowMs -= 1000 * dayMs;
    expect((await kept())[0]).toBeLessThan(wholeHour(first) + 3 * dayMs + hourMs);
    // Hours later the drops go on by the right time.
    await retention.run();
    expect(await post([first, first + 20 * 60_000])).toMatchObject({ accepted: 2, rejected: [] });
    const hour = `bucket=1h&agg=count&to=${new Date(wholeHour(first) + hourMs).toISOString()}`;
    expect((await read(hour)).at(-1)).toMatchObject({ count: 2 });
  });
});

it('goes on after a fault, and ends between two steps', async () => {
  await retain(1);
  for (let n = 0; n < 3; n++, plant.nowMs += hourMs) await loggedRetention().retention.run();
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
  await retention.run();
  expect(messages()).toMatchObject([
    { level: 'warn', msg: 'old readings were not dropped; trying again' },
  ]);
  await retention.run();
  expect(messages().map(({ level }) => level)).toEqual(['warn', 'info']);
  plant.nowMs += hourMs;
  const running = retention.run();
  await retention.stop();
  await running;
});

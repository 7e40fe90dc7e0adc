import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lapsedKeys } from '../../../src/core/keys/lapsed.ts';
import { byDay, usageOf } from '../../../src/core/keys/usage.ts';
import type { UsageMerge } from '../../../src/core/port/usage.ts';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { createUsageRecorder } from '../../../src/http/tasks/usage-recorder.ts';
import { bearer } from '../auth/bearer.ts';
import { bareApp } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
let startMs: number;
beforeAll(async () => {
  plant = await HttpPlant.open();
  startMs = plant.nowMs;
});
afterAll(() => plant.domain.store.close());

const silent = createLog('silent', { write() {} });
const dayMs = 86_400_000;

/** The API, a key of it, and what the store knows of its usage once the API has merged it. */
async function used(options: Parameters<HttpPlant['key']>[0] = {}) {
  plant.nowMs = startMs;
  const app = bareApp(plant);
  const key = await plant.key(options);
  const get = (path: string, secret = key.secret) => app.fetch(`/api/v1${path}`, bearer(secret));
  const post = (body: object | string, path = '/sensors/readings') =>
    app.fetch(`/api/v1${path}`, {
      ...bearer(key.secret, { 'content-type': 'application/json' }),
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const usage = async () => {
    await app.usage.stop();
    const found = await plant.domain.store.keys.find(plant.actor.user.tenantId, key.id);
    if (!found) throw new Error('the key is there');
    return byDay(await usageOf(plant.domain, found));
  };
  return { app, key, get, post, usage };
}

const nothing = { accepted: 0, duplicates: 0, rejected: {} };

describe('the usage of a key', () => {
  it('counts all its requests and the refused ones by code, and none of others', async () => {
    const { key, get, post, usage } = await used({ permissions: ['parts.view'] });
    await get('/me');
    await get('/parts?limit=3');
    await get('/parts/no-such-part');
    await get('/parts?limit=none');
    for (let n = 0; n < 3; n++) await get('/jobs');
    await post({ readings: [] });
    await get('/me', plant.unknownSecret());
    await get('/me', key.secret.slice(0, -1));
    await get('/nothing-here');
    expect(await usage()).toEqual([
      {
        day: Math.floor(startMs / dayMs),
        requests: 8,
        refused: { not_found: 1, bad_parameter: 1, permission_required: 4 },
        readings: nothing,
        lastRejected: null,
      },
    ]);
  });

  it('counts what is sent with a key that is no longer valid', async () => {
    const { key, get, usage } = await used();
    await get('/me');
    await plant.revoke(key.id);
    for (let n = 0; n < 2; n++) await get('/me');
    expect(await usage()).toMatchObject([{ requests: 3, refused: { key_revoked: 2 } }]);
  });

  it('shows a revoked key that is used from an address where another client fails all the time', async () => {
    plant.nowMs = startMs;
    const app = bareApp(plant, { limitFailedChecks: { requests: 1, windowSeconds: 60 } });
    const key = await plant.key();
    await plant.revoke(key.id);
    await app.fetch('/api/v1/me', bearer(plant.unknownSecret()));
    expect((await app.fetch('/api/v1/me', bearer(key.secret))).status).toBe(429);
    await app.usage.stop();
    const lapsed = await lapsedKeys(plant.domain, plant.actor);
    expect(lapsed.find((each) => each.key.id === key.id)).toMatchObject({
      isInUse: true,
      refusedCount: 1,
      lastRefused: { atMs: startMs, address: '127.0.0.1' },
    });
  });

  it('counts readings by what became of them, with the last rejection', async () => {
    const { post, usage } = await used({ permissions: ['asset_sensors.ingest'] });
    const at = (second: number) => new Date(startMs + second * 1000).toISOString();
    const good = { sensor: 'OVEN-3-T1', at: at(1), value: 1 };
    const lost = { sensor: 'OVEN-9', at: at(1), value: 1 };
    expect(
      (await post({ readings: [good, lost, lost, { ...good, at: 'yesterday' }] })).status,
    ).toBe(200);
    plant.nowMs = startMs + 5000;
    await post({ readings: [good, lost, { ...good, at: at(2) }, { ...good, value: 2 }] });
    // No sensor of a plant has such a name: a secret, what a terminal could take for a command, and a long one.
    const name = `${plant.unknownSecret()}\u001b[2J\u0000${'x'.repeat(200)}`;
    await post({ heartbeats: [{ sensor: 'OVEN-9' }] }, '/sensors/heartbeats');
    expect(await usage()).toEqual([
      {
        day: Math.floor(startMs / dayMs),
        requests: 3,
        refused: {},
        readings: {
          accepted: 2,
          duplicates: 1,
          rejected: { unknown_sensor: 3, invalid_at: 1, reading_conflict: 1 },
        },
        lastRejected: { atMs: startMs + 5000, code: 'unknown_sensor', sensor: 'OVEN-9' },
      },
    ]);
    plant.nowMs = startMs + 6000;
    await post({ readings: [{ ...good, sensor: name }] });
    const sensor = (await usage())[0]?.lastRejected?.sensor ?? '';
    expect(sensor).toMatch(/^hk_\w{5}…\\u001b\[2J\\u0000x+…$/);
    expect(sensor.length).toBeLessThanOrEqual(81);
    plant.nowMs = startMs + 7000;
    await post({ readings: [{ ...good, sensor: 5 }] });
    expect((await usage())[0]?.lastRejected).toEqual({
      atMs: startMs + 7000,
      code: 'unknown_sensor',
      sensor: null,
    });
  });

  it('shows in the log and in the metrics, too', async () => {
    const { app, key, post, get } = await used();
    const lost = { sensor: 'OVEN-9', at: startMs, value: 1 };
    await post({ readings: ['no object', lost, lost] });
    await post({ readings: [lost] });
    await post({ heartbeats: [{ sensor: 'OVEN-9' }] }, '/sensors/heartbeats');
    await get('/me');
    const lines = app
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const of = (msg: string) => lines.filter((line) => line.msg === msg);
    expect(of('request').map(({ status, rejected }) => [status, rejected])).toEqual([
      [200, { invalid_reading: 1, unknown_sensor: 2 }],
      [200, { unknown_sensor: 1 }],
      [200, { unknown_sensor: 1 }],
      [200, undefined],
    ]);
    expect(of('readings rejected')).toMatchObject([
      {
        level: 'warn',
        key: key.prefix,
        rejected: { invalid_reading: 1, unknown_sensor: 2 },
        sensor: 'OVEN-9',
      },
    ]);
    expect(of('heartbeats rejected')).toMatchObject([
      { level: 'warn', key: key.prefix, sensor: 'OVEN-9' },
    ]);
    const metrics = await (await app.fetch('/metrics')).text();
    expect(metrics).toContain('hkctl_ingest_rejections_total{code="unknown_sensor"} 4\n');
    expect(metrics).toContain('hkctl_ingest_readings_total{result="rejected"} 5\n');
  });

  it('is that of the days of the entity, of which the last 90 are shown', async () => {
    const { get, usage } = await used({ entity: plant.chicago });
    const midnight = Date.UTC(2026, 10, 21, 6);
    for (const ms of [midnight - 1, midnight, midnight + 1, midnight + dayMs - 1]) {
      plant.nowMs = ms;
      await get('/me');
    }
    const today = Date.UTC(2026, 10, 21) / dayMs;
    expect((await usage()).map(({ day, requests }) => [day, requests])).toEqual([
      [today - 1, 1],
      [today, 3],
    ]);
    // A clock that was set back counts on the day that it shows.
    plant.nowMs = midnight - 1;
    await get('/me');
    plant.nowMs = midnight;
    expect((await usage())[0]).toMatchObject({ day: today - 1, requests: 2 });
    plant.nowMs = midnight + 88 * dayMs;
    expect(await usage()).toHaveLength(2);
    plant.nowMs = midnight + 89 * dayMs;
    expect(await usage()).toHaveLength(1);
    plant.nowMs = midnight - 2 * dayMs;
    expect(await usage()).toEqual([]);
  });

  it('of a key whose entity was removed is that of days in UTC', async () => {
    const { entity, remove } = await plant.site();
    const { get, usage } = await used({ entity });
    await remove();
    await get('/me');
    expect(await usage()).toMatchObject([{ requests: 1, refused: { entity_missing: 1 } }]);
  });
});

describe('a merge of usage', () => {
  /** A recorder whose store can be out of order, and what it was given to merge. */
  function recorder(most?: number) {
    const merges: (UsageMerge & { used: string[] })[] = [];
    const state = { isFull: false, duringMerge: () => {} };
    const recordUse = async (uses: ReadonlyMap<string, unknown>, usage: UsageMerge | undefined) => {
      if (state.isFull) throw new Error('full');
      state.duringMerge();
      await Promise.resolve();
      if (usage) merges.push({ ...usage, used: [...uses.keys()] });
    };
    const store = Object.create(plant.domain.store, { keys: { value: { recordUse } } });
    const given = createUsageRecorder({ ...plant.domain, store }, silent, most);
    const entity = {
      id: plant.berlin.id,
      code: 'BER',
      name: 'Berlin',
      timezone: 'Europe/Berlin',
      status: 'active',
    };
    const tallyOf = (keyId: string) =>
      given.tallyOf({ keyId, entity } as Parameters<typeof given.tallyOf>[0])(startMs); // the other members are not read
    const counted = () =>
      merges.flatMap(({ counts }) => counts.map(({ keyId, kind, count }) => [keyId, kind, count]));
    return { merges, state, tallyOf, counted, merge: () => given.stop() };
  }

  it('happens for keys that were used since the last one only', async () => {
    const { tallyOf, merge, merges, counted } = recorder();
    const [one, two] = [tallyOf('one'), tallyOf('two')];
    one.countRequest(undefined);
    await merge();
    await merge();
    two.countRequest('not_found');
    one.recordUse(startMs, '192.0.2.1');
    await merge();
    expect(counted()).toEqual([
      ['one', 'request', 1],
      ['two', 'request', 1],
      ['two', 'refused', 1],
    ]);
    expect(merges.map(({ used }) => used)).toEqual([[], ['one']]);
  });

  it('that fails loses nothing and counts nothing twice', async () => {
    const { tallyOf, merge, state, counted, merges } = recorder();
    const one = tallyOf('one');
    state.isFull = true;
    for (let n = 1; n <= 3; n++) {
      one.countRequest(undefined);
      one.recordUse(startMs + n, '192.0.2.1');
      await merge();
    }
    state.isFull = false;
    // What happens while the store writes is part of the next merge.
    state.duringMerge = () => one.countRequest(undefined);
    await merge();
    state.duringMerge = () => {};
    await merge();
    await merge();
    expect(counted()).toEqual([
      ['one', 'request', 3],
      ['one', 'request', 1],
    ]);
    expect(merges.map(({ used }) => used)).toEqual([['one'], []]);
  });

  it('is divided where many keys were used', async () => {
    const { tallyOf, merge, merges, counted } = recorder();
    for (let n = 0; n < 2500; n++) tallyOf(`key ${n}`).countRequest(undefined);
    await merge();
    expect(merges.map(({ counts }) => counts.length)).toEqual([1000, 1000, 500]);
    expect(new Set(counted().map(([keyId]) => keyId)).size).toBe(2500);
  });

  it('waits for so many keys at most; what others do is counted once there is a place', async () => {
    const { tallyOf, merge, state, counted } = recorder(5);
    state.isFull = true;
    for (let n = 0; n < 5; n++) tallyOf(`key ${n}`).countRequest(undefined);
    const late = tallyOf('late');
    late.countRequest(undefined);
    await merge();
    expect(late.isWaiting).toBe(false);
    state.isFull = false;
    await merge();
    late.countRequest(undefined);
    await merge();
    expect(counted().length).toBe(6);
    expect(counted().at(-1)).toEqual(['late', 'request', 2]);
  });

  it('removes old days by a steady clock only', async () => {
    const { tallyOf, merge, merges } = recorder();
    plant.isSteady = false;
    tallyOf('one').countRequest(undefined);
    await merge();
    plant.isSteady = true;
    plant.nowMs = startMs;
    tallyOf('one').countRequest(undefined);
    await merge();
    const today = Math.floor(startMs / dayMs);
    expect(merges.map(({ kept }) => kept)).toEqual([
      undefined,
      { first: today - 90, last: today + 1 },
    ]);
  });
});

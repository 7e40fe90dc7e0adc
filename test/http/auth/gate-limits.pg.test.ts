import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareApp } from '../faces.ts';
import { HttpPlant } from '../plant.ts';
import { bearer, outcome } from './bearer.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

describe('limits', () => {
  it('requests count by key, report it in headers, and end with 429 and a correct Retry-After', async () => {
    const face = bareApp(plant, { limitRequests: { requests: 2, windowSeconds: 1 } });
    const [one, other] = [await plant.key(), await plant.key()];
    const first = await face.fetch('/api/v1/me', bearer(one.secret));
    expect(first.headers.get('ratelimit-policy')).toBe('"requests";q=2;w=1');
    expect(first.headers.get('ratelimit')).toBe('"requests";r=1;t=1');
    expect((await face.fetch('/api/v1/parts', bearer(one.secret))).status).toBe(200);
    const refused = await face.fetch('/api/v1/me', bearer(one.secret));
    expect(await outcome(refused)).toBe('too_many_requests');
    expect((await face.fetch('/api/v1/me', bearer(other.secret))).status).toBe(200);
    await new Promise((resolve) =>
      setTimeout(resolve, Number(refused.headers.get('retry-after')) * 1000),
    );
    expect((await face.fetch('/api/v1/me', bearer(one.secret))).status).toBe(200);
  });

  it('report to each client its own time to wait', async () => {
    const { secret } = await plant.key();
    const waits: number[] = [];
    for (const windowSeconds of [3600, 60]) {
      const face = bareApp(plant, { limitRequests: { requests: 1, windowSeconds } });
      await face.fetch('/api/v1/me', bearer(secret));
      const refused = await face.fetch('/api/v1/me', bearer(secret));
      const seconds = Number(refused.headers.get('retry-after'));
      expect(await refused.json()).toMatchObject({
        detail: expect.stringContaining(`${seconds} second`),
      });
      waits.push(seconds);
    }
    expect(waits[0]).toBeGreaterThan(60);
    expect(waits[1]).toBeLessThanOrEqual(60);
  });

  it('ingest counts separately', async () => {
    const face = bareApp(plant, { limitIngest: { requests: 1, windowSeconds: 60 } });
    const { secret } = await plant.key();
    const post = () =>
      face.fetch('/api/v1/sensors/readings', {
        ...bearer(secret, { 'content-type': 'application/json' }),
        method: 'POST',
        body: '{"readings":[]}',
      });
    expect((await post()).headers.get('ratelimit-policy')).toBe('"ingest";q=1;w=60');
    expect(await outcome(await post())).toBe('too_many_ingest_requests');
    expect((await face.fetch('/api/v1/me', bearer(secret))).status).toBe(200);
  });

  it('failed checks count by address; a valid key is never affected, and a request without credentials is no check', async () => {
    const face = bareApp(plant, { limitFailedChecks: { requests: 2, windowSeconds: 60 } });
    const { secret } = await plant.key();
    const fail = () => face.fetch('/api/v1/me', bearer(plant.unknownSecret()));
    expect(await outcome(await face.fetch('/api/v1/me'))).toBe('missing_authorization');
    expect(await outcome(await fail())).toBe('unknown_key');
    expect(await outcome(await fail())).toBe('unknown_key');
    const refused = await fail();
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(await outcome(refused)).toBe('too_many_failed_checks');
    expect(await outcome(await face.fetch('/api/v1/me'))).toBe('missing_authorization');
    expect((await face.fetch('/api/v1/me', bearer(secret))).status).toBe(200);
  });

  it('every failed check counts, and the refusal of a valid key does not', async () => {
    const site = await plant.site();
    const creator = await plant.creator();
    const [revoked, expired, orphan] = [
      await plant.key(),
      await plant.key({ expiresAtMs: plant.nowMs + 1 }),
      await plant.key({ actor: creator.actor }),
    ];
    const [elsewhere, narrow] = [
      await plant.key({ entity: site.entity }),
      await plant.key({ permissions: ['parts.view'] }),
    ];
    await plant.revoke(revoked.id);
    await creator.deactivate();
    await site.deactivate();
    plant.nowMs += 1;
    const cases: [authorization: string, code: string, counts: boolean][] = [
      ['Basic x', 'malformed_authorization', true],
      ['Bearer hk_short', 'incomplete_secret', true],
      [`Bearer ${plant.unknownSecret()}`, 'unknown_key', true],
      [`Bearer ${revoked.secret}`, 'key_revoked', true],
      [`Bearer ${expired.secret}`, 'key_expired', true],
      [`Bearer ${orphan.secret}`, 'creator_inactive', true],
      [`Bearer ${elsewhere.secret}`, 'entity_inactive', false],
      [`Bearer ${narrow.secret}`, 'permission_required', false],
    ];
    for (const [authorization, code, counts] of cases) {
      const face = bareApp(plant, { limitFailedChecks: { requests: 1, windowSeconds: 60 } });
      const ask = async () =>
        outcome(await face.fetch('/api/v1/jobs', { headers: { authorization } }));
      expect([await ask(), await ask()]).toEqual([code, counts ? 'too_many_failed_checks' : code]);
    }
  });

  it('an address over its limit of failed checks is logged as a warning, once a window, without the secret', async () => {
    const limitFailedChecks = { requests: 2, windowSeconds: 1 };
    const face = bareApp(plant, { limitFailedChecks, logLevel: 'warn', trustProxy: ['127.0.0.1'] });
    const secret = plant.unknownSecret();
    const fail = (from: string) =>
      face.fetch('/api/v1/me', bearer(secret, { 'x-forwarded-for': from }));
    const warnings = () =>
      face
        .log()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    const message = 'too many failed key checks from an address';
    for (let i = 0; i < 2; i++) await fail('192.0.2.7');
    expect(warnings()).toEqual([]);
    for (let i = 0; i < 5; i++) await fail('192.0.2.7');
    await fail('192.0.2.8');
    const warned = { level: 'warn', address: '192.0.2.7', code: 'unknown_key', msg: message };
    expect(warnings()).toEqual([expect.objectContaining(warned)]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    for (let i = 0; i < 4; i++) await fail('192.0.2.7');
    expect(warnings().length).toBe(2);
    expect(face.log()).not.toContain(secret.slice(8, 18));
  });

  it('a few addresses a second are logged of a flood over its limit, and the number of all others', async () => {
    const face = bareApp(plant, {
      limitFailedChecks: { requests: 1, windowSeconds: 60 },
      logLevel: 'warn',
      trustProxy: ['127.0.0.1'],
    });
    const startedAt = performance.now();
    for (let i = 0; i < 200; i++) {
      const headers = bearer(plant.unknownSecret(), { 'x-forwarded-for': `198.51.100.${i}` });
      for (let check = 0; check < 3; check++) await face.fetch('/api/v1/me', headers);
    }
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    const lines = face
      .log()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const named = lines.filter(({ address }) => address !== undefined);
    const more = lines.filter(({ warnings }) => warnings !== undefined);
    expect(named.length).toBeLessThanOrEqual(2 * (seconds + 1));
    expect(more.length).toBeLessThanOrEqual(seconds + 1);
    expect(more.reduce((sum, { warnings }) => sum + warnings, named.length)).toBe(200);
  });

  it('believes X-Forwarded-For of trusted proxies only, from the right', async () => {
    const limitFailedChecks = { requests: 1, windowSeconds: 60 };
    const failFrom = (face: ReturnType<typeof bareApp>, forwarded: string) =>
      face
        .fetch('/api/v1/me', bearer(plant.unknownSecret(), { 'x-forwarded-for': forwarded }))
        .then(outcome);
    const direct = bareApp(plant, { limitFailedChecks });
    expect(await failFrom(direct, '10.0.0.1')).toBe('unknown_key');
    expect(await failFrom(direct, '10.0.0.2')).toBe('too_many_failed_checks');
    const behind = bareApp(plant, {
      limitFailedChecks,
      trustProxy: ['127.0.0.0/8', '10.9.0.0/16'],
    });
    expect(await failFrom(behind, '203.0.113.1')).toBe('unknown_key');
    expect(await failFrom(behind, '203.0.113.2, 10.9.0.7')).toBe('unknown_key');
    expect(await failFrom(behind, '198.51.100.9, 203.0.113.2')).toBe('too_many_failed_checks');
    expect(await failFrom(behind, '2001:db8:1:2::1')).toBe('unknown_key');
    expect(await failFrom(behind, '2001:db8:1:2:ffff::2')).toBe('too_many_failed_checks');
    expect(await failFrom(behind, '2001:db8:1:3::1')).toBe('unknown_key');
    // Some proxies add the port of the connection.
    expect(await failFrom(behind, '203.0.113.9:4711')).toBe('unknown_key');
    expect(await failFrom(behind, '203.0.113.9:4712')).toBe('too_many_failed_checks');
    expect(await failFrom(behind, '[2001:db8:1:4::1]:4711')).toBe('unknown_key');
    expect(await failFrom(behind, '[2001:db8:1:4::2]')).toBe('too_many_failed_checks');
  });
});

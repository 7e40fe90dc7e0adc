import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientPermission, clientPermissions } from '../../src/core/access/permissions.ts';
import { drawSecret } from '../../src/core/keys/secrets.ts';
import { updateTenant } from '../../src/core/organization/tenants.ts';
import { resources } from '../../src/resources/index.ts';
import { createKey } from '../core/key-operations.ts';
import { inProcess } from './faces.ts';
import { HttpPlant } from './plant.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

const bearer = (secret: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${secret}`, ...more },
});

async function outcome(response: Response): Promise<string> {
  return response.ok ? String(response.status) : ((await response.json()) as { code: string }).code;
}

describe('the whole matrix', () => {
  const routes: { path: string; method: 'GET' | 'POST'; opens: readonly ClientPermission[] }[] = [
    { path: '/api/v1/me', method: 'GET', opens: [] },
    { path: '/api/v1/resources', method: 'GET', opens: [] },
    ...resources.flatMap(({ name, idExample, permissions }) => [
      { path: `/api/v1/${name}`, method: 'GET' as const, opens: permissions },
      { path: `/api/v1/${name}/${idExample}`, method: 'GET' as const, opens: permissions },
    ]),
    { path: '/api/v1/sensors/SE-1001/readings', method: 'GET', opens: ['asset_sensors.view'] },
    { path: '/api/v1/sensors/readings', method: 'POST', opens: ['asset_sensors.ingest'] },
    { path: '/api/v1/sensors/heartbeats', method: 'POST', opens: ['asset_sensors.ingest'] },
  ];
  const bodies: Record<string, string> = {
    '/api/v1/sensors/readings': '{"readings":[]}',
    '/api/v1/sensors/heartbeats': '{"heartbeats":[]}',
  };
  const call = (secret: string, { path, method }: { path: string; method: string }) => {
    const init = bearer(secret, method === 'POST' ? { 'content-type': 'application/json' } : {});
    return inProcessFace.fetch(path, { ...init, method, body: bodies[path] });
  };
  let inProcessFace: ReturnType<typeof inProcess>;
  beforeAll(() => {
    inProcessFace = inProcess(plant);
  });

  it('permission x route: each permission opens its routes and no other', async () => {
    for (const permission of clientPermissions) {
      const { secret } = await plant.key({ permissions: [permission] });
      for (const route of routes) {
        const open = route.opens.length === 0 || route.opens.includes(permission);
        const found = await outcome(await call(secret, route));
        expect(`${permission} ${route.path} ${found}`).toBe(
          `${permission} ${route.path} ${open ? '200' : 'permission_required'}`,
        );
      }
    }
  });

  it('key x creator x entity x permission: the first in order decides', async () => {
    const states = ['active', 'expired', 'revoked'] as const;
    const creators = ['active', 'inactive'] as const;
    const entities = ['active', 'inactive', 'missing'] as const;
    const held = [clientPermissions, ['people.view']] as const;
    for (const state of states) {
      for (const creator of creators) {
        for (const entity of entities) {
          for (const permissions of held) {
            const site = await plant.site();
            const { actor, deactivate } = await plant.creator();
            const expiresAtMs = state === 'expired' ? plant.nowMs + 1 : undefined;
            const { secret, id } = await plant.key({ actor, entity: site.entity, permissions, expiresAtMs });
            if (state === 'revoked') await plant.revoke(id);
            if (state === 'expired') plant.nowMs += 1;
            if (creator === 'inactive') await deactivate();
            if (entity === 'inactive') await site.deactivate();
            if (entity === 'missing') await site.remove();
            const expected =
              state !== 'active'
                ? `key_${state}`
                : creator === 'inactive'
                  ? 'creator_inactive'
                  : entity !== 'active'
                    ? `entity_${entity}`
                    : permissions === clientPermissions
                      ? '200'
                      : 'permission_required';
            const found = await outcome(await call(secret, { path: '/api/v1/parts', method: 'GET' }));
            expect(`${state} ${creator} ${entity} ${found}`).toBe(`${state} ${creator} ${entity} ${expected}`);
          }
        }
      }
    }
  });

  it('a change applies to the very next request, and so does its reversal', async () => {
    const creator = await plant.creator();
    const site = await plant.site();
    const expiresAtMs = plant.nowMs + 1000;
    const { secret, id } = await plant.key({ actor: creator.actor, entity: site.entity, expiresAtMs });
    const me = async () => outcome(await call(secret, { path: '/api/v1/me', method: 'GET' }));
    expect(await me()).toBe('200');
    await site.deactivate();
    expect(await me()).toBe('entity_inactive');
    await creator.deactivate();
    expect(await me()).toBe('creator_inactive');
    await creator.activate();
    expect(await me()).toBe('entity_inactive');
    await site.activate();
    expect(await me()).toBe('200');
    await creator.deactivate();
    expect(await me()).toBe('creator_inactive');
    await creator.activate();
    expect(await me()).toBe('200');
    plant.nowMs = expiresAtMs;
    expect(await me()).toBe('key_expired');
    plant.nowMs = expiresAtMs - 1;
    expect(await me()).toBe('200');
    await plant.revoke(id);
    expect(await me()).toBe('key_revoked');
  });
});

describe('the facts that /me returns about a key', () => {
  it('changes with the organization, for the very next request', async () => {
    const { secret } = await plant.key();
    const face = inProcess(plant);
    const me = async () => (await face.fetch('/api/v1/me', bearer(secret))).json();
    expect(await me()).toMatchObject({ tenant: { name: 'Nordwerk' } });
    await updateTenant(plant.domain, plant.actor, { name: 'Südwerk' });
    expect(await me()).toMatchObject({ tenant: { name: 'Südwerk' } });
  });
});

describe('a secret that is no key yet', () => {
  it('is admitted as soon as it is a key', async () => {
    const bytes = new Uint8Array(64).map((_, index) => index + 1);
    const secret = drawSecret(() => bytes);
    const me = async () => outcome(await inProcess(plant).fetch('/api/v1/me', bearer(secret)));
    const face = inProcess(plant);
    const again = async () => outcome(await face.fetch('/api/v1/me', bearer(secret)));
    expect([await again(), await again()]).toEqual(['unknown_key', 'unknown_key']);
    const domain = { ...plant.domain, random: () => bytes };
    const input = { name: 'Known', entity: plant.berlin, permissions: ['parts.view'] as const, expiresAtMs: null };
    await createKey(domain, plant.actor, input, { deliver() {}, complete() {}, withdraw() {} });
    expect([await again(), await me()]).toEqual(['200', '200']);
  });
});

describe('a body that arrives later than its head', () => {
  it('is accepted only from a key that is still valid then', async () => {
    const { secret, id } = await plant.key();
    const face = inProcess(plant);
    const post = () => {
      let body: ReadableStreamDefaultController<Uint8Array> | undefined;
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          body = controller;
        },
      });
      const headers = { 'content-type': 'application/json' };
      const init = { ...bearer(secret, headers), method: 'POST', body: stream, duplex: 'half' } as RequestInit;
      const answered = face.fetch('/api/v1/sensors/readings', init).then(outcome);
      const send = () => {
        body?.enqueue(Buffer.from('{"readings":[]}'));
        body?.close();
        return answered;
      };
      return { send };
    };
    const [early, late] = [post(), post()];
    expect(await early.send()).toBe('200');
    await plant.revoke(id);
    expect(await late.send()).toBe('key_revoked');
  });
});

describe('the header', () => {
  it.each([
    ['', 'missing_authorization'],
    ['Bearer', 'malformed_authorization'],
    ['Bearer ', 'malformed_authorization'],
    ['BearerX', 'malformed_authorization'],
    ['Bearer a b', 'malformed_authorization'],
    ['Bearer a,b', 'malformed_authorization'],
    ['Basic YTpi', 'malformed_authorization'],
    ['Bearer schlüssel', 'malformed_authorization'],
    ['Bearer a\tb', 'malformed_authorization'],
    ['Bearer hk_', 'incomplete_secret'],
    ['Bearer x', 'incomplete_secret'],
    [`Bearer hk_${'a'.repeat(49)}`, 'incomplete_secret'],
    [`Bearer ${'a'.repeat(10_000)}`, 'incomplete_secret'],
  ])('%j → %s', async (authorization, code) => {
    const headers: Record<string, string> = authorization === '' ? {} : { authorization };
    expect(await outcome(await inProcess(plant).fetch('/api/v1/me', { headers }))).toBe(code);
  });

  it('accepts the scheme in any case and more than one blank', async () => {
    const { secret } = await plant.key();
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER   ']) {
      const response = await inProcess(plant).fetch('/api/v1/me', { headers: { authorization: `${scheme}${secret}` } });
      expect(response.status).toBe(200);
    }
  });
});

describe('limits', () => {
  it('requests count by key, report it in headers, and end with 429 and a correct Retry-After', async () => {
    const face = inProcess(plant, { limitRequests: { requests: 2, windowSeconds: 1 } });
    const [one, other] = [await plant.key(), await plant.key()];
    const first = await face.fetch('/api/v1/me', bearer(one.secret));
    expect(first.headers.get('ratelimit-policy')).toBe('"requests";q=2;w=1');
    expect(first.headers.get('ratelimit')).toBe('"requests";r=1;t=1');
    expect((await face.fetch('/api/v1/parts', bearer(one.secret))).status).toBe(200);
    const refused = await face.fetch('/api/v1/me', bearer(one.secret));
    expect(await outcome(refused)).toBe('too_many_requests');
    expect((await face.fetch('/api/v1/me', bearer(other.secret))).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, Number(refused.headers.get('retry-after')) * 1000));
    expect((await face.fetch('/api/v1/me', bearer(one.secret))).status).toBe(200);
  });

  it('report to each client its own time to wait', async () => {
    const { secret } = await plant.key();
    const waits: number[] = [];
    for (const windowSeconds of [3600, 60]) {
      const face = inProcess(plant, { limitRequests: { requests: 1, windowSeconds } });
      await face.fetch('/api/v1/me', bearer(secret));
      const refused = await face.fetch('/api/v1/me', bearer(secret));
      const seconds = Number(refused.headers.get('retry-after'));
      expect(await refused.json()).toMatchObject({ detail: expect.stringContaining(`${seconds} second`) });
      waits.push(seconds);
    }
    expect(waits[0]).toBeGreaterThan(60);
    expect(waits[1]).toBeLessThanOrEqual(60);
  });

  it('ingest counts separately', async () => {
    const face = inProcess(plant, { limitIngest: { requests: 1, windowSeconds: 60 } });
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
    const face = inProcess(plant, { limitFailedChecks: { requests: 2, windowSeconds: 60 } });
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
      const face = inProcess(plant, { limitFailedChecks: { requests: 1, windowSeconds: 60 } });
      const ask = async () => outcome(await face.fetch('/api/v1/jobs', { headers: { authorization } }));
      expect([await ask(), await ask()]).toEqual([code, counts ? 'too_many_failed_checks' : code]);
    }
  });

  it('an address over its limit of failed checks is logged as a warning, once a window, without the secret', async () => {
    const limitFailedChecks = { requests: 2, windowSeconds: 1 };
    const face = inProcess(plant, { limitFailedChecks, logLevel: 'warn', trustProxy: ['127.0.0.1'] });
    const secret = plant.unknownSecret();
    const fail = (from: string) => face.fetch('/api/v1/me', bearer(secret, { 'x-forwarded-for': from }));
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

  it('thirty addresses a minute are logged of a flood over its limit', async () => {
    const face = inProcess(plant, {
      limitFailedChecks: { requests: 1, windowSeconds: 60 },
      logLevel: 'warn',
      trustProxy: ['127.0.0.1'],
    });
    for (let i = 0; i < 200; i++) {
      const headers = bearer(plant.unknownSecret(), { 'x-forwarded-for': `198.51.100.${i}` });
      for (let check = 0; check < 3; check++) await face.fetch('/api/v1/me', headers);
    }
    const lines = face.log().split('\n').slice(0, -1);
    expect(lines.length).toBe(31);
    expect(lines.at(-1)).toContain('from more addresses');
  });

  it('believes X-Forwarded-For of trusted proxies only, from the right', async () => {
    const limitFailedChecks = { requests: 1, windowSeconds: 60 };
    const failFrom = (face: ReturnType<typeof inProcess>, forwarded: string) =>
      face.fetch('/api/v1/me', bearer(plant.unknownSecret(), { 'x-forwarded-for': forwarded })).then(outcome);
    const direct = inProcess(plant, { limitFailedChecks });
    expect(await failFrom(direct, '10.0.0.1')).toBe('unknown_key');
    expect(await failFrom(direct, '10.0.0.2')).toBe('too_many_failed_checks');
    const behind = inProcess(plant, { limitFailedChecks, trustProxy: ['127.0.0.0/8', '10.9.0.0/16'] });
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientPermission, clientPermissions } from '../../../src/core/access/permissions.ts';
import { updateTenant } from '../../../src/core/organization/tenants.ts';
import { drawSecret } from '../../../src/core/secrets.ts';
import { resources } from '../../../src/resources/index.ts';
import { createKey } from '../../core/key-operations.ts';
import { bareApp } from '../faces.ts';
import { HttpPlant } from '../plant.ts';
import { bearer, outcome } from './bearer.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

describe('the whole matrix', () => {
  const routes: { path: string; method: 'GET' | 'POST'; opens: readonly ClientPermission[] }[] = [
    { path: '/api/v1/me', method: 'GET', opens: [] },
    { path: '/api/v1/resources', method: 'GET', opens: [] },
    ...resources.flatMap(({ name, idExample, permissions }) => [
      { path: `/api/v1/${name}?limit=1`, method: 'GET' as const, opens: permissions },
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
    return app.fetch(path, { ...init, method, body: bodies[path] });
  };
  let app: ReturnType<typeof bareApp>;
  beforeAll(() => {
    app = bareApp(plant);
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
            const { secret, id } = await plant.key({
              actor,
              entity: site.entity,
              permissions,
              expiresAtMs,
            });
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
            const found = await outcome(
              await call(secret, { path: '/api/v1/parts', method: 'GET' }),
            );
            expect(`${state} ${creator} ${entity} ${found}`).toBe(
              `${state} ${creator} ${entity} ${expected}`,
            );
          }
        }
      }
    }
  });

  it('each answer to a key that expires says when, once, and no answer to another key', async () => {
    const expiresAtMs = plant.nowMs + 1000;
    const { secret } = await plant.key({ expiresAtMs, permissions: ['asset_sensors.ingest'] });
    const own = await plant.key({ expiresAtMs, allowedIps: ['192.0.2.7'] });
    const expiry = new Date(expiresAtMs).toISOString();
    const expiryOf = async (path: string, method = 'GET', headers = {}, ofKey = secret) => {
      const init = bearer(ofKey, { 'content-type': 'application/json', ...headers });
      const answer = await app.fetch(path, { ...init, method, body: bodies[path] });
      return [answer.status, answer.headers.get('hkctl-key-expires')];
    };
    const readings = '/api/v1/sensors/readings';
    expect(await expiryOf('/api/v1/me')).toEqual([200, expiry]);
    expect(await expiryOf('/api/v1/me', 'HEAD')).toEqual([200, expiry]);
    expect(await expiryOf('/api/v1/me', 'GET', { 'if-none-match': '*' })).toEqual([304, expiry]);
    expect(await expiryOf('/api/v1/me', 'GET', { 'if-match': '"x"' })).toEqual([412, expiry]);
    expect(await expiryOf('/api/v1/me?a=1')).toEqual([400, expiry]);
    expect(await expiryOf('/api/v1/parts')).toEqual([403, expiry]);
    expect(await expiryOf(readings, 'POST')).toEqual([200, expiry]);
    expect(await expiryOf(readings, 'POST', { 'content-type': 'x/y' })).toEqual([415, expiry]);
    expect(await expiryOf('/api/v1/me', 'GET', {}, own.secret)).toEqual([403, expiry]);
    const lasting = await plant.key();
    expect(await expiryOf(readings, 'POST', {}, lasting.secret)).toEqual([200, null]);
    plant.nowMs = expiresAtMs;
    expect(await expiryOf('/api/v1/me')).toEqual([401, expiry]);
  });

  it('a change applies to the very next request, and so does its reversal', async () => {
    const creator = await plant.creator();
    const site = await plant.site();
    const expiresAtMs = plant.nowMs + 1000;
    const { secret, id } = await plant.key({
      actor: creator.actor,
      entity: site.entity,
      expiresAtMs,
    });
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
    const face = bareApp(plant);
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
    const me = async () => outcome(await bareApp(plant).fetch('/api/v1/me', bearer(secret)));
    const face = bareApp(plant);
    const again = async () => outcome(await face.fetch('/api/v1/me', bearer(secret)));
    expect([await again(), await again()]).toEqual(['unknown_key', 'unknown_key']);
    const domain = { ...plant.domain, random: () => bytes };
    const input = {
      name: 'Known',
      entity: plant.berlin,
      permissions: ['parts.view'] as const,
      expiresAtMs: null,
    };
    await createKey(domain, plant.actor, input, { deliver() {}, complete() {}, withdraw() {} });
    expect([await again(), await me()]).toEqual(['200', '200']);
  });
});

describe('a body that arrives later than its head', () => {
  it('is accepted only from a key that is still valid then', async () => {
    const { secret, id } = await plant.key();
    const face = bareApp(plant);
    const post = () => {
      let body: ReadableStreamDefaultController<Uint8Array> | undefined;
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          body = controller;
        },
      });
      const headers = { 'content-type': 'application/json' };
      const init = {
        ...bearer(secret, headers),
        method: 'POST',
        body: stream,
        duplex: 'half',
      } as RequestInit;
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
    ['xBearer a', 'malformed_authorization'],
    ['Basic YTpi Bearer a', 'malformed_authorization'],
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
    expect(await outcome(await bareApp(plant).fetch('/api/v1/me', { headers }))).toBe(code);
  });

  it('accepts the scheme in any case and more than one blank', async () => {
    const { secret } = await plant.key();
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER   ']) {
      const response = await bareApp(plant).fetch('/api/v1/me', {
        headers: { authorization: `${scheme}${secret}` },
      });
      expect(response.status).toBe(200);
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientPermissions } from '../../src/core/access/permissions.ts';
import { bearer, outcome } from './auth/bearer.ts';
import { bareApp, listening } from './faces.ts';
import { HttpPlant } from './plant.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

describe('a key with allowed addresses', () => {
  it('is let in from them only, by the address that a trusted proxy reports', async () => {
    const { secret } = await plant.key({ allowedIps: ['192.0.2.0/24', '2001:db8::/32'] });
    const behindProxy = bareApp(plant, { trustProxy: ['127.0.0.1'] });
    const from = async (forwarded: string, face = behindProxy) => {
      const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': forwarded };
      return outcome(await face.fetch('/api/v1/me', { headers }));
    };
    for (const address of [
      '192.0.2.9',
      '::ffff:192.0.2.9',
      '2001:db8::1',
      '[2001:db8::1]:4711',
      '8.8.8.8, 192.0.2.1',
    ]) {
      expect(`${address} ${await from(address)}`).toBe(`${address} 200`);
    }
    for (const address of ['192.0.3.9', '2001:db9::1', '192.0.2.1, 8.8.8.8', 'nonsense', '']) {
      expect(`${address} ${await from(address)}`).toBe(`${address} address_not_allowed`);
    }
    // Nobody names an address for itself where no proxy is trusted.
    expect(await from('192.0.2.9', bareApp(plant))).toBe('address_not_allowed');
  });

  it('is refused with the address and without a use; its prefix is logged', async () => {
    const { secret, id, prefix } = await plant.key({ allowedIps: ['192.0.2.0/24'] });
    const face = await listening(plant, { logLevel: 'debug' });
    const refused = await face.fetch('/api/v1/me', bearer(secret));
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({
        code: 'address_not_allowed',
        detail: expect.stringContaining('127.0.0.1'),
      }),
    ]);
    await face.close();
    expect(face.log()).toContain(`"key":"${prefix}"`);
    expect(await plant.domain.store.keys.find(plant.actor.user.tenantId, id)).toMatchObject({
      lastUsedAtMs: null,
      lastUsedIp: null,
    });
  });

  it('is checked after the entity, and before the request limit and the permission', async () => {
    const elsewhere = { allowedIps: ['192.0.2.1/32'] };
    const site = await plant.site();
    const closed = await plant.key({ ...elsewhere, entity: site.entity });
    await site.deactivate();
    const limited = bareApp(plant, { limitRequests: { requests: 1, windowSeconds: 60 } });
    expect(await outcome(await limited.fetch('/api/v1/me', bearer(closed.secret)))).toBe(
      'entity_inactive',
    );
    const { secret } = await plant.key({ ...elsewhere, permissions: ['people.view'] });
    for (let n = 0; n < 3; n++) {
      const response = await limited.fetch('/api/v1/parts', bearer(secret));
      expect(response.headers.get('ratelimit')).toBeNull();
      expect(await outcome(response)).toBe('address_not_allowed');
    }
  });

  it('is no failed check: a neighbour of the address is not refused for it', async () => {
    const { secret } = await plant.key({ allowedIps: ['192.0.2.1/32'] });
    const face = bareApp(plant, { limitFailedChecks: { requests: 1, windowSeconds: 60 } });
    for (let n = 0; n < 3; n++) {
      expect(await outcome(await face.fetch('/api/v1/me', bearer(secret)))).toBe(
        'address_not_allowed',
      );
    }
  });
});

it('the address of the last use is kept with its time, for a key without a limit too', async () => {
  const [open, limited] = [
    await plant.key(),
    await plant.key({ allowedIps: ['127.0.0.0/8'], permissions: clientPermissions }),
  ];
  const face = await listening(plant, { trustProxy: ['127.0.0.1'] });
  const forwarded = {
    headers: { authorization: `Bearer ${open.secret}`, 'x-forwarded-for': '::ffff:198.51.100.7' },
  };
  expect((await face.fetch('/api/v1/me', bearer(open.secret))).status).toBe(200);
  expect((await face.fetch('/api/v1/me', forwarded)).status).toBe(200);
  expect((await face.fetch('/api/v1/me', bearer(limited.secret))).status).toBe(200);
  // The end of the server writes what is left.
  await face.close();
  const lastUsedAtMs = plant.nowMs;
  const found = async (id: string) => plant.domain.store.keys.find(plant.actor.user.tenantId, id);
  expect(await found(open.id)).toMatchObject({ lastUsedAtMs, lastUsedIp: '198.51.100.7' });
  expect(await found(limited.id)).toMatchObject({ lastUsedAtMs, lastUsedIp: '127.0.0.1' });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../../../src/core/errors.ts';
import { apiCodes } from '../../../src/http/answers/problem.ts';
import { type Face, listening } from '../faces.ts';
import type { HttpPlant } from '../plant.ts';
import { scenarios } from './all.ts';
import type { Scenario } from './scenario.ts';

/** Tests of every scenario, over a listening server and a plant that `open` makes. */
export function scenarioSuite(open: () => Promise<HttpPlant>): void {
  let plant: HttpPlant;
  const secrets = new Map<string, string>();

  beforeAll(async () => {
    plant = await open();
    const { actor, deactivate } = await plant.creator();
    const [closed, homeless] = [await plant.site(), await plant.site()];
    const revoked = await plant.key();
    const keys = {
      all: await plant.key(),
      gateway: await plant.key({ permissions: ['asset_sensors.ingest'] }),
      chicago: await plant.key({ entity: plant.chicago, permissions: ['parts.view'] }),
      revoked,
      expired: await plant.key({ expiresAtMs: plant.nowMs + 1 }),
      orphan: await plant.key({ actor }),
      closed: await plant.key({ entity: closed.entity }),
      homeless: await plant.key({ entity: homeless.entity }),
      elsewhere: await plant.key({ allowedIps: ['192.0.2.0/24'] }),
    };
    for (const [name, { secret }] of Object.entries(keys)) secrets.set(name, secret);
    secrets.set('unknown', plant.unknownSecret());
    await plant.revoke(revoked.id);
    await deactivate();
    await closed.deactivate();
    await homeless.remove();
    plant.nowMs += 1;
  });

  afterAll(() => plant.domain.store.close());

  function initOf({
    method = 'GET',
    key = 'all',
    authorization = 'Bearer ',
    type,
    body,
    headers,
  }: Scenario): RequestInit {
    return {
      method,
      headers: {
        ...(key !== 'none' && { authorization: `${authorization}${secrets.get(key)}` }),
        ...(type !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    };
  }

  describe('a request', () => {
    let face: Face;
    beforeAll(async () => {
      face = await listening(plant);
    });
    afterAll(() => face.close());

    it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
      '%s',
      async (_, scenario) => {
        const path = scenario.path.replace('SECRET', secrets.get('all') ?? '');
        const response = await face.fetch(path, initOf(scenario));
        const text = await response.clone().text();
        expect(response.status, text).toBe(scenario.status);
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        if (scenario.code !== undefined) {
          expect(response.headers.get('content-type')).toBe('application/problem+json');
          expect(JSON.parse(text)).toMatchObject({
            code: scenario.code,
            status: scenario.status,
            request_id: response.headers.get('x-request-id'),
          });
        }
        if (scenario.holds) expect(JSON.parse(text)).toMatchObject(scenario.holds);
        for (const [name, pattern] of Object.entries(scenario.header ?? {})) {
          expect(response.headers.get(name) ?? '', name).toMatch(pattern);
        }
        for (const secret of secrets.values()) expect(text).not.toContain(secret.slice(0, 12));
      },
    );

    it('has logged no secret', () => {
      expect(secrets.size).toBeGreaterThan(0);
      expect(face.log()).toContain('"msg":"request"');
      for (const secret of secrets.values()) expect(face.log()).not.toContain(secret.slice(8, 20));
    });
  });

  it('covers every code that a single request can cause', () => {
    const met = new Set(scenarios.map(({ code }) => code));
    // These three need a limit, a fault and a full disk; they have tests of their own.
    const others = [
      'sync_token_expired',
      'too_many_failed_checks',
      'too_many_requests',
      'too_many_ingest_requests',
      'internal',
      'unavailable',
    ];
    expect(apiCodes.filter((code) => !met.has(code))).toEqual(others);
    for (const { code, status } of scenarios)
      if (code) expect(errorTable[code as keyof typeof errorTable].status).toBe(status);
  });
}

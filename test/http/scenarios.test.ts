import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../../src/core/errors.ts';
import { apiCodes } from '../../src/http/request/problem.ts';
import { resources } from '../../src/resources/index.ts';
import { type Face, listening } from './faces.ts';
import { HttpPlant } from './plant.ts';
import { ingestScenarios } from './scenarios/ingest.ts';
import { listScenarios } from './scenarios/lists.ts';
import { readingsScenarios } from './scenarios/readings.ts';
import { json, readings, type Scenario } from './scenarios/scenario.ts';

/** Every status and code of the API, over its routes; each over a listening server. */
const scenarios: Scenario[] = [
  // Public.
  { name: 'health', path: '/healthz', key: 'none', status: 200, holds: { status: 'ok' } },
  { name: 'readiness', path: '/readyz', key: 'none', status: 200, holds: { status: 'ready' } },
  { name: 'metrics', path: '/metrics', key: 'none', status: 200, header: { 'content-type': /^text\/plain/ } },
  ...['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].map(
    (header): Scenario => ({
      name: `metrics through a proxy that says ${header}`,
      path: '/metrics',
      key: 'none',
      headers: { [header]: '10.0.0.1' },
      status: 404,
      code: 'not_found',
    }),
  ),
  {
    name: 'documents',
    path: '/api/v1',
    key: 'none',
    status: 200,
    header: { 'content-type': /^text\/html/, 'content-security-policy': /default-src 'none'/ },
  },
  { name: 'documents', path: '/api/v1/docs', key: 'none', status: 200, header: { 'content-type': /^text\/html/ } },
  {
    name: 'bundle',
    path: '/api/v1/docs/swagger-ui-bundle.js',
    key: 'none',
    status: 200,
    header: { 'content-type': /^text\/javascript/ },
  },
  { name: 'specification', path: '/api/v1/openapi.json', key: 'none', status: 200, holds: { openapi: '3.1.0' } },
  // The key.
  { name: 'me', path: '/api/v1/me', status: 200, header: { etag: /^W\/"/, 'x-request-id': /./ } },
  { name: 'me with a lower-case scheme', path: '/api/v1/me', authorization: 'bearer ', status: 200 },
  { name: 'me with a parameter', path: '/api/v1/me?a=1', status: 400, code: 'bad_parameter' },
  { name: 'resources', path: '/api/v1/resources', status: 200 },
  {
    name: 'no header',
    path: '/api/v1/me',
    key: 'none',
    status: 401,
    code: 'missing_authorization',
    header: { 'www-authenticate': /^Bearer realm="hkctl"$/ },
  },
  {
    name: 'another scheme',
    path: '/api/v1/me',
    key: 'none',
    headers: { authorization: 'Basic Zm9v' },
    status: 401,
    code: 'malformed_authorization',
    header: { 'www-authenticate': /error="invalid_token"/ },
  },
  {
    name: 'no token',
    path: '/api/v1/me',
    key: 'none',
    headers: { authorization: 'Bearer' },
    status: 401,
    code: 'malformed_authorization',
  },
  {
    name: 'two tokens',
    path: '/api/v1/me',
    key: 'none',
    headers: { authorization: 'Bearer a, Bearer b' },
    status: 401,
    code: 'malformed_authorization',
  },
  {
    name: 'a truncated secret',
    path: '/api/v1/me',
    key: 'none',
    headers: { authorization: 'Bearer hk_abcde' },
    status: 401,
    code: 'incomplete_secret',
  },
  { name: 'unknown', path: '/api/v1/me', key: 'unknown', status: 401, code: 'unknown_key' },
  { name: 'revoked', path: '/api/v1/me', key: 'revoked', status: 401, code: 'key_revoked' },
  { name: 'expired', path: '/api/v1/me', key: 'expired', status: 401, code: 'key_expired' },
  { name: 'creator inactive', path: '/api/v1/me', key: 'orphan', status: 401, code: 'creator_inactive' },
  { name: 'entity inactive', path: '/api/v1/me', key: 'closed', status: 403, code: 'entity_inactive' },
  { name: 'entity missing', path: '/api/v1/me', key: 'homeless', status: 403, code: 'entity_missing' },
  { name: 'another address', path: '/api/v1/me', key: 'elsewhere', status: 403, code: 'address_not_allowed' },
  {
    name: 'permission',
    path: '/api/v1/parts',
    key: 'gateway',
    status: 403,
    code: 'permission_required',
    header: { 'www-authenticate': /error="insufficient_scope", scope="parts.view"/ },
  },
  {
    name: 'ingest without permission',
    ...json,
    key: 'chicago',
    body: readings([]),
    status: 403,
    code: 'permission_required',
  },
  // Lists and records.
  ...resources.flatMap(({ name, idExample }): Scenario[] => [
    { name: `${name}`, path: `/api/v1/${name}`, status: 200, header: { etag: /^"[^"]+"$/, vary: /Authorization/ } },
    { name: `${name} one`, path: `/api/v1/${name}/${idExample}`, status: 200, holds: { id: idExample } },
    { name: `${name} none`, path: `/api/v1/${name}/nowhere`, status: 404, code: 'not_found' },
    {
      name: `${name} deleted`,
      path: `/api/v1/${name}`,
      method: 'DELETE',
      status: 405,
      code: 'method_not_allowed',
      header: { allow: /^GET, HEAD$/ },
    },
  ]),
  {
    name: 'a page',
    path: '/api/v1/parts?limit=2',
    status: 200,
    header: { link: /^<\/api\/v1\/parts\?limit=2&cursor=[\w-]+>; rel="next"$/ },
  },
  { name: 'HEAD', path: '/api/v1/parts', method: 'HEAD', status: 200, header: { 'content-length': /^\d{3,}$/ } },
  { name: "another entity's record", path: '/api/v1/parts/P-9001', status: 404, code: 'not_found' },
  { name: 'a broken escape', path: '/api/v1/parts/%E0%A4%A', status: 404, code: 'not_found' },
  { name: 'no such path', path: '/api/v1/suppliers', status: 404, code: 'not_found' },
  { name: 'no such path at all', path: '/../../etc/passwd', status: 404, code: 'not_found' },
  { name: 'OPTIONS', path: '/api/v1/parts', method: 'OPTIONS', key: 'none', status: 405, code: 'method_not_allowed' },
  { name: 'a key in the query', path: '/api/v1/parts?api_key=SECRET', status: 400, code: 'key_in_query' },
  {
    name: 'a key in the query alone',
    path: '/api/v1/parts?api_key=SECRET',
    key: 'none',
    status: 401,
    code: 'missing_authorization',
  },
  ...[
    'colour=red',
    'limit=0',
    'limit=501',
    'limit=ten',
    'limit=1&limit=2',
    'cursor=x',
    'is_active=maybe',
    'part_number=',
    'updated_since=yesterday',
    'updated_since=2026-13-01T00:00:00Z',
    'a=%FF',
    '__proto__=1',
  ].map(
    (query): Scenario => ({
      name: `parts?${query}`,
      path: `/api/v1/parts?${query}`,
      status: 400,
      code: 'bad_parameter',
    }),
  ),
  ...[
    'received_date=2026-02-30',
    'received_date_from=1',
    'received_date_week=2026-W47',
    'received_date_day=2026-01-01',
  ].map(
    (query): Scenario => ({
      name: `orders?${query}`,
      path: `/api/v1/orders?${query}`,
      status: 400,
      code: 'bad_parameter',
    }),
  ),
  { name: 'a week', path: '/api/v1/orders?received_date_week=2026-11-05', status: 200 },
  ...listScenarios,
  ...readingsScenarios,
  ...ingestScenarios,
];

let plant: HttpPlant;
const secrets = new Map<string, string>();

beforeAll(async () => {
  plant = await HttpPlant.open();
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

  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
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
  });

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

import { expect } from 'vitest';
import type { Scenario } from './scenario.ts';

const bad = { status: 400, code: 'bad_parameter' };

/** Paths that answer no list. */
const jsonOnly = [
  '/api/v1/me',
  '/api/v1/resources',
  '/api/v1/parts/P-1001',
  '/api/v1/sensors/SE-1001',
];
/** What Java's HttpURLConnection sends where a program sets nothing. */
const javaDefault = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';

/** Media types, included details, days and sync tokens of lists of records. */
export const listScenarios: Scenario[] = [
  ...(
    [
      ['text/csv', /^text\/csv; charset=utf-8$/],
      ['text/csv;q=0.5, application/json', /^application\/json/],
      ['application/json;charset=utf-8', /^application\/json/],
      ['text/html, */*;q=0.1', /^application\/json/],
    ] as const
  ).flatMap(([accept, type]) =>
    [
      '/api/v1/parts?limit=2',
      '/api/v1/sensors',
      '/api/v1/orders?include=services',
      '/api/v1/parts?category=none',
    ].map(
      (path): Scenario => ({
        name: `${path} where ${accept} is welcome`,
        path,
        headers: { accept },
        status: 200,
        header: { 'content-type': type, vary: /Authorization, Accept(,|$)/ },
      }),
    ),
  ),
  ...['/api/v1/parts', '/api/v1/sensors', ...jsonOnly].map(
    (path): Scenario => ({
      name: `${path} where only XML is welcome`,
      path,
      headers: { accept: 'application/xml' },
      status: 406,
      code: 'not_acceptable',
    }),
  ),
  ...jsonOnly.flatMap((path): Scenario[] => [
    {
      name: `${path} as CSV`,
      path,
      headers: { accept: 'text/csv' },
      status: 406,
      code: 'not_acceptable',
    },
    { name: `${path} for Java`, path, headers: { accept: javaDefault }, status: 200 },
  ]),
  {
    name: 'changes as CSV',
    path: '/api/v1/parts?sync_token=x',
    headers: { accept: 'text/csv' },
    status: 406,
    code: 'not_acceptable',
  },
  {
    name: 'the services of orders',
    path: '/api/v1/orders?include=services&status=confirmed',
    status: 200,
  },
  {
    name: 'the services of documents',
    path: '/api/v1/inbound-documents?include=services',
    status: 200,
  },
  { name: 'details that orders do not have', path: '/api/v1/orders?include=parts', ...bad },
  { name: 'services twice', path: '/api/v1/orders?include=services,services', ...bad },
  { name: 'nothing included', path: '/api/v1/orders?include=', ...bad },
  { name: 'the services of parts', path: '/api/v1/parts?include=services', ...bad },
  { name: 'sorted records', path: '/api/v1/parts?sort=-name&is_active=true', status: 200 },
  { name: 'records without an order', path: '/api/v1/parts?sort=', ...bad },
  { name: 'records in an unknown order', path: '/api/v1/parts?sort=colour', ...bad },
  { name: 'records in two orders', path: '/api/v1/parts?sort=id&sort=name', ...bad },
  { name: 'records in the order of a list', path: '/api/v1/orders?sort=services', ...bad },
  { name: 'sensors by their last value', path: '/api/v1/sensors?sort=last_value', ...bad },
  { name: 'records since a day', path: '/api/v1/parts?updated_since=2026-11-20', status: 200 },
  {
    name: 'records from a day to a day',
    path: '/api/v1/oee-events?started_at_from=2026-11-20&started_at_to=2026-11-20',
    status: 200,
  },
  ...[
    ['oee-events', 'started_at', '2026-11-21', '2026-11-20'],
    ['oee-events', 'started_at', '2026-11-20T08:00:00Z', '2026-11-20T07:59:59Z'],
    ['oee-events', 'started_at', '2026-11-20T23:00:00Z', '2026-11-20'],
    ['jobs', 'required_date', '2027-01-01', '2026-12-31'],
  ].map(
    ([resource, field, from, to]): Scenario => ({
      name: `${resource} from ${from} to ${to}`,
      path: `/api/v1/${resource}?${field}_to=${to}&${field}_from=${from}`,
      ...bad,
      holds: {
        detail: expect.stringContaining(`${field}_from="${from}" is after ${field}_to="${to}"`),
      },
    }),
  ),
  {
    name: 'records from a day in one zone to the same day',
    path: '/api/v1/oee-events?started_at_from=2026-11-20T22:59:59Z&started_at_to=2026-11-20',
    status: 200,
  },
  { name: 'records at a day', path: '/api/v1/parts?updated_since=2026-11-31', ...bad },
  { name: 'records before all years', path: '/api/v1/parts?updated_since=0000-01-01', ...bad },
  ...['', 'x', 'WyJhIl0', 'WyJhIiwiIiwiIiwxXQ', '%ff'].map(
    (token): Scenario => ({
      name: `sync_token=${token}`,
      path: `/api/v1/parts?sync_token=${token}`,
      ...bad,
    }),
  ),
  { name: 'a token twice', path: '/api/v1/parts?sync_token=x&sync_token=x', ...bad },
  { name: 'a token for one record', path: '/api/v1/parts/P-1001?sync_token=x', ...bad },
  { name: 'a token for readings', path: '/api/v1/sensors/SE-1001/readings?sync_token=x', ...bad },
];

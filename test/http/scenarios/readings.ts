import type { Scenario } from './scenario.ts';

/** Reads of the readings of a sensor. */
export const readingsScenarios: Scenario[] = [
  { name: 'readings', path: '/api/v1/sensors/SE-1001/readings', status: 200 },
  {
    name: 'readings by code',
    path: '/api/v1/sensors/OVEN-3-T1/readings?from=2026-01-01T00:00:00%2B01:00&to=1795000000000',
    status: 200,
  },
  {
    name: 'readings in buckets',
    path: '/api/v1/sensors/SE-1001/readings?bucket=5m&agg=avg,min,max,last,count',
    status: 200,
  },
  {
    name: 'readings of all time',
    path: '/api/v1/sensors/SE-1001/readings?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z',
    status: 200,
  },
  {
    name: 'readings of all time in milliseconds',
    path: '/api/v1/sensors/SE-1001/readings?from=-62135596800000&to=253402300799000',
    status: 200,
  },
  ...(
    [
      ['text/csv;q=0.5,*/*', /^application\/json/],
      ['*/*;q=0.1, text/csv', /^text\/csv/],
      ['text/*;q=0.2, application/x-ndjson;q=0.3', /^application\/x-ndjson/],
      ['application/json;q=0, text/csv;q=0.1', /^text\/csv/],
      ['application/*', /^application\/json/],
      ['application/json; charset=utf-8', /^application\/json/],
      ['Text/CSV;header=present;q=0.3, application/json;q=0.2', /^text\/csv/],
      ['application/ndjson', /^application\/x-ndjson/],
    ] as const
  ).map(
    ([accept, type]): Scenario => ({
      name: `readings where ${accept} is welcome`,
      path: '/api/v1/sensors/SE-1001/readings',
      headers: { accept },
      status: 200,
      header: { 'content-type': type },
    }),
  ),
  ...['text/html', 'application/xml;q=1', '*/*;q=0', 'application/json;q=0', ''].map(
    (accept): Scenario => ({
      name: `readings where only "${accept}" is welcome`,
      path: '/api/v1/sensors/SE-1001/readings',
      headers: { accept },
      status: 406,
      code: 'not_acceptable',
    }),
  ),
  {
    name: 'readings of a day',
    path: '/api/v1/sensors/SE-1001/readings?from=2026-11-20&to=2026-11-21',
    status: 200,
  },
  {
    name: 'readings as CSV',
    path: '/api/v1/sensors/SE-1001/readings',
    headers: { accept: 'text/csv' },
    status: 200,
    header: { 'content-type': /^text\/csv/, vary: /Accept/ },
  },
  {
    name: 'readings as NDJSON',
    path: '/api/v1/sensors/SE-1001/readings',
    headers: { accept: 'application/x-ndjson' },
    status: 200,
    header: { 'content-type': /^application\/x-ndjson/ },
  },
  {
    name: 'readings of nobody',
    path: '/api/v1/sensors/nobody/readings',
    status: 404,
    code: 'not_found',
  },
  ...[
    'bucket=5',
    'bucket=0m',
    'agg=avg',
    'bucket=5m&agg=median',
    'bucket=5m&agg=avg,avg',
    'bucket=5219w',
    'limit=100001',
    'from=now',
    'cursor=abc',
    'sum=1',
  ].map(
    (query): Scenario => ({
      name: `readings?${query}`,
      path: `/api/v1/sensors/SE-1001/readings?${query}`,
      status: 400,
      code: 'bad_parameter',
    }),
  ),
];

import { expect } from 'vitest';
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
  ...['1mo', '3mo', '1y'].map(
    (bucket): Scenario => ({
      name: `readings in buckets of ${bucket}`,
      path: `/api/v1/sensors/SE-1001/readings?bucket=${bucket}&agg=first,increase`,
      status: 200,
    }),
  ),
  ...['2mo', '1M', '2y'].map(
    (bucket): Scenario => ({
      name: `readings in buckets of ${bucket}`,
      path: `/api/v1/sensors/SE-1001/readings?bucket=${bucket}`,
      status: 400,
      code: 'bad_parameter',
      holds: { detail: expect.stringContaining('1mo, 3mo or 1y') },
    }),
  ),
  {
    name: 'readings of all time',
    path: '/api/v1/sensors/SE-1001/readings?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z',
    status: 200,
  },
  ...(
    [
      ['from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z', '', true],
      ['to=1795000000000&from=1795000000001', '&bucket=1h&agg=max', true],
      ['from=2026-11-21&to=1795000000000', '&last=3&order=desc', true],
      ['from=2026-11-20T08:00:00.000001Z&to=2026-11-20T08:00:00Z', '', true],
      ['from=2026-11-20T09:00:00Z&to=2026-11-20T10:00:00%2B01:00', '', false],
      ['from=2026-11-20&to=2026-11-20', '', false],
    ] as const
  ).flatMap(([range, more, isReversed]) => {
    const values = decodeURIComponent(range)
      .split('&')
      .sort()
      .map((pair) => pair.replace(/=(.*)/, '="$1"'));
    const answer = isReversed ? { status: 400, code: 'bad_parameter' } : { status: 200 };
    const [from = '', to = ''] = values;
    return ['/sensors/SE-1001/readings?', '/readings?sensor=SE-1001&'].map(
      (path): Scenario => ({
        name: `${path}${range}${more}`,
        path: `/api/v1${path}${range}${more}`,
        ...answer,
        ...(isReversed && {
          holds: { detail: expect.stringContaining(`${from} is after ${to}`) },
        }),
      }),
    );
  }),
  {
    name: 'readings of all time in milliseconds',
    path: '/api/v1/sensors/SE-1001/readings?from=100000000000&to=253402300799000',
    status: 200,
  },
  ...(
    [
      ['epoch seconds', 'from=1795162500', 'epoch seconds of 2026-11-20T08:15:00Z'],
      ['epoch seconds', 'to=1795162500', 'epoch seconds of 2026-11-20T08:15:00Z'],
      ['the number zero', 'from=0', 'from 100,000,000,000 on'],
      ['a negative number', 'from=-1', 'from 100,000,000,000 on'],
      ['epoch microseconds', 'from=1795162500000000', 'epoch microseconds of 2026'],
      ['epoch nanoseconds', 'to=1795162500000000000', 'epoch nanoseconds of 2026'],
      ['digits of a date', 'from=202611200815', 'the digits of 2026-11-20T08:15:00Z'],
      ['digits of a day', 'from=20261120', 'the digits of 2026-11-20T00:00:00Z'],
      ['digits with seconds', 'to=20261120081500', 'the digits of 2026-11-20T08:15:00Z'],
    ] as const
  ).map(
    ([name, query, detail]): Scenario => ({
      name: `readings from or to ${name}: ${query}`,
      path: `/api/v1/sensors/SE-1001/readings?${query}`,
      status: 400,
      code: 'bad_parameter',
      holds: { detail: expect.stringContaining(detail) },
    }),
  ),
  ...(
    [
      ['text/csv;q=0.5,*/*', /^application\/json/],
      ['*/*;q=0.1, text/csv', /^text\/csv; charset=utf-8$/],
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

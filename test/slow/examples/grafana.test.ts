import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';

interface Query {
  type: 'json' | 'csv';
  parser: string;
  source: string;
  url: string;
  url_options: { method: string; params?: { key: string; value: string }[] };
  root_selector?: string;
  columns: { selector: string; text: string; type: 'string' | 'number' | 'timestamp' }[];
  pagination_mode?: string;
  pagination_max_pages?: number;
  pagination_param_cursor_field_name?: string;
  pagination_param_cursor_extraction_path?: string;
}

interface DataSource {
  type: string;
  uid: string;
}

interface Dashboard {
  description: string;
  __inputs: { name: string; pluginId: string }[];
  templating: {
    list: { name: string; datasource: DataSource; query: { infinityQuery: Query } }[];
  };
  panels: {
    type: string;
    title: string;
    datasource: DataSource;
    interval?: string;
    maxDataPoints?: number;
    targets: (Query & { datasource: DataSource })[];
    transformations?: { id: string; options: { fields: string[] } }[];
  }[];
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Grafana's steps of intervals: each up to the range of one point, in milliseconds. */
const steps: readonly (readonly [below: number, interval: string])[] = [
  [15, '10ms'],
  [150, '100ms'],
  [750, '500ms'],
  [1500, '1s'],
  [3500, '2s'],
  [7500, '5s'],
  [12_500, '10s'],
  [17_500, '15s'],
  [25_000, '20s'],
  [45_000, '30s'],
  [90_000, '1m'],
  [210_000, '2m'],
  [450_000, '5m'],
  [750_000, '10m'],
  [1_050_000, '15m'],
  [1_500_000, '20m'],
  [2_700_000, '30m'],
  [5_400_000, '1h'],
  [9_000_000, '2h'],
  [16_200_000, '3h'],
  [32_400_000, '6h'],
  [86_400_000, '12h'],
  [604_800_000, '1d'],
  [1_814_400_000, '7d'],
  [3_628_800_000, '30d'],
];
const startMs = Date.parse('2026-11-20T08:00:00Z');
const codes = ['OVEN-3-T1', 'PRESS & LID', 'PUMP+1'];

let plant: Plant;
let daemon: Daemon;
let secret: string;
let dashboard: Dashboard;
beforeAll(async () => {
  plant = await Plant.open();
  dashboard = JSON.parse((await plant.ok(['examples', 'grafana.json'])).stdout);
  const more = Array.from({ length: 600 }, (_, n) => `S-${n}`);
  await plant.importSensors(
    [...codes, ...more].map((code, n) => ({ id: `G&${n}`, code, name: code, unit: 'Cel' })),
  );
  const gateway = await plant.createKey('Gateway', 'sensor-gateway');
  ({ secret } = await plant.createKey(
    'Grafana',
    'production-only',
    '--permission',
    'asset_sensors.view',
  ));
  daemon = await plant.serve();
  const readings = codes.flatMap((sensor) =>
    Array.from({ length: 120 }, (_, n) => ({
      sensor,
      at: startMs + n * minuteMs,
      value: n,
    })),
  );
  const { data } = await daemon
    .api(gateway.secret)
    .POST('/api/v1/sensors/readings', { body: { readings } });
  expect(data?.accepted).toBe(readings.length);
});
afterAll(() => plant.close());

/** The texts that Grafana puts in the places of variables. */
function variables(fromMs: number, toMs: number, interval: string): Record<string, string> {
  return {
    'sensor:csv': codes.map((_, n) => `G&${n}`).join(','),
    '__from:date:iso': new Date(fromMs).toISOString(),
    '__to:date:iso': new Date(toMs).toISOString(),
    __interval: interval,
  };
}

/** `$__interval` for a range: no shorter than the panel's minimum. */
function intervalOf(rangeMs: number, maxDataPoints: number, minimum: string): string {
  const lengths: Record<string, number> = {
    ...{ ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs },
  };
  const lengthOf = (text: string) =>
    Number.parseInt(text, 10) * (lengths[text.replace(/^\d+/, '')] ?? Number.NaN);
  const interval = steps.find(([below]) => rangeMs / maxDataPoints < below)?.[1] ?? '1y';
  return lengthOf(interval) < lengthOf(minimum) ? minimum : interval;
}

/** Asks as the Infinity data source does: with its header, and each parameter encoded. */
function ask(query: Query, values: Record<string, string>, cursor?: string): Promise<Answer> {
  const filled = (text: string) =>
    text.replace(/\$\{([^}]+)\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`Grafana knows no \${${name}}.`);
      return value;
    });
  const url = new URL(daemon.url + filled(query.url));
  for (const { key, value } of query.url_options.params ?? [])
    url.searchParams.append(key, filled(value));
  if (cursor !== undefined)
    url.searchParams.append(query.pagination_param_cursor_field_name ?? '', cursor);
  const accept = { json: 'application/json;q=0.9,text/plain', csv: 'text/csv; charset=utf-8' };
  return call(url.href, { secret, headers: { accept: accept[query.type] } });
}

/** The rows of an answer, with a cell for each column of the query, checked for its type. */
function rowsOf(query: Query, answer: Answer): Record<string, unknown>[] {
  expect(answer.status, answer.text).toBe(200);
  const records: Record<string, unknown>[] =
    query.type === 'csv'
      ? parseCsv(answer.text, { columns: true })
      : (answer.json<Record<string, Record<string, unknown>[]>>()[query.root_selector ?? ''] ?? []);
  return records.map((record) =>
    Object.fromEntries(
      query.columns.map(({ selector, text, type }) => {
        const value = record[selector];
        expect(value, `${selector} of ${JSON.stringify(record)}`).not.toBe(undefined);
        if (type === 'number' && value !== null) expect(Number(value)).not.toBeNaN();
        if (type === 'timestamp' && value !== null) expect(Date.parse(String(value))).not.toBeNaN();
        return [text, value];
      }),
    ),
  );
}

const panel = (type: string) => {
  const one = dashboard.panels.find((candidate) => candidate.type === type);
  const [query] = one?.targets ?? [];
  if (!one || !query) throw new Error(`The dashboard has no panel of the type ${type}.`);
  return { ...one, query };
};

/** All rows of a list, in as many pages as the data source reads. */
async function listed(query: Query): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  for (let page = 0; page <= (query.pagination_max_pages ?? 0); page++) {
    const answer = await ask(query, {}, cursor);
    rows.push(...rowsOf(query, answer));
    const next =
      answer.json<Record<string, string | null>>()[
        query.pagination_param_cursor_extraction_path ?? ''
      ];
    if (next === null || next === undefined) break;
    cursor = next;
  }
  return rows;
}

describe('grafana.json', () => {
  it('asks at the import for a data source, which every query uses', () => {
    const [input] = dashboard.__inputs;
    expect(input?.pluginId).toBe('yesoreyeram-infinity-datasource');
    const sources = [
      ...dashboard.templating.list.map(({ datasource }) => datasource),
      ...dashboard.panels.flatMap((one) => [one, ...one.targets].map((part) => part.datasource)),
    ];
    for (const source of sources)
      expect(source).toEqual({ type: input?.pluginId, uid: `\${${input?.name}}` });
    for (const { targets } of dashboard.panels)
      expect(targets).toEqual([expect.objectContaining({ parser: 'backend', source: 'url' })]);
  });

  it('lists more sensors than a page has, in the table and in the choice of sensors', async () => {
    const rows = await listed(panel('table').query);
    expect(rows).toHaveLength(codes.length + 600);
    expect(rows.find(({ Sensor }) => Sensor === 'OVEN-3-T1')).toEqual({
      Sensor: 'OVEN-3-T1',
      Name: 'OVEN-3-T1',
      'Last value': 119,
      Unit: 'Cel',
      'Last reading': '2026-11-20T09:59:00.000000Z',
      'Last heartbeat': null,
      Status: null,
    });
    const [variable] = dashboard.templating.list;
    expect(variable?.name).toBe('sensor');
    if (variable) expect(await listed(variable.query.infinityQuery)).toHaveLength(rows.length);
  });

  it('shows the last value of each sensor', async () => {
    const { query, transformations } = panel('stat');
    const rows = rowsOf(query, await ask(query, variables(0, 0, '')));
    const time = '2026-11-20T09:59:00.000000Z';
    expect(rows).toEqual(codes.map((sensor) => ({ sensor, time, value: '119' })));
    expect(transformations?.[0]?.options.fields).toEqual(['sensor']);
  });

  it('plots the means of several sensors from one request', async () => {
    const { query, transformations } = panel('timeseries');
    const values = variables(startMs, startMs + hourMs, '30m');
    expect(rowsOf(query, await ask(query, values))).toEqual(
      codes.flatMap((sensor) => [
        { sensor, time: '2026-11-20T08:00:00.000000Z', mean: '14.5' },
        { sensor, time: '2026-11-20T08:30:00.000000Z', mean: '44.5' },
      ]),
    );
    expect(transformations?.[0]?.options.fields).toEqual(['sensor']);
  });

  it('has a minimum interval, so that hkctl accepts every interval of every range', async () => {
    const { query, interval = '', maxDataPoints = 0 } = panel('timeseries');
    const ranges = [1, 5, 15, 30].map((n) => n * minuteMs);
    const days = [1 / 24, 1 / 8, 1 / 4, 1 / 2, 1, 2, 7, 30, 90, 180, 365, 730, 1825, 18_250];
    const seen = new Set<string>();
    for (const range of [...ranges, ...days.map((n) => n * dayMs)]) {
      const length = intervalOf(range, maxDataPoints, interval);
      seen.add(length);
      const to = startMs + hourMs;
      const { status, text } = await ask(query, variables(to - range, to, length));
      expect([length, status], text).toEqual([length, 200]);
    }
    expect(seen.size).toBeGreaterThan(10);
  });

  it('would be refused below a second', async () => {
    const { query } = panel('timeseries');
    const { status } = await ask(query, variables(startMs, startMs + 1000, '500ms'));
    expect(status).toBe(400);
  });
});

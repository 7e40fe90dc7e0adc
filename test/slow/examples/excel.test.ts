import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { evaluateM, type MFunction, type MRecord } from './power-query.ts';

const count = 1201;

let plant: Plant;
let daemon: Daemon;
let secret: string;
let text: string;
let read: MFunction;
/** The paths that Power Query asked for. */
const asked: string[] = [];
beforeAll(async () => {
  plant = await Plant.open();
  text = (await plant.ok(['examples', 'excel.pq'])).stdout;
  await plant.importSensors(
    Array.from({ length: count }, (_, n) => ({
      id: `S-${n}`,
      code: `T-${n}`,
      name: `Sensor ${n}`,
      unit: n % 2 === 0 ? 'Cel' : null,
    })),
  );
  ({ secret } = await plant.createKey('Excel', 'operational-core'));
  daemon = await plant.serve();
  const value: unknown = await evaluateM(text, library);
  if (typeof value !== 'function') throw new Error('excel.pq is no function.');
  read = async (...args) => value(...args);
});
afterAll(() => plant.close());

/** The functions of M that the file calls, as the documents of Power Query describe them. */
const library: MRecord = {
  'Text.Trim': (value: string) => value.trim(),
  'Text.EndsWith': (value: string, end: string) => value.endsWith(end),
  'Json.Document': (content: string) => JSON.parse(content),
  'Web.Contents': async (base: string, options: WebOptions) => {
    // What else it takes, the Power BI service would call a dynamic data source, or refuse.
    expect(Object.keys(options).sort()).toEqual(['Headers', 'Query', 'RelativePath']);
    expect(base).toBe('https://api.example.com');
    const query = new URLSearchParams(options.Query);
    asked.push(`${options.RelativePath}?${query}`);
    const answer = await call(`${daemon.url}/${options.RelativePath}?${query}`, {
      headers: options.Headers,
    });
    if (answer.status !== 200) throw new Error(`Web.Contents: ${answer.status} ${answer.text}`);
    return answer.text;
  },
  'List.Generate': async (
    initial: MFunction,
    condition: MFunction,
    next: MFunction,
    selector: MFunction,
  ) => {
    const list: unknown[] = [];
    for (let item = await initial(); await condition(item); item = await next(item))
      list.push(await selector(item));
    return list;
  },
  'List.Combine': (lists: unknown[][]) => lists.flat(),
  'List.Distinct': (list: unknown[]) => [...new Set(list)],
  'List.Transform': (list: unknown[], change: MFunction) =>
    Promise.all(list.map((item) => change(item))),
  'Record.FieldNames': (record: MRecord) => Object.keys(record),
  'MissingField.UseNull': 'use null',
  'Table.FromRecords': (records: MRecord[], columns: string[], missing: unknown) => {
    expect(missing).toBe('use null');
    return records.map((record) => columns.map((column) => record[column] ?? null));
  },
};

interface WebOptions {
  RelativePath: string;
  Query: Record<string, string>;
  Headers: Record<string, string>;
}

/** The calls that the comment shows: `= Hkctl(HkctlKey, "orders", null)`. */
const shownCalls = () => [...text.matchAll(/^\/\/ +=( Hkctl\(HkctlKey.*\))$/gm)];

describe('excel.pq', () => {
  it('reads every page of a list, each record once', async () => {
    asked.length = 0;
    // As it is copied from a file.
    const table = await read(`${secret}\n`, 'sensors', null);
    const rows = table as unknown[][];
    expect(new Set(rows.map(([id]) => id)).size).toBe(count);
    expect(rows).toHaveLength(count);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toBe('api/v1/sensors?limit=500');
    expect(asked[2]).toMatch(/^api\/v1\/sensors\?limit=500&cursor=./);
  });

  it('reads what a filter lets pass, and an empty list', async () => {
    const [one] = (await read(secret, 'sensors', { code: 'T-7' })) as unknown[][];
    expect(one).toContain('Sensor 7');
    expect(await read(secret, 'orders', null)).toEqual([]);
  });

  it('reads 100,000 readings of a sensor at once', async () => {
    asked.length = 0;
    const at = '2026-11-20T08:15:00.000000Z';
    await plant.ok(['import', 'readings', '-', '--entity', 'BER'], {
      input: `sensor,at,value\nT-1,${at},1.5\n`,
    });
    expect(await read(secret, 'sensors/S-1/readings', { from: at })).toEqual([[at, 1.5]]);
    expect(asked).toEqual([
      expect.stringMatching(/^api\/v1\/sensors\/S-1\/readings\?(?=.*limit=100000).*from=/),
    ]);
  });

  it('is called as its comment shows', async () => {
    const calls = shownCalls();
    expect(calls).toHaveLength(3);
    for (const [, shown = ''] of calls) {
      const names = { Hkctl: read, HkctlKey: secret };
      expect(await evaluateM(shown, names)).toEqual([]);
    }
  });

  it('fails with the answer of hkctl, if the key or the list is wrong', async () => {
    await expect(read(`${secret.slice(0, -1)}x`, 'sensors', null)).rejects.toThrow(/401/);
    await expect(read(secret, 'nothing', null)).rejects.toThrow(/404/);
  });
});

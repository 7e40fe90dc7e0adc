import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareApp, type Face } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
let face: Face;
let secret: string;

const sensor = (id: string, code: string) => ({
  id,
  code,
  name: code,
  unit: null,
  is_active: true,
});
const at = (second: number) => `2026-11-20T06:00:0${second}.000000Z`;

beforeAll(async () => {
  plant = await HttpPlant.open();
  // As a daemon does, which then reads in a thread.
  await plant.domain.store.openAll();
  face = bareApp(plant);
  secret = (await plant.key()).secret;
  await plant.import('sensors', plant.berlin, [
    sensor('A1', 'ALPHA'),
    sensor('B1', 'BE,TA'),
    sensor('E1', 'EMPTY'),
  ]);
  const readings = [0, 1, 2, 3].flatMap((second) => [
    { sensor: 'A1', at: at(second), value: second },
    { sensor: 'B1', at: at(second), value: 10 + second, quality: 'bad' },
  ]);
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ readings });
  await face.fetch('/api/v1/sensors/readings', { method: 'POST', headers, body });
});
afterAll(async () => {
  await face.close();
  await plant.domain.store.close();
});

const ask = async (query: string, accept = 'application/json') => {
  const headers = { authorization: `Bearer ${secret}`, accept };
  const answer = await face.fetch(`/api/v1/readings?${query}`, { headers });
  const text = await answer.text();
  return { status: answer.status, text, link: answer.headers.get('link') };
};

/** The groups of an answer: the code of each sensor, and the values or counts of its rows. */
const groupsOf = (text: string): [string, number[]][] =>
  JSON.parse(text).data.map(
    ({ sensor: { code }, data }: { sensor: { code: string }; data: Record<string, number>[] }) => [
      code,
      data.map(({ value, count }) => value ?? count),
    ],
  );

it('groups stand in the order asked, each sensor once, also one without readings', async () => {
  const { text } = await ask('sensor=E1,B1,ALPHA,A1,B1');
  expect(groupsOf(text)).toEqual([
    ['EMPTY', []],
    ['BE,TA', [10, 11, 12, 13]],
    ['ALPHA', [0, 1, 2, 3]],
  ]);
  expect(JSON.parse(text).data[1]).toMatchObject({
    sensor: { id: 'B1', code: 'BE,TA' },
    data: [{ at: at(0), value: 10, quality: 'bad' }, {}, {}, {}],
  });
});

it.each([
  ['', [0, 1, 2, 3]],
  ['&order=desc', [3, 2, 1, 0]],
  ['&last=2', [2, 3]],
  ['&last=3&order=desc', [3, 2, 1]],
  [`&from=${at(1)}&to=${at(3)}`, [1, 2]],
  ['&bucket=2s&agg=count', [2, 2]],
  ['&bucket=2s&agg=count&last=1', [2]],
])('a page limit cuts them anywhere, and the cursor continues: %j', async (query, expected) => {
  for (const limit of [1, 2, 3, 5, 100]) {
    const found = new Map<string, number[]>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const next = cursor === '' ? '' : `&cursor=${cursor}`;
      const { status, text } = await ask(`sensor=A1,E1,B1${query}&limit=${limit}${next}`);
      expect(status, text).toBe(200);
      const groups = groupsOf(text);
      expect(groups.flatMap(([, rows]) => rows).length).toBeLessThanOrEqual(limit);
      for (const [code, rows] of groups) found.set(code, [...(found.get(code) ?? []), ...rows]);
      cursor = JSON.parse(text).next_cursor;
    }
    const isCounted = query.includes('count');
    expect([limit, [...found]]).toEqual([
      limit,
      [
        ['ALPHA', expected],
        ['EMPTY', []],
        ['BE,TA', expected.map((value) => (isCounted ? value : value + 10))],
      ],
    ]);
  }
});

it('a sensor whose code has a comma is read by a parameter of its own, beside others', async () => {
  for (const query of ['sensor=BE%2CTA&sensor=A1', 'sensor=BE,TA&sensor=A1&sensor=BE,TA']) {
    expect(groupsOf((await ask(`${query}&last=1`)).text)).toEqual([
      ['BE,TA', [13]],
      ['ALPHA', [3]],
    ]);
  }
  expect(groupsOf((await ask('sensor=BE,TA&last=1')).text)).toEqual([['BE,TA', [13]]]);
  for (const query of ['sensor=A1,B1&sensor=E1', 'sensor=BE,A1', 'sensor=A1&sensor=']) {
    expect((await ask(query)).status).toBe(400);
  }
});

it('CSV and NDJSON have the code of the sensor in each row', async () => {
  const csv = await ask('sensor=A1,E1,B1&last=1', 'text/csv');
  expect(csv.text).toBe(`sensor,at,value,quality\nALPHA,${at(3)},3,\n"BE,TA",${at(3)},13,bad\n`);
  const lines = await ask('sensor=A1,B1&last=1&limit=1', 'application/x-ndjson');
  expect(lines.text).toBe(`{"sensor":"ALPHA","at":"${at(3)}","value":3}\n`);
  expect(lines.link).toContain('rel="next"');
});

it('a sensor that is unknown or of another entity is refused in the same way', async () => {
  await plant.import('sensors', plant.chicago, [sensor('C1', 'CHI-1')]);
  const [unknown, foreign] = [await ask('sensor=A1,NONE'), await ask('sensor=A1,C1')];
  expect([unknown.status, foreign.status]).toEqual([400, 400]);
  const detailOf = (text: string) => JSON.parse(text).detail.replace(/NONE|C1/, 'X');
  expect(detailOf(foreign.text)).toBe(detailOf(unknown.text));
  expect(JSON.parse(unknown.text).code).toBe('bad_parameter');
});

it.each([
  '',
  'sensor=',
  'sensor=A1,,B1',
  `sensor=${Array.from({ length: 101 }, (_, n) => `S${n}`)}`,
  'sensor=A1&order=up',
  'sensor=A1&last=0',
  'sensor=A1&last=100001',
  'sensor=A1&agg=avg',
  'sensor=A1&cursor=abc',
])('a wrong query is refused: %j', async (query) => {
  expect((await ask(query)).status).toBe(400);
});

it('the cursor of another query is refused', async () => {
  const { text } = await ask('sensor=A1,B1&limit=1');
  const cursor = JSON.parse(text).next_cursor;
  for (const query of ['sensor=B1,A1', 'sensor=A1,B1&order=desc', 'sensor=A1,B1&last=1'])
    expect((await ask(`${query}&cursor=${cursor}`)).status).toBe(400);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRecordJudge } from '../../src/core/records.ts';
import { type Face, inProcess } from './faces.ts';
import { HttpPlant, resourceOf } from './plant.ts';

let plant: HttpPlant;
let face: Face;
let secret: string;

beforeAll(async () => {
  plant = await HttpPlant.open();
  face = inProcess(plant);
  secret = (await plant.key()).secret;
});
afterAll(async () => {
  await face.close();
  await plant.domain.store.close();
});

const get = async (path: string, on = face) => {
  const answer = await on.fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${secret}` } });
  return { status: answer.status, link: answer.headers.get('link'), body: JSON.parse(await answer.text()) };
};

const post = async (list: readonly unknown[]) => {
  const answer = await face.fetch('/api/v1/sensors/readings', {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ readings: list }),
  });
  return JSON.parse(await answer.text());
};

const sensor = (id: string, code: string) => ({ id, code, name: code, unit: 'Cel', is_active: true });

describe('the readings of a sensor', () => {
  it('are those of the id in the path, also where another one has that text for its code', async () => {
    await plant.import('sensors', plant.berlin, [sensor('S1', 'S2'), sensor('S2', 'S3')]);
    const at = '2026-11-20T08:00:00Z';
    const sent = [
      { sensor: 'S2', at, value: 1 },
      { sensor: 'S3', at, value: 2 },
    ];
    expect(await post(sent)).toMatchObject({ accepted: 2 });
    const valuesOf = async (name: string) =>
      (await get(`/sensors/${name}/readings`)).body.data.map(({ value }: { value: number }) => value);
    expect([await valuesOf('S1'), await valuesOf('S2'), await valuesOf('S3')]).toEqual([[1], [2], [2]]);
    expect((await get('/sensors/S2')).body).toMatchObject({ code: 'S3', last_value: 2 });
  });

  it('go on from page to page however the query is written, and with that of no other sensor', async () => {
    await plant.import('sensors', plant.berlin, [sensor('C1', 'COLD-1'), sensor('C2', 'COLD-2')]);
    const times = ['2026-11-20T06:00:00Z', '2026-11-20T07:00:00Z', '2026-11-20T08:00:00Z'];
    await post(times.flatMap((at, n) => ['C1', 'C2'].map((name) => ({ sensor: name, at, value: n }))));
    const { body } = await get('/sensors/C1/readings?from=2026-11-20T00%3A00%3A00Z&limit=1');
    const follow = (name: string, query: string) =>
      get(`/sensors/${name}/readings?${query}&cursor=${body.next_cursor}`);
    for (const from of ['2026-11-20T00:00:00Z', '1795132800000', '2026-11-20T01:00:00%2B01:00']) {
      expect((await follow('COLD-1', `from=${from}&limit=1`)).body.data).toMatchObject([{ value: 1 }]);
    }
    expect((await follow('C2', 'from=2026-11-20T00:00:00Z')).status).toBe(400);
    expect((await follow('C1', 'from=2026-11-20T00:00:01Z')).status).toBe(400);
    expect((await follow('C1', 'from=2026-11-20T00:00:00Z&bucket=1h')).status).toBe(400);
  });

  it('are JSON in buckets of values whose sum no double holds', async () => {
    await plant.import('sensors', plant.berlin, [sensor('H1', 'HUGE')]);
    const huge = [0, 1, 2].map((n) => ({ sensor: 'HUGE', at: 1_795_000_000_000 + n, value: 1.7e308 }));
    expect(await post(huge)).toMatchObject({ accepted: 3 });
    const { body } = await get('/sensors/H1/readings?bucket=1h&agg=avg,max');
    expect(body.data).toEqual([{ at: expect.any(String), avg: 1.7e308, max: 1.7e308 }]);
  });
});

it.each(['readings', 'heartbeats', '.', '..'])('a sensor cannot have the id %s, whose path is another', (id) => {
  const judge = createRecordJudge(resourceOf('sensors'));
  judge.judgeObject(sensor(id, 'X'), 1);
  expect(judge.violations.first).toMatchObject([{ field: 'id', value: id, rule: expect.stringContaining(id) }]);
  const other = createRecordJudge(resourceOf('parts'));
  other.judgeObject({ id, part_number: 'a', name: 'b', unit: 'kg', is_active: true }, 1);
  expect(other.violations.first.some(({ field }) => field === 'id')).toBe(id.startsWith('.'));
});

describe('Link', () => {
  it('leads to the next page, also below the path of a proxy', async () => {
    const behind = inProcess(plant, { baseUrl: 'https://plant.example/hk/prod' });
    const { link, body } = await get('/parts?limit=2', behind);
    expect(link).toBe(`</hk/prod/api/v1/parts?limit=2&cursor=${body.next_cursor}>; rel="next"`);
    const root = inProcess(plant, { baseUrl: 'https://plant.example' });
    expect((await get('/parts?limit=2', root)).link).toMatch(/^<\/api\/v1\/parts\?/);
    await Promise.all([behind.close(), root.close()]);
  });

  it('replaces the cursor, however its name was written', async () => {
    const first = await get('/parts?limit=2');
    const second = await get(`/parts?limit=2&%63ursor=${first.body.next_cursor}`);
    const target = /<\/api\/v1(.*)>/.exec(second.link ?? '')?.[1] ?? '';
    expect((await get(target)).body.data[0].id).toBe('P-2003');
  });
});

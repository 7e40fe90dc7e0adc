import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRecordValidator } from '../../../src/core/records/validator.ts';
import { bareApp, type Face, listening } from '../faces.ts';
import { HttpPlant, resourceOf } from '../plant.ts';

let plant: HttpPlant;
let face: Face;
let secret: string;

beforeAll(async () => {
  plant = await HttpPlant.open();
  // As a daemon does, which then reads in a thread.
  await plant.domain.store.openAll();
  face = bareApp(plant);
  secret = (await plant.key()).secret;
});
afterAll(async () => {
  await face.close();
  await plant.domain.store.close();
});

const get = async (path: string, on = face) => {
  const answer = await on.fetch(`/api/v1${path}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  return {
    status: answer.status,
    link: answer.headers.get('link'),
    body: JSON.parse(await answer.text()),
  };
};

const post = async (list: readonly unknown[]) => {
  const answer = await face.fetch('/api/v1/sensors/readings', {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ readings: list }),
  });
  return JSON.parse(await answer.text());
};

const sensor = (id: string, code: string) => ({
  id,
  code,
  name: code,
  unit: 'Cel',
  is_active: true,
});

describe('the readings of a sensor', () => {
  it('continue from page to page however the query is encoded, and refuse the cursor of another sensor', async () => {
    await plant.import('sensors', plant.berlin, [sensor('C1', 'COLD-1'), sensor('C2', 'COLD-2')]);
    const times = ['2026-11-20T06:00:00Z', '2026-11-20T07:00:00Z', '2026-11-20T08:00:00Z'];
    await post(
      times.flatMap((at, n) => ['C1', 'C2'].map((name) => ({ sensor: name, at, value: n }))),
    );
    const { body } = await get('/sensors/C1/readings?from=2026-11-20T00%3A00%3A00Z&limit=1');
    const follow = (name: string, query: string) =>
      get(`/sensors/${name}/readings?${query}&cursor=${body.next_cursor}`);
    for (const from of ['2026-11-20T00:00:00Z', '1795132800000', '2026-11-20T01:00:00%2B01:00']) {
      expect((await follow('COLD-1', `from=${from}&limit=1`)).body.data).toMatchObject([
        { value: 1 },
      ]);
    }
    expect((await follow('C2', 'from=2026-11-20T00:00:00Z')).status).toBe(400);
    expect((await follow('C1', 'from=2026-11-20T00:00:01Z')).status).toBe(400);
    expect((await follow('C1', 'from=2026-11-20T00:00:00Z&bucket=1h')).status).toBe(400);
  });

  it('are valid JSON in buckets whose sum exceeds a double', async () => {
    await plant.import('sensors', plant.berlin, [sensor('H1', 'HUGE')]);
    const huge = [0, 1, 2].map((n) => ({
      sensor: 'HUGE',
      at: 1_795_000_000_000 + n,
      value: 1.7e308,
    }));
    expect(await post(huge)).toMatchObject({ accepted: 3 });
    const { body } = await get('/sensors/H1/readings?bucket=1h&agg=avg,max');
    expect(body.data).toEqual([{ at: expect.any(String), avg: 1.7e308, max: 1.7e308 }]);
  });
});

describe('many readings', () => {
  const rows = 25_000;
  const instantOf = (n: number) => 1_700_000_000_000 + n * 1000;
  beforeAll(async () => {
    await plant.import('sensors', plant.berlin, [sensor('L1', 'LONG')]);
    for (let from = 0; from < rows; from += 5000) {
      const list = Array.from({ length: 5000 }, (_, n) => ({
        sensor: 'LONG',
        at: instantOf(from + n),
        value: from + n,
      }));
      expect(await post(list)).toMatchObject({ accepted: 5000 });
    }
  });

  const sevens = new Set(Array.from({ length: rows }, (_, n) => Math.floor(instantOf(n) / 7000)));

  /** Sends requests with a key of its own under a limit. */
  const asking = async (limitRequests: { requests: number; windowSeconds: number }) => {
    const [limited, { secret: own }] = [bareApp(plant, { limitRequests }), await plant.key()];
    return async (query: string, accept = '*/*') => {
      const headers = { authorization: `Bearer ${own}`, accept };
      const answer = await limited.fetch(`/api/v1/sensors/L1/readings?${query}`, { headers });
      return {
        status: answer.status,
        limit: answer.headers.get('ratelimit'),
        answer,
        text: await answer.text(),
      };
    };
  };

  it('cost one request for each 10,000 begun that are written, or 1,000,000 that are aggregated', async () => {
    const ask = await asking({ requests: 100, windowSeconds: 3600 });
    const left: (string | undefined)[] = [];
    for (const query of [
      'limit=1000',
      'limit=10000',
      'limit=10001',
      'limit=100000',
      'bucket=36500d&limit=1',
      'bucket=1m&limit=1',
    ]) {
      left.push(/r=(\d+)/.exec((await ask(query)).limit ?? '')?.[1]);
    }
    expect(left).toEqual(['99', '98', '96', '93', '92', '91']);
  });

  it('are read to the end by the request that exceeds the limit, and by none after it', async () => {
    const ask = await asking({ requests: 2, windowSeconds: 3600 });
    const whole = await ask('limit=100000');
    expect([whole.status, JSON.parse(whole.text).data.length]).toEqual([200, rows]);
    // The time since the first request counts, which no clock of a test stops.
    const hour = '3(600|5\\d\\d)';
    expect(whole.limit).toMatch(new RegExp(`^"requests";r=0;t=${hour}$`));
    const refused = await ask('limit=1');
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([429, 'too_many_requests']);
    expect(refused.answer.headers.get('retry-after')).toMatch(new RegExp(`^${hour}$`));
  });

  it('are refused before reading where concurrent requests used up the limit', async () => {
    const ask = await asking({ requests: 4, windowSeconds: 3600 });
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask('limit=100000')));
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 429, 429]);
  });

  it.each([
    ['application/json', (text: string) => JSON.parse(text).data],
    [
      'application/x-ndjson',
      (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
    ],
    ['text/csv', (text: string) => text.trimEnd().split('\n').slice(1)],
  ] as const)('are the same in one page of %s as in many', async (type, rowsOf) => {
    const ask = await asking({ requests: 1000, windowSeconds: 3600 });
    for (const query of ['', 'bucket=7s&agg=avg,min,max,last,count']) {
      const whole = await ask(`limit=100000&${query}`, type);
      expect(whole.answer.headers.get('content-type')).toMatch(new RegExp(`^${type}`));
      const parts: unknown[] = [];
      for (let next: string | undefined = `limit=499&${query}`; next; ) {
        const page = await ask(next, type);
        parts.push(...rowsOf(page.text));
        next = /\?(.*)>/.exec(page.answer.headers.get('link') ?? '')?.[1];
      }
      expect(parts).toEqual(rowsOf(whole.text));
      expect(parts.length).toBe(query === '' ? rows : sevens.size);
    }
  });

  it('have a validator that changes with them, one for each type', async () => {
    const ask = await asking({ requests: 1000, windowSeconds: 3600 });
    const tagOf = async (query: string, type?: string) =>
      (await ask(query, type)).answer.headers.get('etag');
    const tags = await Promise.all([
      tagOf('limit=20000'),
      tagOf('limit=20001'),
      tagOf('limit=20000', 'text/csv'),
      tagOf('limit=20000&from=1700000001000'),
      tagOf('limit=20000&bucket=1s'),
    ]);
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf('limit=20000')).toBe(tags[0]);
    // The only change: one more reading between two others.
    const [before, to] = [instantOf(-1000), instantOf(-10)];
    const empty = await tagOf(`from=${before}&to=${to}&limit=600`);
    for (const at of [before, before + 1]) {
      await post([{ sensor: 'LONG', at, value: at }]);
      tags.push(
        await tagOf(`from=${before}&to=${to}&limit=600`),
        await tagOf(`from=${before}&to=${to}&limit=400`),
      );
    }
    expect(new Set([empty, ...tags]).size).toBe(8);
  });

  it('are refused with Retry-After where others of their key take too long, and the next one is read', async () => {
    const hasty = await listening(plant, {}, { readMs: 1 });
    const ask = () =>
      hasty.fetch('/api/v1/sensors/L1/readings?bucket=36500d', {
        headers: { authorization: `Bearer ${secret}` },
      });
    const answers = await Promise.all(Array.from({ length: 40 }, ask));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toContain('5');
    expect(await refused[0]?.json()).toMatchObject({ code: 'unavailable' });
    await hasty.close();
    expect((await (await asking({ requests: 9, windowSeconds: 60 }))('limit=1')).status).toBe(200);
  });

  it('are refused with Retry-After where one key requests too many at once', async () => {
    const ask = await asking({ requests: 10_000, windowSeconds: 3600 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask('bucket=36500d')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBe(200 - refused.length);
    expect(200 - refused.length).toBeGreaterThan(64);
    expect(refused.map(({ answer }) => answer.headers.get('retry-after'))).toContain('5');
    expect(JSON.parse(refused[0]?.text ?? '').code).toBe('too_many_requests');
  });
});

it.each(['readings', 'heartbeats', '.', '..'])(
  'a sensor cannot have the id %s, whose path is another',
  (id) => {
    const validator = createRecordValidator(resourceOf('sensors'));
    validator.validateObject(sensor(id, 'X'), 1);
    expect(validator.violations.first).toMatchObject([
      { field: 'id', value: id, rule: expect.stringContaining(id) },
    ]);
    const other = createRecordValidator(resourceOf('parts'));
    other.validateObject({ id, part_number: 'a', name: 'b', unit: 'kg', is_active: true }, 1);
    expect(other.violations.first.some(({ field }) => field === 'id')).toBe(id.startsWith('.'));
  },
);

describe('Link', () => {
  it('leads to the next page, also below the path of a proxy', async () => {
    const behind = bareApp(plant, { baseUrl: 'https://plant.example/hk/prod' });
    const { link, body } = await get('/parts?limit=2', behind);
    expect(link).toBe(`</hk/prod/api/v1/parts?limit=2&cursor=${body.next_cursor}>; rel="next"`);
    const root = bareApp(plant, { baseUrl: 'https://plant.example' });
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

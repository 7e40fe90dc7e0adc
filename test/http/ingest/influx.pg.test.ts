import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareApp } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
let face: ReturnType<typeof bareApp>;
let secret: string;

beforeEach(async () => {
  plant = await HttpPlant.open();
  face = bareApp(plant);
  const { entity } = await plant.site();
  await plant.import('sensors', entity, [
    { id: 'S1', code: 'OVEN', name: 'Oven', is_active: true },
    { id: 'S2', code: 'OVEN.temp', name: 'Temperature', is_active: true },
  ]);
  ({ secret } = await plant.key({ entity }));
});

afterEach(async () => {
  await face.close();
  await plant.domain.store.close();
});

const at = `${Date.UTC(2026, 10, 20)}000000`;

async function write(body: string | Buffer, query = '', headers: Record<string, string> = {}) {
  const response = await face.fetch(`/api/v1/influx/api/v2/write${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, ...headers },
    body,
  });
  const text = await response.text();
  const type = response.headers.get('content-type');
  return { status: response.status, type, text };
}

describe('a client of InfluxDB', () => {
  it('gets 204 for lines that are stored, whatever their Content-Type, organization and bucket', async () => {
    const query = '?org=a&bucket=b&precision=ns';
    for (const type of ['text/plain; charset=utf-8', 'application/json', 'x']) {
      const answer = await write(`m,sensor=OVEN value=1 ${at}\n`, query, { 'content-type': type });
      expect(answer).toEqual({ status: 204, type: null, text: '' });
    }
    const zipped = gzipSync(`m,sensor=OVEN value=2,temp=3 ${at.slice(0, -9)}`);
    const headers = { 'content-encoding': 'gzip' };
    const again = await write(zipped, '?precision=s&name=sensor.field', headers);
    // Another value at the same instant.
    expect(JSON.parse(again.text)).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('1 reading rejected'),
    });
  });

  it('gets 400 with the first rejected lines by their numbers, and the others are stored', async () => {
    const body = `# a\n\nm,sensor=OVEN value=5 ${at}\nnonsense\nm,sensor=NO value=1 ${at}\n`;
    const answer = await write(body);
    expect([answer.status, answer.type]).toEqual([400, 'application/json']);
    const { code, message } = JSON.parse(answer.text);
    expect(code).toBe('invalid');
    expect(message).toMatch(
      /2 readings rejected.* line 4: invalid_reading: .* line 5: unknown_sensor: /,
    );
    expect((await write(`m,sensor=OVEN value=5 ${at}`)).status).toBe(204);
  });

  it('gets 400 in the same form for a body without a line, and for a wrong query', async () => {
    for (const answer of [await write('{}'), await write('m f=1', '?precision=h')]) {
      expect([answer.status, answer.type]).toEqual([400, 'application/json']);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'invalid' });
    }
  });

  it('gets a problem document without a key, and for a body that is too large', async () => {
    const large = 'x'.repeat(8 * 1024 * 1024 + 1);
    for (const [status, answer] of [
      [401, await write('m f=1', '', { authorization: `Token ${secret}` })],
      [413, await write(large)],
      [413, await write('m,sensor=OVEN value=1\n'.repeat(10_001))],
    ] as const) {
      expect([answer.status, answer.type]).toEqual([status, 'application/problem+json']);
    }
  });
});

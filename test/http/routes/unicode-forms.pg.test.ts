import { beforeAll, expect, it } from 'vitest';
import type { Face } from '../faces.ts';
import { servedPlant } from '../served-plant.ts';

/** Two forms of the same id (NFC and NFD), of a part and of a sensor. */
const forms = ['Geh\u00e4use-\u00c5', 'Geh\u00e4use-\u00c5'.normalize('NFD')] as const;

let face: Face;
let secret: string;
beforeAll(async () => {
  const served = await servedPlant();
  ({ face, secret } = served);
  const { plant } = served;
  const [id, decomposed] = forms;
  const part = { name: decomposed, part_number: decomposed, is_active: true };
  await plant.import('parts', plant.berlin, [{ id: decomposed, ...part, category: decomposed }]);
  await plant.import('sensors', plant.berlin, [
    { id: `S ${decomposed}`, code: id, name: 'x', is_active: true },
  ]);
});

const fetched = async (path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const answer = await face.fetch(`/api/v1/${path}`, { ...init, headers });
  return { status: answer.status, body: await answer.json() };
};

it.each(forms)('a record is found by its id and by filters in the form %j', async (form) => {
  const name = encodeURIComponent(form);
  expect(await fetched(`parts/${name}`)).toMatchObject({ status: 200, body: { id: forms[0] } });
  for (const field of ['part_number', 'category']) {
    const { body } = await fetched(`parts?${field}=${name}`);
    expect(body).toMatchObject({ data: [{ id: forms[0], [field]: forms[0] }] });
  }
});

it.each(forms)('a sensor is named in the form %j, in reads and in ingest', async (form) => {
  const at = 1_795_162_500_000 - 86_400_000;
  for (const [place, sensor] of [form, `S ${form}`].entries()) {
    const path = `sensors/${encodeURIComponent(sensor)}`;
    expect(await fetched(path)).toMatchObject({ status: 200, body: { code: forms[0] } });
    const readings = [{ sensor, at: at + place, value: 5 }];
    const posted = await fetched('sensors/readings', {
      method: 'POST',
      body: JSON.stringify({ readings: [...readings, ...readings] }),
    });
    expect(posted.body).toMatchObject({ rejected: [] });
    const heartbeats = [{ sensor }];
    const beat = await fetched('sensors/heartbeats', {
      method: 'POST',
      body: JSON.stringify({ heartbeats }),
    });
    expect(beat.body).toMatchObject({ accepted: 1, rejected: [] });
    const { body } = await fetched(`${path}/readings?from=${at + place}&to=${at + place + 1}`);
    expect(body).toMatchObject({ data: [{ value: 5 }] });
  }
});

it('a code with an invisible character is unknown, and shown with its number', async () => {
  const readings = [{ sensor: `${forms[0]}\u200b`, at: 1_795_000_000_000, value: 1 }];
  const { body } = await fetched('sensors/readings', {
    method: 'POST',
    body: JSON.stringify({ readings }),
  });
  expect(body).toMatchObject({
    rejected: [{ code: 'unknown_sensor', detail: expect.stringContaining('<U+200B>') }],
  });
  expect((await fetched('parts?part_number=A%E2%80%8B')).body).toMatchObject({
    ...{ status: 400, code: 'bad_parameter' },
    detail: expect.stringContaining('U+200B'),
  });
});

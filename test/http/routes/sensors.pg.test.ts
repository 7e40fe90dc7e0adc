import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareApp, type Face } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
let face: Face;
let headers: Record<string, string>;
beforeAll(async () => {
  plant = await HttpPlant.open();
  face = bareApp(plant);
  headers = { authorization: `Bearer ${(await plant.key()).secret}` };
});
afterAll(() => plant.domain.store.close());

it('a sensor is read by its id or its code, as its readings are', async () => {
  const read = async (name: string) => {
    const response = await face.fetch(`/api/v1/sensors/${name}`, { headers });
    const readings = await face.fetch(`/api/v1/sensors/${name}/readings`, { headers });
    expect(readings.status).toBe(response.status);
    return { status: response.status, body: await response.json() };
  };
  const byId = await read('SE-1001');
  expect(byId).toMatchObject({ status: 200, body: { id: 'SE-1001', code: 'OVEN-3-T1' } });
  expect(await read('OVEN-3-T1')).toEqual(byId);
  expect((await read('OVEN-3-T9')).status).toBe(404);
});

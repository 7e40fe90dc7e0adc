import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bareApp } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
let face: ReturnType<typeof bareApp>;

beforeEach(async () => {
  plant = await HttpPlant.open();
  face = bareApp(plant);
});

afterEach(async () => {
  await face.close();
  await plant.domain.store.close();
});

const reading = { sensor: 'SENSOR-OF-NOBODY', at: '2026-11-20T08:15:00Z', value: 1 };
const body = JSON.stringify({ readings: Array(10_000).fill(reading) });

/** Sends the heads of some requests and waits until the key of each was found valid. */
async function begin(count: number, secret: string): Promise<ClientRequest[]> {
  const headers = {
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  };
  const url = `${await face.url()}/api/v1/sensors/readings`;
  const requests = Array.from({ length: count }, () =>
    request(url, { method: 'POST', headers, agent: false }),
  );
  for (const one of requests) one.flushHeaders();
  await Promise.all(requests.map((one) => once(one, 'continue')));
  // A later batch of requests is answered, so that theirs has been.
  await face.fetch('/healthz');
  return requests;
}

async function statusOf(one: ClientRequest): Promise<number | undefined> {
  const [response] = await once(one, 'response');
  response.resume();
  return response.statusCode;
}

it('takes no body of a key that is revoked while it arrives', async () => {
  const { secret, id } = await plant.key();
  const requests = await begin(5, secret);
  const statuses = requests.map(statusOf);
  for (const one of requests) one.write(body.slice(0, -1));
  await plant.revoke(id);
  for (const one of requests) one.end(body.slice(-1));
  expect(await Promise.all(statuses)).toEqual(Array(5).fill(401));
});

it('stores no body of a key that is revoked while it waits to be parsed', async () => {
  const { secret, id } = await plant.key();
  const requests = await begin(20, secret);
  const statuses = requests.map(statusOf);
  for (const one of requests) one.end(body);
  // In the order of the server: a client may read an older answer later.
  const answers = () =>
    [...face.log().matchAll(/readings.*"status":(\d+)/g)].map(([, status]) => Number(status));
  while (answers().length === 0) await setImmediate();
  await plant.revoke(id);
  const before = answers().length;
  await Promise.all(statuses);
  // The next one may have been parsed already.
  expect(before).toBeLessThan(15);
  expect(answers().slice(before + 1)).toEqual(Array(19 - before).fill(401));
});

it('refuses a body beyond the limit that names no length, once it exceeds it', async () => {
  const { secret } = await plant.key();
  const headers = {
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    expect: '100-continue',
  };
  const url = `${await face.url()}/api/v1/sensors/readings`;
  const one = request(url, { method: 'POST', headers, agent: false });
  // The daemon may close the connection while this still writes.
  one.on('error', () => {});
  const status = statusOf(one);
  one.flushHeaders();
  await once(one, 'continue');
  for (let mebibytes = 0; mebibytes < 9; mebibytes++) one.write(' '.repeat(1024 * 1024));
  // Its end never comes.
  expect(await status).toBe(413);
});

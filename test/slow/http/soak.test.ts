import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { listening } from '../../http/faces.ts';
import { HttpPlant } from '../../http/plant.ts';
import { BadClient, documentedStatuses } from './bad-requests.ts';

const MiB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What is in use once all garbage is gone, buffers included. */
async function used(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('keeps nothing of 30,000 bad requests, and answers each as documented', {
  timeout: 180_000,
}, async () => {
  const plant = await HttpPlant.open();
  const { secret } = await plant.key();
  const face = await listening(plant, {
    logLevel: 'fatal',
    trustProxy: ['127.0.0.1'],
    limitFailedChecks: { requests: 3, windowSeconds: 3600 },
  });
  const clients = Array.from(
    { length: 20 },
    (_, index) => new BadClient(face.url, secret, index, 50),
  );
  const seen = new Map<number, number>();
  const send = (each: number) =>
    Promise.all(
      clients.map(async (client) => {
        for (let sent = 0; sent < each; sent++) {
          const status = await client.next();
          seen.set(status, (seen.get(status) ?? 0) + 1);
        }
      }),
    );
  // Tables of addresses fill, and code is compiled.
  await send(1000);
  const before = await used();
  await send(1000);
  const after = await used();
  expect([...seen.keys()].filter((status) => !documentedStatuses.has(status))).toEqual([]);
  expect([...seen.keys()]).toEqual(expect.arrayContaining([400, 401, 404, 415, 422, 429, 431]));
  // A hundred bytes of each would be more.
  expect((after - before) / MiB).toBeLessThan(2);
  for (const client of clients) client.close();
  await face.close();
  await plant.domain.store.close();
});

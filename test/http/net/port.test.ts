import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { listening } from '../faces.ts';
import { servedPlant } from '../served-plant.ts';

it('a daemon on every address names one that others can reach, if the machine has any', async () => {
  const { plant } = await servedPlant();
  const face = await listening(plant, { host: '0.0.0.0' });
  const { hostname } = new URL(face.url);
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const isReachable = addresses.some(({ internal, family }) => !internal && family === 'IPv4');
  expect(hostname === '0.0.0.0').toBe(!isReachable);
  expect(hostname).not.toBe('127.0.0.1');
  expect((await fetch(`${face.url}/healthz`)).status).toBe(200);
  expect(face.log()).toContain('need --base-url');
  await face.close();
});

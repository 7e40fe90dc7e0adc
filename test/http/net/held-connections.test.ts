import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../e2e/client.ts';
import { type Face, listening } from '../faces.ts';
import type { HttpPlant } from '../plant.ts';
import { servedPlant } from '../served-plant.ts';

let plant: HttpPlant;
let face: Face & { url: string };
let secret: string;
beforeAll(async () => {
  ({ plant, face, secret } = await servedPlant());
});

const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

describe('those who hold connections', () => {
  it('for headers that never end are cut, while others are served', async () => {
    const own = await listening(plant, {}, { headersMs: 500, checkEveryMs: 50 });
    const ownPort = Number(new URL(own.url).port);
    const sockets: Socket[] = [];
    const closed: number[] = [];
    for (let i = 0; i < 100; i++) {
      const socket = connect(ownPort, '127.0.0.1', () =>
        socket.write('GET /api/v1/me HTTP/1.1\r\nHost: a\r\n'),
      );
      socket.on('error', () => {});
      socket.on('close', () => closed.push(i));
      sockets.push(socket);
    }
    // Headers go on coming, so that no connection is silent.
    const drip = setInterval(() => {
      for (const socket of sockets) if (!socket.destroyed) socket.write('X-A: b\r\n');
    }, 50);
    let served = 0;
    for (; closed.length < 100; served++) {
      expect((await call(`${own.url}/api/v1/me`, { secret })).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    clearInterval(drip);
    expect(served).toBeGreaterThan(0);
    await own.close();
  });

  it('end early with 413 where they announce or send too much', async () => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const announced = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(`${face.url}/api/v1/sensors/readings`, {
        method: 'POST',
        headers: { ...headers, 'content-length': 9_000_000_000 },
      });
      outgoing.on('response', (response) => {
        resolve(response.statusCode);
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      outgoing.write('{');
    });
    expect(announced).toBe(413);
  });
});

it('drains: what is under way is answered, what comes after is refused, then the port is closed', async () => {
  const own = await listening(plant);
  const { port: ownPort } = new URL(own.url);
  const body = JSON.stringify({ readings: [] });
  const head =
    `POST /api/v1/sensors/readings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = connect(Number(ownPort), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const gone = new Promise((resolve) => socket.on('close', resolve));
  socket.write(head);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const closed = own.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.write(body);
  await gone;
  expect(statusesOf(text)).toEqual([200]);
  await closed;
  await expect(call(`${own.url}/healthz`)).rejects.toThrow();
});

it('drains for its time at most: a request that never ends is cut off then', async () => {
  const own = await listening(plant, {}, { drainMs: 200 });
  const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on('error', () => {});
  const continued = new Promise((resolve) => socket.once('data', resolve));
  const gone = new Promise((resolve) => socket.on('close', resolve));
  socket.write(
    `POST /api/v1/sensors/readings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n{',
  );
  await continued;
  await own.close();
  await gone;
  expect(statusesOf(text)).toEqual([100]);
  expect(own.log()).toContain('answers in progress took too long');
});

import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { bareApp } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

const sensor = 'OVEN-3-T1';
const dayMs = 86_400_000;

interface Part {
  startMs: number;
  count: number;
}

const rowsOf = ({ startMs, count }: Part) =>
  Array.from(
    { length: count },
    (_, n) => [(startMs + n * 1000) * 1000, (startMs / 1000 + n) % 997] as const,
  );

/** A body that arrives in pieces, since it is longer than what is read at once. */
function bodyOf(part: Part, more: readonly object[] = []): string {
  const readings = rowsOf(part).map(([us, value]) => ({
    sensor,
    at: new Date(us / 1000).toISOString(),
    value,
  }));
  return JSON.stringify({ readings: [...more, ...readings] });
}

/** The same body in a form that takes several iterations to parse, so that bodies of two keys alternate. */
const escaped = (body: string) => body.replaceAll('OVEN-3', 'OVEN\\u002d3');

it('bodies that are parsed in the memory of earlier ones are stored as they came', async () => {
  const plant = await HttpPlant.open();
  const face = bareApp(plant);
  const secrets = [await plant.key(), await plant.key()].map(({ secret }) => secret);
  const url = `${await face.url()}/api/v1/sensors/readings`;
  /** Sends the last byte of each body only once all others have been sent. */
  const post = async (bodies: readonly string[]) => {
    const requests = bodies.map((body, n) => {
      const headers = {
        authorization: `Bearer ${secrets[n % 2]}`,
        'content-type': 'application/json',
      };
      const one = request(url, { method: 'POST', headers, agent: false });
      const answer = once(one, 'response').then(([response]) => json(response));
      const isSent = new Promise((resolve) => void one.write(body.slice(0, -1), resolve));
      return { one, answer, isSent, last: body.slice(-1) };
    });
    await Promise.all(requests.map(({ isSent }) => isSent));
    for (const { one, last } of requests) one.end(last);
    return Promise.all(requests.map(({ answer }) => answer));
  };

  // From long to short, so that something of an earlier body lies behind each later one; then several of two keys at once.
  const counts = [3400, 3100, 2600, 1900, 9900, 9800, 9700, 9600];
  const parts = counts.map((count, n) => ({ startMs: plant.nowMs - (20 - n) * dayMs, count }));
  for (const part of parts.slice(0, 4))
    expect(await post([bodyOf(part)])).toEqual([
      { accepted: part.count, duplicates: 0, rejected: [] },
    ]);
  const late = await post(parts.map((part) => escaped(bodyOf(part, [{ sensor, at: 'x' }]))));
  expect(late).toEqual(
    counts.map((count, n) => ({
      accepted: n < 4 ? 0 : count,
      duplicates: n < 4 ? count : 0,
      rejected: [expect.objectContaining({ index: 0, code: 'invalid_at' })],
    })),
  );
  const series =
    (await plant.domain.store.readings.directory(plant.berlin.id)).get(sensor)?.series ?? -1;
  for (const part of parts) {
    const range = {
      series,
      fromUs: part.startMs * 1000,
      toUs: (part.startMs + dayMs) * 1000,
      limit: 10_000,
    };
    const stored = (await plant.domain.store.readings.range(range)).map(
      ({ atUs, value }) => [atUs, value] as const,
    );
    expect(stored.sort(([a], [b]) => a - b)).toEqual(rowsOf(part));
  }
  await face.close();
  await plant.domain.store.close();
});

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { drawSecret } from '../../../src/core/secrets.ts';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { requestLine } from '../../../src/http/monitoring/log-forms.ts';
import type { Exchange } from '../../../src/http/request/exchange.ts';
import { CanaryWatch } from '../../e2e/secrets/canaries.ts';
import { bearer } from '../auth/bearer.ts';
import { bareApp, type Face } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let face: Face;
let withKey: RequestInit;

beforeAll(async () => {
  const plant = await HttpPlant.open();
  withKey = bearer((await plant.key()).secret);
  face = bareApp(plant, { limitRequests: null });
});
afterAll(() => face.close());

it.each([
  ['some two thousand characters', 2_048, true],
  ['256 characters without a key', 256, false],
])('a URL of any length is logged with %s, cut between characters', async (_what, most, hasKey) => {
  const from = face.log().length;
  for (const url of [
    `/api/v1/parts/${'a'.repeat(15_000)}`,
    `/api/v1/parts?x${'%00'.repeat(5_000)}`,
    `/api/v1/parts?x${'"\\'.repeat(4_000)}`,
    `/api/v1/parts?x${'é'.repeat(3_000)}`,
  ]) {
    await face.fetch(url, hasKey ? withKey : undefined);
  }
  const lines = face
    .log()
    .slice(from)
    .trim()
    .split('\n')
    .map((line) => [line.length, JSON.parse(line).url] as const);
  expect(lines.length).toBe(4);
  for (const [length, url] of lines) {
    expect(length).toBeLessThan(2.5 * most);
    expect([...url].length).toBeLessThanOrEqual(most + 1);
    expect(url).toMatch(/…$/);
    expect(url.isWellFormed()).toBe(true);
  }
});

it('no secret is logged where a URL is cut', async () => {
  const secret = drawSecret();
  const watch = new CanaryWatch([{ form: 'cut', secret, text: secret }]);
  const from = face.log().length;
  for (let before = 1_976; before <= 2_048; before += 3) {
    await face.fetch(`/api/v1/parts/${'a'.repeat(before)}-${secret}`, withKey);
  }
  expect(face.log().slice(from).trim().split('\n')).toHaveLength(25);
  expect(watch.leakIn(face.log())).toBeUndefined();
});

it('no secret is logged where the URL of a request without a key is cut', () => {
  const secret = drawSecret();
  const watch = new CanaryWatch([{ form: 'cut', secret, text: secret }]);
  const percent = secret.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  for (let before = 90; before <= 260; before++) {
    for (const text of [secret, percent]) {
      const path = `/${'a'.repeat(before)}-${text}`;
      const line = requestLine({ id: 'r1', method: 'GET', path, query: '' } as Exchange, 401, 1); // all that a line shows
      expect(watch.leakIn(line), line).toBeUndefined();
    }
  }
});

it('requests without a valid key write at most ten lines a second, then one with their number', () => {
  vi.useFakeTimers();
  try {
    const lines: Record<string, unknown>[] = [];
    const text = (given: string) =>
      lines.push(
        ...given
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
    const log = createLog('debug', { write: text });
    const exchange = (keyPrefix: string | undefined) =>
      ({ id: 'r1', method: 'GET', path: '/x', query: '', keyPrefix }) as Exchange; // all that a line shows
    for (let i = 0; i < 100; i++) {
      log.request(exchange(undefined), 401, 1);
      log.unkeyed('warn', { address: i }, 'too many failed key checks from an address');
      log.unkeyed('debug', {}, 'no HTTP request');
      log.request(exchange('hk_abcde'), 200, 1);
    }
    vi.advanceTimersByTime(999);
    const unkeyed = () => lines.filter(({ key }) => key === undefined);
    expect(unkeyed()).toHaveLength(9);
    expect(lines.filter(({ key }) => key !== undefined)).toHaveLength(100);
    vi.advanceTimersByTime(1);
    expect(unkeyed()).toHaveLength(10);
    expect(lines.at(-1)).toMatchObject({ level: 'warn', requests: 193, warnings: 98 });
    log.request(exchange(undefined), 401, 1);
    vi.advanceTimersByTime(5_000);
    expect(unkeyed()).toHaveLength(11);
  } finally {
    vi.useRealTimers();
  }
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawSecret } from '../../../src/core/keys/secrets.ts';
import { CanaryWatch } from '../../e2e/secrets/canaries.ts';
import { bareApp, type Face } from '../faces.ts';
import { HttpPlant } from '../plant.ts';

let face: Face;

beforeAll(async () => {
  face = bareApp(await HttpPlant.open());
});
afterAll(() => face.close());

it('a URL of any length is logged in a line of some two thousand characters, cut between characters', async () => {
  for (const url of [
    `/${'a'.repeat(15_000)}`,
    `/x?${'%00'.repeat(5_000)}`,
    `/x?${'"\\'.repeat(4_000)}`,
    `/x?${'é'.repeat(3_000)}`,
  ]) {
    await face.fetch(url);
  }
  const lines = face
    .log()
    .trim()
    .split('\n')
    .map((line) => [line.length, JSON.parse(line).url] as const);
  expect(lines.length).toBe(4);
  for (const [length, url] of lines) {
    expect(length).toBeLessThan(5_000);
    expect([...url].length).toBeLessThanOrEqual(2_049);
    expect(url).toMatch(/…$/);
    expect(url.isWellFormed()).toBe(true);
  }
});

it('no secret is logged where a URL is cut, with its hk_ or without', async () => {
  const secret = drawSecret();
  const watch = new CanaryWatch([{ form: 'cut', secret, text: secret }]);
  for (let before = 1_990; before <= 2_060; before += 3) {
    await face.fetch(`/${'a'.repeat(before)}-${secret.slice(3)}`);
    await face.fetch(`/${'a'.repeat(before)}-${secret}`);
  }
  expect(watch.leakIn(face.log())).toBeUndefined();
});

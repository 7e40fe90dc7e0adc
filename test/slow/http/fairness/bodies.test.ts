import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call, postHead } from '../../../e2e/client.ts';
import { pause, until } from '../../../e2e/program.ts';
import { LimitedPlant, type Reader } from '../../../http/fairness/limited-plant.ts';

const MiB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes in use once nothing is left to collect. */
async function usedMemory(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await pause(20);
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let limited: LimitedPlant;

beforeAll(async () => {
  limited = await LimitedPlant.open();
});
afterEach(() => limited.endServing());
afterAll(() => limited.close());

describe('bodies', () => {
  const path = '/api/v1/sensors/readings';

  it('that many send at once stay within their budget', async () => {
    const bodyBytes = 4 * MiB;
    await limited.serve({ bodyBytes });
    const part = postHead(path, limited.secret, 2 * MiB) + ' '.repeat(MiB);
    const senders = Array.from({ length: 12 }, () => limited.reader(part));
    const refused = () =>
      senders.filter((sender) => String(sender.read() ?? '').startsWith('HTTP/1.1 503')).length;
    let found = 0;
    await until('those without a reservation are refused', async () => {
      found += refused();
      expect(await limited.held('bodies')).toBeLessThanOrEqual(bodyBytes);
      expect(await limited.statusOfMe()).toBe(200);
      return found >= 8;
    });
    for (const sender of senders) sender.destroy();
    await until('nothing is held', async () => (await limited.held('bodies')) === 0);
  });

  it('of one key that never end leave others their share', async () => {
    const bodyBytes = 16 * MiB;
    await limited.serve({ bodyBytes });
    const other = (await limited.plant.key()).secret;
    const part = postHead(path, limited.secret, 2 * MiB) + ' '.repeat(MiB);
    const senders = Array.from({ length: 30 }, () => limited.reader(part));
    await until(
      'the key has all that it may',
      async () => (await limited.held('bodies')) > bodyBytes / 2 - 2 * MiB,
    );
    const refused = new Set<Reader>();
    await until('the rest of them is refused', () => {
      for (const one of senders) if (one.read() !== null) refused.add(one);
      return refused.size > 10;
    });
    expect(await limited.held('bodies')).toBeLessThanOrEqual(bodyBytes / 2 + MiB);
    const body = JSON.stringify({ readings: [] }) + ' '.repeat(4 * MiB);
    expect(
      (await call(`${limited.url}${path}`, { secret: other, body, timeoutMs: 10_000 })).status,
    ).toBe(200);
    expect((await call(`${limited.url}${path}`, { secret: limited.secret, body })).status).toBe(
      503,
    );
  });

  it('in chunks of a single byte take little more memory than their bytes', async () => {
    await limited.serve({});
    const chunks = 100_000;
    const head = postHead(path, limited.secret, 0).replace(
      'Content-Length: 0',
      'Transfer-Encoding: chunked',
    );
    const request = Buffer.from(head + '1\r\n \r\n'.repeat(chunks));
    const before = await usedMemory();
    limited.reader(request);
    await until('all are there', async () => (await limited.held('bodies')) === chunks);
    // Each chunk that is kept as it came takes 300 bytes.
    expect((await usedMemory()) - before).toBeLessThan(10 * MiB);
  });

  it('that are gzip bombs are decompressed one after the other, and leave nothing', async () => {
    const bodyBytes = 9 * MiB;
    await limited.serve({ bodyBytes, waitMs: 20_000 });
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
    const bomb = (bytes: number) => {
      const body = gzipSync(Buffer.alloc(bytes, ' '));
      return fetch(`${limited.url}${path}`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${limited.secret}` },
        body: new Uint8Array(body),
      });
    };
    let most = 0;
    const watch = setInterval(async () => {
      most = Math.max(most, await limited.held('bodies'));
    }, 10);
    const answers = await Promise.all([7, 9, 7, 9, 7, 9, 7, 9].map((size) => bomb(size * MiB)));
    clearInterval(watch);
    expect(answers.map(({ status }) => status)).toEqual([400, 413, 400, 413, 400, 413, 400, 413]);
    expect(most).toBeLessThanOrEqual(bodyBytes);
    expect(await limited.held('bodies')).toBe(0);
  });

  it('compressed as usual pass', async () => {
    await limited.serve({});
    const body = gzipSync('{"readings":[{"sensor":"SE-1001","at":1600000000000,"value":1}]}');
    const headers = {
      authorization: `Bearer ${limited.secret}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    };
    const answer = await fetch(`${limited.url}${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    expect(await answer.json()).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    expect(await limited.held('bodies')).toBe(0);
  });
});

import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call, getText, keptAlive } from '../../../e2e/client.ts';
import { until } from '../../../e2e/program.ts';
import { allReadings, LimitedPlant, type Reader } from '../../../http/fairness/limited-plant.ts';

const MiB = 1024 * 1024;

let limited: LimitedPlant;

beforeAll(async () => {
  limited = await LimitedPlant.open();
  await limited.addReadings();
});
afterEach(() => limited.endServing());
afterAll(() => limited.close());

/** Waits until the readers are cut off while others are served; none of them receives a whole answer. */
async function cutOff(readers: readonly Reader[]): Promise<void> {
  await until('nothing is held for them', async () => {
    expect(await limited.statusOfMe()).toBe(200);
    return (await limited.held('answers')) === 0;
  });
  // A client that reads nothing does not notice the close.
  for (const reader of readers) reader.removeAllListeners('readable').resume();
  await until('they are cut', () => readers.every(({ isClosed }) => isClosed));
  for (const { bytesRead } of readers) expect(bytesRead).toBeLessThan(5 * MiB);
}

describe('slow readers', () => {
  it('that receive no byte of a large answer are cut off, and none of it stays in memory', async () => {
    await limited.serve({ answerMs: 600 });
    const readers = Array.from({ length: 5 }, () =>
      limited.reader(getText(allReadings, limited.secret)),
    );
    await until('the answers wait', async () => (await limited.held('answers')) > 5 * 5 * MiB);
    await cutOff(readers);
  });

  it('that receive a byte now and then are cut off', async () => {
    await limited.serve({ answerMs: 600 });
    const reader = limited.reader(getText(allReadings, limited.secret));
    let taken = 0;
    const drip = setInterval(() => {
      taken += (reader.read(1) ?? []).length;
    }, 50);
    reader.on('readable', () => {});
    await until('its answer waits', async () => (await limited.held('answers')) > 5 * MiB);
    await until('it took some', () => taken > 5);
    await cutOff([reader]);
    clearInterval(drip);
  });

  it('that take a large answer too slowly are cut off, however steadily', async () => {
    await limited.serve({ answerMs: 600 });
    const reader = limited.reader(getText(allReadings, limited.secret));
    // 64 KiB five times a second: each piece of the answer is taken in time, and the answer is not. The system would take over all
    // of it for a client that reads much faster.
    let taken = 0;
    reader.on('data', ({ length }: Buffer) => {
      taken += length;
      if (taken >= 64 * 1024) reader.pause();
    });
    reader.pause();
    const steady = setInterval(() => {
      taken = 0;
      reader.resume();
    }, 200);
    await until('its answer waits', async () => (await limited.held('answers')) > 5 * MiB);
    await cutOff([reader]);
    clearInterval(steady);
  });

  it('are cut off sooner while memory is tight', async () => {
    await limited.serve({ answerMs: 60_000, tightAnswerMs: 300, answerBytes: 10 * MiB });
    const reader = limited.reader(getText(allReadings, limited.secret));
    await until('its answer waits', async () => (await limited.held('answers')) > 5 * MiB);
    await cutOff([reader]);
  });

  it('have one answer at a time on a connection, and none once it is closed', async () => {
    await limited.serve({});
    const reader = limited.reader(getText(allReadings, limited.secret).repeat(3));
    await until('the first waits', async () => (await limited.held('answers')) > 5 * MiB);
    await pause(100);
    expect(await limited.held('answers')).toBeLessThan(10 * MiB);
    reader.destroy();
    await until('nothing is held', async () => (await limited.held('answers')) === 0);
  });

  it('are not those that receive one large answer after the other', async () => {
    await limited.serve({ answerMs: 500, tightAnswerMs: 500 });
    const agent = keptAlive();
    const startedAt = Date.now();
    let connections = 0;
    agent.on('free', (socket: Socket) => {
      socket.removeAllListeners('close').once('close', () => connections++);
    });
    while (Date.now() - startedAt < 1500) {
      expect(
        (await call(`${limited.url}${allReadings}`, { secret: limited.secret, agent })).status,
      ).toBe(200);
    }
    expect(connections).toBe(0);
    agent.destroy();
  });
});

describe('large answers', () => {
  it('of many keys at once stay within their budget; the others wait, and get Retry-After', async () => {
    const answerBytes = 30 * MiB;
    await limited.serve({ answerBytes, waitMs: 300 });
    const keys = await Promise.all(Array.from({ length: 20 }, () => limited.plant.key()));
    const readers = keys.map((key) => limited.reader(getText(allReadings, key.secret)));
    const heads: string[] = [];
    let most = 0;
    await until('all are answered', async () => {
      most = Math.max(most, await limited.held('answers'));
      expect(await limited.statusOfMe()).toBe(200);
      for (const reader of readers) {
        if (reader.readableLength === 0) reader.read(0);
        const head = reader.readableLength > 0 ? String(reader.read()).slice(0, 800) : '';
        if (head !== '') heads.push(head);
      }
      return heads.filter((head) => head.startsWith('HTTP/1.1 503')).length >= 10;
    });
    expect(most).toBeGreaterThan(5 * MiB);
    expect(most).toBeLessThanOrEqual(answerBytes);
    const refused = heads.find((head) => head.startsWith('HTTP/1.1 503')) ?? '';
    expect(refused).toContain('"code":"unavailable"');
    expect(refused).toMatch(/Retry-After: \d/);
    for (const reader of readers) reader.destroy();
    await until('nothing is held', async () => (await limited.held('answers')) === 0);
    expect((await call(`${limited.url}${allReadings}`, { secret: limited.secret })).status).toBe(
      200,
    );
  });

  it('are made one after the other where memory suffices for one only', async () => {
    await limited.serve({ answerBytes: 1, waitMs: 20_000 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        call(`${limited.url}${allReadings}`, { secret: limited.secret, timeoutMs: 25_000 }),
      ),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.json<{ data: unknown[] }>().data.length).toBe(100_000);
    }
    expect(await limited.held('answers')).toBe(0);
  });

  it('keep no reservation where they end in an error or have no body', async () => {
    await limited.serve({});
    expect(
      (await call(`${limited.url}${allReadings}&agg=avg`, { secret: limited.secret })).status,
    ).toBe(400);
    expect(
      (await call(`${limited.url}${allReadings}`, { secret: limited.secret, method: 'HEAD' }))
        .status,
    ).toBe(200);
    expect(await limited.held('answers')).toBe(0);
  });
});

describe('answers that a key does not receive', () => {
  it('are limited to its share, and leave others theirs', async () => {
    // Six kilobytes each: a page of them is more than the system buffers for a connection.
    const notes = '工'.repeat(2000);
    const rows = Array.from({ length: 500 }, (_, n) => ({
      id: `O-${n}`,
      order_number: 'LONG',
      status: 'draft',
      notes,
    }));
    await limited.plant.import('orders', limited.plant.chicago, rows);
    const [own, others] = await Promise.all([
      limited.plant.key({ entity: limited.plant.chicago }),
      limited.plant.key({ entity: limited.plant.chicago }),
    ]);
    const path = '/api/v1/orders?order_number=LONG&limit=500';
    const answerBytes = 48 * MiB;
    await limited.serve({ answerBytes, answerMs: 60_000, tightAnswerMs: 60_000 });
    const { text: page, status } = await call(`${limited.url}${path}`, { secret: others.secret });
    expect(status).toBe(200);
    const bytes = Buffer.byteLength(page);
    // After each answer at least as much is free as the key holds.
    const within = Math.floor((answerBytes / bytes + 1) / 2);
    const readers = Array.from({ length: 2 * within }, () =>
      limited.reader(getText(path, own.secret)),
    );
    await until('some are refused', () => limited.log().includes('"status":429'));
    expect(await limited.held('answers')).toBeLessThanOrEqual(within * bytes);
    expect((await call(`${limited.url}${path}`, { secret: others.secret })).status).toBe(200);
    const heads: string[] = [];
    for (const reader of readers)
      reader.once('data', (chunk) => heads.push(String(chunk).slice(0, 800))).resume();
    await until('all are answered', () => heads.length === readers.length);
    const refused = heads.filter((head) => !head.startsWith('HTTP/1.1 200'));
    expect(heads.length - refused.length).toBeGreaterThanOrEqual(within);
    expect(refused.length).toBeGreaterThan(0);
    for (const head of refused) expect(head).toMatch(/^HTTP\/1.1 429.*asks for too much at once/s);
    await until('nothing is held', async () => (await limited.held('answers')) === 0);
  });
});

describe('reads whose client disconnects', () => {
  it('end: those that wait are not begun, and the one under way stops', async () => {
    await limited.serve({});
    const readers = Array.from({ length: 20 }, () =>
      limited.reader(getText(allReadings, limited.secret)),
    );
    await until('all wait', async () => (await limited.held('answers')) > 40 * MiB);
    // A client that only ends its side may go on reading; one that is gone resets the connection.
    for (const reader of readers) reader.resetAndDestroy();
    await until('all are given up', () => limited.log().split('"status":499').length - 1 >= 15);
    await until('nothing is held', async () => (await limited.held('answers')) === 0);
    expect((await call(`${limited.url}${allReadings}`, { secret: limited.secret })).status).toBe(
      200,
    );
  });
});

import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call, getText, keptAlive } from '../../e2e/client.ts';
import { until } from '../../e2e/program.ts';
import { allReadings, LimitedPlant, type Reader } from './limited-plant.ts';

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
    const readers = Array.from({ length: 5 }, () => limited.reader(getText(allReadings, limited.secret)));
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
    // Two megabytes a second: each piece of the answer is taken in time, and the answer is not.
    let taken = 0;
    reader.on('data', ({ length }: Buffer) => {
      taken += length;
      if (taken > 100 * 1024) reader.pause();
    });
    reader.pause();
    const steady = setInterval(() => {
      taken = 0;
      reader.resume();
    }, 50);
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

  it('that wait behind others on one connection hold nothing once it is closed', async () => {
    await limited.serve({});
    const reader = limited.reader(getText(allReadings, limited.secret).repeat(3));
    await until('all three wait', async () => (await limited.held('answers')) > 3 * 5 * MiB);
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
      expect((await call(`${limited.url}${allReadings}`, { secret: limited.secret, agent })).status).toBe(200);
    }
    expect(connections).toBe(0);
    agent.destroy();
  });
});

describe('reads whose client disconnects', () => {
  it('end: those that wait are not begun, and the one under way stops', async () => {
    await limited.serve({});
    const readers = Array.from({ length: 20 }, () => limited.reader(getText(allReadings, limited.secret)));
    await until('all wait', async () => (await limited.held('answers')) > 40 * MiB);
    for (const reader of readers) reader.destroy();
    await until('all are given up', () => limited.log().split('"status":499').length - 1 >= 15);
    await until('nothing is held', async () => (await limited.held('answers')) === 0);
    expect((await call(`${limited.url}${allReadings}`, { secret: limited.secret })).status).toBe(200);
  });
});

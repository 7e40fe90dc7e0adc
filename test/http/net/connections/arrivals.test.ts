import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Slices } from '../../../../src/http/fairness/slices.ts';
import { Arrivals } from '../../../../src/http/net/connections/arrivals.ts';
import { RequestBatches } from '../../../../src/http/request/batches.ts';

describe('work that waits for connections', () => {
  it('waits once for each that was accepted, and then for none', () => {
    const arrivals = new Arrivals(() => 0);
    const mustWait = arrivals.createWait();
    expect(mustWait()).toBe(false);
    arrivals.count();
    arrivals.count();
    expect([mustWait(), mustWait()]).toEqual([true, false]);
  });

  it('waits for 10 ms at most while they come, and after one round again', () => {
    let nowMs = 0;
    const arrivals = new Arrivals(() => nowMs);
    const mustWait = arrivals.createWait();
    const rounds = Array.from({ length: 12 }, () => {
      arrivals.count();
      const waits = mustWait();
      nowMs += 3;
      return waits;
    });
    expect(rounds).toEqual([true, true, true, true, false, true, true, true, true, false, true, true]);
  });

  it('of one kind does not wait for what another has waited for', () => {
    const arrivals = new Arrivals(() => 0);
    const [one, other] = [arrivals.createWait(), arrivals.createWait()];
    arrivals.count();
    expect([one(), other(), one(), other()]).toEqual([true, true, false, false]);
  });
});

describe('an event loop that is full of work', () => {
  const opened: (Socket | { close(): void })[] = [];
  /** Ends the work of the test, which would burden the files of tests after this one. */
  let isOver = false;
  afterEach(() => {
    isOver = true;
    for (const one of opened.splice(0)) 'destroy' in one ? one.destroy() : one.close();
  });

  /** Opens so many connections to a server whose loop does `burden` each time; gives what `burden` was called meanwhile. */
  async function acceptAll(count: number, createBurden: (mustWait: () => boolean, round: () => void) => void) {
    // Its clock stands, so that the patience of the work does not depend on the speed of this machine.
    const arrivals = new Arrivals(() => 0);
    isOver = false;
    let accepted = 0;
    const server = createServer();
    opened.push(server);
    let rounds = 0;
    const done = new Promise<void>((resolve) => {
      server.on('connection', () => {
        arrivals.count();
        if (++accepted === count) resolve();
      });
    });
    await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: count }, resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    for (let n = 0; n < count; n++) opened.push(connect(port, '127.0.0.1').on('error', () => {}));
    createBurden(arrivals.createWait(), () => {
      rounds++;
      const until = performance.now() + 5;
      while (performance.now() < until);
    });
    await done;
    return rounds;
  }

  // Without waiting, each of the 300 is accepted in a round of its own.
  it.each([
    [
      'requests',
      (mustWait: () => boolean, round: () => void) => {
        const batches = new RequestBatches(undefined, mustWait);
        const run = () => {
          round();
          if (!isOver) setImmediate(again);
        };
        const again = () => batches.join({ run });
        again();
      },
    ],
    [
      'pages',
      (mustWait: () => boolean, round: () => void) => {
        const slices = new Slices(mustWait);
        const again = () => void Promise.resolve(slices.call('a', round)).then(() => isOver || setImmediate(again));
        again();
        again();
      },
    ],
    [
      'long bodies',
      (mustWait: () => boolean, round: () => void) => {
        const slices = new Slices(mustWait);
        void slices.run(
          'a',
          (function* () {
            while (!isOver) {
              round();
              yield;
            }
          })(),
        );
      },
    ],
  ])('of %s accepts hundreds of connections in a few rounds', async (_name, createBurden) => {
    expect(await acceptAll(300, createBurden)).toBeLessThan(50);
  });
});

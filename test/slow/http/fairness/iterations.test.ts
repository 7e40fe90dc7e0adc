import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { RequestBatches } from '../../../../src/http/fairness/batches.ts';
import { Iterations } from '../../../../src/http/fairness/iterations.ts';
import { Slices } from '../../../../src/http/fairness/slices.ts';

/** One kind of work; `next` runs an iteration and tells whether the work was run in it. */
function oneJob(iterations: Iterations) {
  let runs = 0;
  const job = iterations.job(() => runs++);
  return async () => {
    const before = runs;
    job.soon();
    await setImmediate();
    return runs > before;
  };
}

describe('work that waits for connections', () => {
  it('waits once for each that was accepted, and then for none', async () => {
    const iterations = new Iterations(() => 0);
    const next = oneJob(iterations);
    expect(await next()).toBe(true);
    iterations.accepted++;
    iterations.accepted++;
    expect([await next(), await next()]).toEqual([false, true]);
  });

  it('waits for 10 ms at most while they come, and after one iteration again', async () => {
    let nowMs = 0;
    const iterations = new Iterations(() => nowMs);
    const next = oneJob(iterations);
    const ran: boolean[] = [];
    for (let round = 0; round < 12; round++) {
      iterations.accepted++;
      ran.push(await next());
      nowMs += 3;
    }
    expect(ran.flatMap((did, round) => (did ? [round] : []))).toEqual([4, 9]);
  });

  it('of one kind does not wait for what another has waited for', async () => {
    const iterations = new Iterations(() => 0);
    const [one, other] = [oneJob(iterations), oneJob(iterations)];
    iterations.accepted++;
    expect(await Promise.all([one(), other()])).toEqual([false, false]);
    expect(await Promise.all([one(), other()])).toEqual([true, true]);
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
  async function acceptAll(
    count: number,
    createBurden: (iterations: Iterations, round: () => void) => void,
  ) {
    // Its clock stands, so that the patience of the work does not depend on the speed of this machine.
    const iterations = new Iterations(() => 0);
    isOver = false;
    let accepted = 0;
    const server = createServer();
    opened.push(server);
    let rounds = 0;
    const done = new Promise<void>((resolve) => {
      server.on('connection', () => {
        iterations.accepted++;
        if (++accepted === count) resolve();
      });
    });
    await new Promise<void>((resolve) =>
      server.listen({ port: 0, host: '127.0.0.1', backlog: count }, resolve),
    );
    const { port } = server.address() as AddressInfo; // it listens on a port
    for (let n = 0; n < count; n++) opened.push(connect(port, '127.0.0.1').on('error', () => {}));
    createBurden(iterations, () => {
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
      (iterations: Iterations, round: () => void) => {
        const batches = new RequestBatches(iterations);
        const run = () => {
          round();
          if (!isOver) void setImmediate().then(again);
        };
        const again = () => batches.join({ run });
        again();
      },
    ],
    [
      'pages',
      (iterations: Iterations, round: () => void) => {
        const slices = new Slices(iterations);
        const again = () =>
          void Promise.resolve(slices.call('a', round)).then(
            () => isOver || void setImmediate().then(again),
          );
        again();
        again();
      },
    ],
    [
      'long bodies',
      (iterations: Iterations, round: () => void) => {
        const slices = new Slices(iterations);
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

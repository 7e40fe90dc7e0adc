import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RequestBatches } from '../../../src/http/fairness/batches.ts';
import { finish, type SliceSteps, Slices } from '../../../src/http/fairness/slices.ts';
import { ConnectionTable, clientOfSocket } from '../../../src/http/net/connections/table.ts';

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('work in slices', () => {
  function* steps(name: string, count: number, seen: string[], ms = 2): SliceSteps<string> {
    for (let step = 0; step < count; step++) {
      seen.push(name);
      spin(ms);
      yield;
    }
    return name;
  }

  it('runs at once where it is short', () => {
    expect(new Slices().run('a', steps('a', 3, [], 0))).toBe('a');
  });

  it('lets other work run between two slices', async () => {
    const slices = new Slices();
    const seen: string[] = [];
    const work = slices.run('a', steps('a', 20, seen));
    const counts: number[] = [];
    for (let round = 0; round < 3; round++) {
      counts.push(seen.length);
      await setImmediate();
    }
    expect(counts[0]).toBeLessThan(5);
    expect(counts[2]).toBeLessThan(15);
    expect(await work).toBe('a');
    expect(seen.length).toBe(20);
  });

  it('of one holder does not wait for all of another', async () => {
    const slices = new Slices();
    const ended: string[] = [];
    const start = async (holder: string, name: string) => {
      ended.push(await slices.run(holder, steps(name, 10, [])));
    };
    const all = [...Array(8).keys()].map((index) => start('greedy', `greedy ${index}`));
    all.push(start('modest', 'modest'));
    await Promise.all(all);
    expect(ended.indexOf('modest')).toBeLessThan(4);
  });

  it('that throws rejects, and the rest continues', async () => {
    const slices = new Slices();
    function* broken(): SliceSteps<string> {
      spin(6);
      yield;
      throw new Error('broken');
    }
    const [first, second] = [slices.run('a', broken()), slices.run('a', steps('next', 2, []))];
    await expect(first).rejects.toThrow('broken');
    expect(await second).toBe('next');
    expect(() => finish(broken())).toThrow('broken');
  });
});

/** Work of one step whose cost the test sets: its clock advances by the cost of each piece. */
function priced() {
  let nowMs = 0;
  const log: string[] = [];
  const slices = new Slices(undefined, () => nowMs);
  return {
    log,
    call: (name: string, ms: number) =>
      slices.call(name.charAt(0), () => {
        nowMs += ms;
        log.push(name);
        return name;
      }),
    fail: (name: string) =>
      slices.call(name.charAt(0), () => {
        throw new Error(name);
      }),
  };
}

describe('work of one step', () => {
  it('runs at once while this event-loop iteration has time left', () => {
    const { call, log } = priced();
    expect([call('a1', 0.5), call('a2', 1), call('b1', 0.5)]).toEqual(['a1', 'a2', 'b1']);
    expect(call('a3', 1)).toBeInstanceOf(Promise);
    expect(log).toEqual(['a1', 'a2', 'b1']);
  });

  it('waits for the next iterations, round-robin by owner', async () => {
    const { call, log } = priced();
    call('a0', 100);
    const later = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => call(name, 1));
    expect(log).toEqual(['a0']);
    await setImmediate();
    expect(log).toEqual(['a0', 'a1', 'b1']);
    // New work waits behind the owners that wait already.
    later.push(call('c1', 1));
    await setImmediate();
    expect(log).toEqual(['a0', 'a1', 'b1', 'a2', 'c1']);
    expect(await Promise.all(later)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
    expect(log.slice(5)).toEqual(['a3', 'a4']);
    await setImmediate();
    expect(call('a5', 1)).toBe('a5');
  });

  it('that throws rejects where it waited, throws where it did not, and the rest continues', async () => {
    const { call, fail } = priced();
    expect(() => fail('a1')).toThrow('a1');
    call('a2', 100);
    const [failing, next] = [fail('a3'), call('a4', 1)];
    await expect(failing).rejects.toThrow('a3');
    expect(await next).toBe('a4');
  });
});

describe('a request batch with more work than time', () => {
  it('leaves the rest to the next ones, round-robin by connection', async () => {
    const batches = new RequestBatches();
    const [flood, other] = ['flood', 'other'];
    let answered = 0;
    for (let index = 0; index < 60; index++) {
      batches.join({
        client: flood,
        run: () => {
          spin(1);
          answered++;
        },
      });
    }
    let answeredBefore: number | undefined;
    await setImmediate();
    expect(answered).toBeLessThan(30);
    batches.join({
      client: other,
      run: () => {
        answeredBefore = answered;
      },
    });
    while (answeredBefore === undefined) await setImmediate();
    expect(answeredBefore).toBeLessThan(40);
    while (answered < 60) await setImmediate();
  });

  it('counts the sending of its answers', async () => {
    const batches = new RequestBatches();
    let sent = 0;
    for (let index = 0; index < 2000; index++) {
      const run = () =>
        batches.send(() => {
          spin(0.1);
          sent++;
        });
      batches.join({ client: index, run });
    }
    const counts: number[] = [];
    while (sent < 1000) {
      const before = sent;
      await setImmediate();
      counts.push(sent - before);
    }
    // The time of all 2000 questions is about a millisecond, that of their answers 200.
    expect(Math.max(...counts)).toBeLessThan(200);
    expect(Math.max(...counts.slice(-5))).toBeLessThan(60);
  });

  it('drops the requests of connections that have closed', async () => {
    const batches = new RequestBatches();
    const connection = { destroyed: false };
    let answered = 0;
    for (let index = 0; index < 40; index++) {
      batches.join({
        run: () => {
          spin(1);
          answered++;
        },
        get isGone() {
          return connection.destroyed;
        },
      });
    }
    await setImmediate();
    const before = answered;
    connection.destroyed = true;
    for (let round = 0; round < 5; round++) await setImmediate();
    expect(answered).toBe(before);
  });

  it('serves a client with one connection before the hundreds of another are through', async () => {
    const batches = new RequestBatches();
    const table = new ConnectionTable();
    const order: string[] = [];
    const send = (client: string): void => {
      const from = new Socket();
      table.add(from, false);
      table.identify(from, client);
      batches.join({
        client: clientOfSocket(from),
        run() {
          order.push(client);
          spin(1);
        },
      });
    };
    for (let index = 0; index < 300; index++) send('many');
    send('one');
    while (order.length < 301) await setImmediate();
    // The first batch takes requests in the order in which they came; the second one goes round-robin.
    expect(order.indexOf('one')).toBeLessThan(30);
  });
});

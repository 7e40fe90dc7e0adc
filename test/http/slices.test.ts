import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Budget } from '../../src/http/fairness/budget.ts';
import { FairQueue } from '../../src/http/fairness/fair-queue.ts';
import { finish, Slices, type Steps } from '../../src/http/fairness/slices.ts';
import type { Source } from '../../src/http/net/source-queues.ts';
import { RequestBatches } from '../../src/http/request/batches.ts';

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('work in slices', () => {
  function* steps(name: string, count: number, seen: string[], ms = 2): Steps<string> {
    for (let step = 0; step < count; step++) {
      seen.push(name);
      spin(ms);
      yield;
    }
    return name;
  }

  it('is done at once where it is short', () => {
    expect(new Slices().run('a', steps('a', 3, [], 0))).toBe('a');
  });

  it('lets others go on between two slices', async () => {
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

  it('that throws rejects, and what waits goes on', async () => {
    const slices = new Slices();
    function* broken(): Steps<string> {
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

describe('a fair queue', () => {
  it('runs one task of each holder, and lets holders take turns', async () => {
    const queue = new FairQueue(2);
    const started: string[] = [];
    let running = 0;
    let most = 0;
    const task = (name: string) => async () => {
      started.push(name);
      most = Math.max(most, ++running);
      await setImmediate();
      running--;
    };
    const all = [...Array(6).keys()].map((index) => queue.run('a', task(`a${index}`)));
    all.push(queue.run('b', task('b0')), queue.run('c', task('c0')), queue.run('b', task('b1')));
    await Promise.all(all);
    expect(most).toBe(2);
    expect(started.slice(0, 2)).toEqual(['a0', 'b0']);
    expect(started.indexOf('c0')).toBeLessThan(5);
    expect(started.filter((name) => name.startsWith('a'))).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
  });

  it('lets a holder wait for one task of each other one, and not for all of them', async () => {
    const queue = new FairQueue(1);
    const started: string[] = [];
    const task = (name: string) => async () => {
      started.push(name);
      await setImmediate();
    };
    await Promise.all(['a0', 'a1', 'a2', 'a3', 'b0'].map((name) => queue.run(name.slice(0, 1), task(name))));
    expect(started).toEqual(['a0', 'a1', 'b0', 'a2', 'a3']);
  });

  it('goes on after a task that failed', async () => {
    const queue = new FairQueue(1);
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

describe('a budget', () => {
  it('gives a holder as much as it leaves free, and others the rest by the same rule', async () => {
    const budget = new Budget(120, 10);
    const fill = (holder: string) => {
      const reservation = budget.hold(0, holder);
      while (budget.grow(reservation, 1));
      return reservation.bytes;
    };
    expect([fill('a'), fill('b'), fill('c')]).toEqual([60, 30, 15]);
    await expect(budget.reserve(61, 'd')).rejects.toThrow();
  });

  it('serves first whoever holds least', async () => {
    const budget = new Budget(100, 5_000);
    const others = budget.hold(90, 'c');
    budget.hold(10, 'a');
    const order: string[] = [];
    const [first, second] = [budget.reserve(40, 'a'), budget.reserve(60, 'b')];
    void first.then(() => order.push('a'));
    void second.then(() => order.push('b'));
    // There is enough for either of them, and not for both.
    others.release();
    (await second).release();
    await first;
    expect(order).toEqual(['b', 'a']);
  });
});

describe('a turn with more than it has time for', () => {
  const source = (): Source => ({ destroyed: false });

  it('leaves the rest to the next ones, by turns of the connections', async () => {
    const batches = new RequestBatches();
    const [flood, other] = [source(), source()];
    let answered = 0;
    for (let index = 0; index < 60; index++) {
      batches.join({
        source: flood,
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
      source: other,
      run: () => {
        answeredBefore = answered;
      },
    });
    while (answeredBefore === undefined) await setImmediate();
    expect(answeredBefore).toBeLessThan(40);
    while (answered < 60) await setImmediate();
  });

  it('does nothing for connections that are gone', async () => {
    const batches = new RequestBatches();
    const gone = { destroyed: false };
    let answered = 0;
    for (let index = 0; index < 40; index++) {
      batches.join({
        source: gone,
        run: () => {
          spin(1);
          answered++;
        },
      });
    }
    await setImmediate();
    const before = answered;
    gone.destroyed = true;
    for (let round = 0; round < 5; round++) await setImmediate();
    expect(answered).toBe(before);
  });

  it('holds back who brings many, releases it once it is answered, and closes it where thousands wait', async () => {
    const seen: string[] = [];
    const batches = new RequestBatches({
      hold: () => seen.push('hold'),
      release: () => seen.push('release'),
      shed: (one) => {
        seen.push('shed');
        Object.assign(one, { destroyed: true });
      },
    });
    const few = source();
    for (let index = 0; index < 100; index++) batches.join({ source: few, run() {} });
    expect(seen).toEqual(['hold']);
    while (!seen.includes('release')) await setImmediate();
    expect(seen).toEqual(['hold', 'release']);
    seen.length = 0;
    const many = source();
    for (let index = 0; index < 30_000; index++) batches.join({ source: many, run() {} });
    expect(seen).toEqual(['hold', 'shed']);
  });
});

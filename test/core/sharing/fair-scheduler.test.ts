import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FairScheduler } from '../../../src/core/sharing/fair-queue.ts';

describe('a fair scheduler', () => {
  it('runs one task of each owner, round-robin by owner', async () => {
    const scheduler = new FairScheduler(2);
    const started: string[] = [];
    let running = 0;
    let most = 0;
    const task = (name: string) => async () => {
      started.push(name);
      most = Math.max(most, ++running);
      await setImmediate();
      running--;
    };
    const all = [...Array(6).keys()].map((index) => scheduler.run('a', task(`a${index}`)));
    all.push(
      scheduler.run('b', task('b0')),
      scheduler.run('c', task('c0')),
      scheduler.run('b', task('b1')),
    );
    await Promise.all(all);
    expect(most).toBe(2);
    expect(started.slice(0, 2)).toEqual(['a0', 'b0']);
    expect(started.indexOf('c0')).toBeLessThan(5);
    expect(started.filter((name) => name.startsWith('a'))).toEqual([
      'a0',
      'a1',
      'a2',
      'a3',
      'a4',
      'a5',
    ]);
  });

  it('lets an owner wait for one task of each other one, and not for all of them', async () => {
    const scheduler = new FairScheduler(1);
    const started: string[] = [];
    const task = (name: string) => async () => {
      started.push(name);
      await setImmediate();
    };
    await Promise.all(
      ['a0', 'a1', 'a2', 'a3', 'b0'].map((name) => scheduler.run(name.slice(0, 1), task(name))),
    );
    expect(started).toEqual(['a0', 'a1', 'b0', 'a2', 'a3']);
  });

  it('leaves no listener at the signal of a client whose tasks have begun', async () => {
    const scheduler = new FairScheduler(1);
    const { signal } = new AbortController();
    const tasks = Array.from({ length: 20 }, () =>
      scheduler.run('a', () => setImmediate(undefined), signal),
    );
    await Promise.all(tasks);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('continues after a task that failed', async () => {
    const scheduler = new FairScheduler(1);
    const failed = scheduler.run('a', () => Promise.reject(new Error('no')));
    const next = scheduler.run('a', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('runs one task at a time where no more are allowed, also after one that failed', async () => {
    const scheduler = new FairScheduler(1);
    const log: string[] = [];
    let running = 0;
    const run = (owner: string, name: string) =>
      scheduler.run(owner, async () => {
        expect(++running).toBe(1);
        log.push(name);
        await setImmediate();
        running--;
        if (name === 'a2') throw new Error('a2 failed');
        return name;
      });
    const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')];
    const results = await Promise.allSettled(all);
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await run('a', 'a4')).toBe('a4');
  });
});

import { expect, it } from 'vitest';
import { FairLine } from '../../src/http/fairness/fair-line.ts';

it('a fair line runs one piece of work at a time, round-robin by owner, also after one that failed', async () => {
  const line = new FairLine();
  const log: string[] = [];
  let running = 0;
  const run = (owner: string, name: string) =>
    line.run(owner, async () => {
      expect(++running).toBe(1);
      log.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (name === 'a2') throw new Error('a2 failed');
      return name;
    });
  const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')];
  const results = await Promise.allSettled(all);
  expect(log).toEqual(['a1', 'a2', 'b1', 'a3']);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(await run('a', 'a4')).toBe('a4');
});

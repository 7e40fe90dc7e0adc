import { expect, it } from 'vitest';
import { CostlyWork } from '../../../src/http/fairness/costly-work.ts';

/** Work whose cost the test sets: its clock advances by the cost of each piece. */
function workOf() {
  let nowMs = 0;
  const log: string[] = [];
  const work = new CostlyWork(() => nowMs);
  return {
    log,
    run: (name: string, ms: number) =>
      work.run(name.charAt(0), () => {
        nowMs += ms;
        log.push(name);
        return name;
      }),
    fail: (name: string) =>
      work.run(name.charAt(0), () => {
        throw new Error(name);
      }),
  };
}

const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve));

it('costly work runs at once while this event-loop iteration has time left', () => {
  const { run, log } = workOf();
  expect([run('a1', 1), run('a2', 2), run('b1', 1)]).toEqual(['a1', 'a2', 'b1']);
  expect(run('a3', 1)).toBeInstanceOf(Promise);
  expect(log).toEqual(['a1', 'a2', 'b1']);
});

it('the rest waits for the next iterations, round-robin by owner', async () => {
  const { run, log } = workOf();
  run('a0', 100);
  const later = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => run(name, 2));
  expect(log).toEqual(['a0']);
  await nextIteration();
  expect(log).toEqual(['a0', 'a1', 'b1']);
  // New work waits behind the owners that wait already.
  later.push(run('c1', 2));
  await nextIteration();
  expect(log).toEqual(['a0', 'a1', 'b1', 'a2', 'c1']);
  expect(await Promise.all(later)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
  expect(log.slice(5)).toEqual(['a3', 'a4']);
  await nextIteration();
  expect(run('a5', 1)).toBe('a5');
});

it('work that throws rejects where it waited, throws where it did not, and the rest continues', async () => {
  const { run, fail } = workOf();
  expect(() => fail('a1')).toThrow('a1');
  run('a2', 100);
  const [failing, next] = [fail('a3'), run('a4', 1)];
  await expect(failing).rejects.toThrow('a3');
  expect(await next).toBe('a4');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../src/core/sharing/fair-queue.ts';

/** Takes all that waits. */
function takeAll<T>(queue: FairQueue<T>): T[] {
  const taken: T[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add(item[0] ?? '', item);
  return queue;
}

describe('a fair queue', () => {
  it('takes one item of each owner, then the next of each', () => {
    expect(takeAll(queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2'))).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  it('puts an item back before all others of its owner, and that owner behind all others', () => {
    const queue = queueOf('a1');
    expect(queue.take()).toBe('a1');
    queue.add('a', 'a2');
    queue.add('b', 'b1');
    queue.putBack('a', 'a1');
    expect(queue.size).toBe(3);
    expect(takeAll(queue)).toEqual(['b1', 'a1', 'a2']);
  });

  it('removes an item, and reports whether it was there', () => {
    const queue = queueOf('a1', 'a2', 'b1');
    expect([queue.remove('a', 'a1'), queue.remove('a', 'a1'), queue.remove('c', 'a2')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([queue.size, queue.sizeOf('a'), queue.sizeOf('c')]).toEqual([2, 1, 0]);
    expect(takeAll(queue)).toEqual(['a2', 'b1']);
    expect(queue.size).toBe(0);
  });

  it('takes only from the owners that are admitted', () => {
    const queue = queueOf('a1', 'a2', 'b1');
    expect(queue.take((owner) => owner !== 'a')).toBe('b1');
    expect(queue.take((owner) => owner !== 'a')).toBeUndefined();
    expect(takeAll(queue)).toEqual(['a1', 'a2']);
  });

  it('lets no owner wait for more than one item of each other, however many they add', () => {
    const owner = fc.constantFrom('a', 'b', 'c', 'd');
    fc.assert(
      fc.property(fc.array(fc.oneof(owner, fc.constant('take'), fc.constant('again'))), (steps) => {
        const queue = new FairQueue<{ owner: string }>();
        /** Owners that were served since the one named waits. */
        const served = new Map<string, string[]>();
        let last: { owner: string } | undefined;
        for (const step of steps) {
          if (step === 'take' || step === 'again') {
            last = queue.take();
            if (last === undefined) continue;
            served.delete(last.owner);
            for (const [waiting, others] of served) {
              others.push(last.owner);
              expect(new Set(others).size, `${waiting} waits for ${others}`).toBe(others.length);
            }
            if (step === 'again') queue.putBack(last.owner, last);
            if (queue.sizeOf(last.owner) > 0) served.set(last.owner, []);
          } else {
            if (queue.sizeOf(step) === 0) served.set(step, []);
            queue.add(step, { owner: step });
          }
        }
        const { size } = queue;
        expect(takeAll(queue)).toHaveLength(size);
      }),
    );
  });
});

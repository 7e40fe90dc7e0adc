import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { createRepetition } from '../../../src/http/tasks/repetition.ts';

const silent = createLog('silent', { write() {} });

const repeated = (work: () => Promise<void>) =>
  createRepetition({ everyMs: 1000, log: silent, failure: 'failed', work });

describe('a repetition', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('leaves out the times at which the work before still runs', async () => {
    const ends: (() => void)[] = [];
    const repetition = repeated(() => new Promise((resolve) => ends.push(resolve)));
    repetition.start();
    await vi.advanceTimersByTimeAsync(3500);
    expect(ends.length).toBe(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends.length).toBe(2);
    ends[1]?.();
    await repetition.stop();
  });

  it('stops once the work under way has ended, and begins no other', async () => {
    let begun = 0;
    let end = () => {};
    const repetition = repeated(() => {
      begun++;
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    repetition.start();
    await vi.advanceTimersByTimeAsync(1000);
    let isStopped = false;
    const stopped = repetition.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect({ begun, isStopped }).toEqual({ begun: 1, isStopped: false });
    end();
    await stopped;
    await vi.advanceTimersByTimeAsync(5000);
    expect(begun).toBe(1);
  });
});

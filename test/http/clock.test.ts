import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/core/store.ts';
import { DaemonClock } from '../../src/http/clock.ts';
import { createLog } from '../../src/http/log.ts';
import { draftOf, memoryStore, nowMs } from '../store/stores.ts';

const hourMs = 3_600_000;

describe('the clock of a daemon', () => {
  let store: Store;
  let machineMs: number;
  let told: string[];
  let clock: DaemonClock;

  beforeEach(async () => {
    vi.useFakeTimers();
    store = await memoryStore();
    machineMs = nowMs;
    told = [];
    const log = createLog('warn', { write: (line) => told.push(line) });
    clock = new DaemonClock(store, () => machineMs, log);
    await clock.follow();
    clock.start();
  });
  afterEach(async () => {
    await clock.stop();
    vi.useRealTimers();
    await store.close();
  });

  /** Lets so many seconds go by, which the machine's clock shows. */
  const seconds = async (count: number) => {
    for (let n = 0; n < count; n++) {
      machineMs += 1000;
      await vi.advanceTimersByTimeAsync(1000);
    }
  };
  const seenMs = async () => (await store.clock.read()).seenMs;
  const accept = () => store.clock.accept(machineMs, draftOf('t', 'store.accept_clock', 'clock'));

  it('shows the time of the machine until that jumps back, then the last that was seen twice', async () => {
    expect(clock.now()).toBe(nowMs);
    await seconds(5);
    expect(clock.now()).toBe(nowMs + 5000);
    machineMs -= hourMs;
    expect(clock.now()).toBe(nowMs + 4000);
    await seconds(3);
    expect(clock.now()).toBe(nowMs + 4000);
    expect(told.join('')).toContain('THE CLOCK IS BEHIND');
    expect(told).toHaveLength(1);
  });

  it('is brought to the store every ten seconds and at the end', async () => {
    await seconds(9);
    expect(await seenMs()).toBe(0);
    await seconds(1);
    expect(await seenMs()).toBe(nowMs + 9000);
    await seconds(3);
    await clock.stop();
    expect(await seenMs()).toBe(nowMs + 13_000);
  });

  it('minds no single look at a clock gone wrong', async () => {
    await seconds(3);
    machineMs += 365 * 24 * hourMs;
    await seconds(1);
    machineMs -= 365 * 24 * hourMs;
    await seconds(20);
    expect(clock.now()).toBe(machineMs);
    expect(await seenMs()).toBeLessThan(machineMs + 1);
  });

  it('follows what others note within a second', async () => {
    await store.clock.note(nowMs + hourMs);
    await store.clock.note(nowMs + hourMs + 1);
    await seconds(1);
    expect(clock.now()).toBe(nowMs + hourMs + 1);
  });

  it('follows an acceptance within a second, and brings nothing back that was seen before it', async () => {
    machineMs += hourMs;
    await seconds(12);
    machineMs -= hourMs;
    await seconds(1);
    expect(clock.now()).toBeGreaterThan(machineMs);
    await accept();
    await seconds(1);
    expect(clock.now()).toBe(machineMs);
    await seconds(30);
    expect(clock.now()).toBe(machineMs);
    expect(await seenMs()).toBeLessThanOrEqual(machineMs);
  });

  it('brings nothing that an acceptance at the same moment has made untrue', async () => {
    machineMs += hourMs;
    await seconds(12);
    machineMs -= hourMs;
    const stale = { nowMs: machineMs, fromMs: await seenMs(), seenMs: machineMs + hourMs };
    await accept();
    await store.clock.bring(stale);
    expect(await seenMs()).toBe(machineMs);
  });
});

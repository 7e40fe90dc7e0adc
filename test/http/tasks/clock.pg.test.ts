import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/core/port/store.ts';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { createDaemonClock } from '../../../src/http/tasks/clock.ts';
import { draftOf, nowMs, temporaryStore } from '../../store/stores.ts';

const hourMs = 3_600_000;

describe('the clock of a daemon', () => {
  let store: Store;
  let machineMs: number;
  let upMs: number;
  let logged: string[];
  let clock: ReturnType<typeof createDaemonClock>;

  beforeEach(async () => {
    vi.useFakeTimers();
    store = await temporaryStore({ isThreaded: false });
    machineMs = nowMs;
    upMs = 24 * hourMs;
    logged = [];
    const log = createLog('warn', { write: (line) => logged.push(line) });
    clock = createDaemonClock(
      store,
      () => machineMs,
      () => upMs,
      log,
    );
    await clock.follow();
    clock.start();
  });
  afterEach(async () => {
    await clock.stop();
    vi.useRealTimers();
    await store.close();
  });

  /** Lets some seconds pass, on the machine's clock as well. */
  const seconds = async (count: number) => {
    for (let n = 0; n < count; n++) {
      machineMs += 1000;
      upMs += 1000;
      await vi.advanceTimersByTimeAsync(1000);
    }
  };
  const seenMs = async () => (await store.clock.read()).seenMs;
  const accept = () =>
    store.clock.accept({ nowMs: machineMs, upMs }, draftOf('t', 'store.accept_clock', 'clock'));

  it('shows the time of the machine until that jumps back, then the last time before', async () => {
    expect(clock.now()).toBe(nowMs);
    await seconds(5);
    expect(clock.now()).toBe(nowMs + 5000);
    machineMs -= hourMs;
    expect(clock.now()).toBe(nowMs + 5000);
    await seconds(3);
    expect(clock.now()).toBe(nowMs + 5000);
    expect(logged.join('')).toContain('THE CLOCK IS BEHIND');
    expect(logged).toHaveLength(1);
    for (const days of [1, 2]) {
      machineMs -= 24 * hourMs;
      upMs += 24 * hourMs;
      await seconds(3);
      expect(logged).toHaveLength(1 + days);
    }
  });

  it('updates the store every ten seconds and at the end', async () => {
    await seconds(9);
    expect(await seenMs()).toBe(0);
    await seconds(1);
    expect(await seenMs()).toBe(nowMs + 10_000);
    await seconds(3);
    await clock.stop();
    expect(await seenMs()).toBe(nowMs + 13_000);
  });

  it.each([1, 2, 60, 299])(
    'forgets a clock that was a year ahead for %i seconds',
    async (count) => {
      await seconds(3);
      machineMs += 365 * 24 * hourMs;
      await seconds(count);
      expect(clock.now()).toBe(machineMs);
      machineMs -= 365 * 24 * hourMs;
      expect(clock.now()).toBe(machineMs);
      await seconds(20);
      expect(clock.now()).toBe(machineMs);
      expect(await seenMs()).toBeLessThanOrEqual(machineMs);
    },
  );

  it('remembers a clock that was ahead for minutes', async () => {
    await seconds(3);
    machineMs += hourMs;
    await seconds(302);
    machineMs -= hourMs;
    expect(clock.now()).toBe(machineMs + hourMs);
    await clock.stop();
    expect(await seenMs()).toBe(machineMs + hourMs);
  });

  it('follows at once after the machine has slept', async () => {
    await seconds(3);
    machineMs += 8 * hourMs;
    upMs += 8 * hourMs;
    await seconds(1);
    machineMs -= hourMs;
    expect(clock.now()).toBe(machineMs + hourMs);
  });

  it('starts from the samples of this machine in the store', async () => {
    await seconds(15);
    await clock.stop();
    const next = createDaemonClock(
      store,
      () => machineMs,
      () => upMs,
      createLog('silent', { write() {} }),
    );
    await next.follow();
    machineMs -= hourMs;
    expect(next.now()).toBe(machineMs + hourMs);
  });

  it('follows the samples of other processes within a second', async () => {
    await store.clock.record({ nowMs: machineMs, upMs });
    await store.clock.record({ nowMs: machineMs + hourMs, upMs: upMs + hourMs });
    await seconds(1);
    expect(clock.now()).toBe(nowMs + hourMs);
  });

  it('follows an acceptance within a second, and does not restore a time seen before it', async () => {
    machineMs += hourMs;
    await seconds(320);
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

  it('stores no time that an acceptance at the same moment has made invalid', async () => {
    machineMs += hourMs;
    await seconds(320);
    machineMs -= hourMs;
    const looks = await store.clock.read();
    const stale = { fromMs: looks.seenMs, samples: { ...looks, seenMs: looks.seenMs + hourMs } };
    await accept();
    await store.clock.merge(stale);
    expect(await seenMs()).toBe(machineMs);
  });
});

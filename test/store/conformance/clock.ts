import { expect, it } from 'vitest';
import { draftOf, nowMs } from '../stores.ts';
import type { Given } from './given.ts';

const hour = 3_600_000;
const upMs = 24 * hour;

/** How every engine keeps the samples of the machine's clock. */
export function clockConformance(given: Given): void {
  const steady = { steadyStartMs: nowMs - upMs, candidateStartMs: 0, candidateUpMs: 0 };

  it('knows nothing at first, then the sampled time, and keeps a jump ahead apart from it', async () => {
    const { store } = await given();
    expect(await store.clock.read()).toEqual({
      seenMs: 0,
      steadyStartMs: 0,
      candidateStartMs: 0,
      candidateUpMs: 0,
    });
    await store.clock.record({ nowMs, upMs });
    expect(await store.clock.read()).toEqual({ ...steady, seenMs: nowMs });
    for (const laterMs of [0, 1000])
      await store.clock.record({ nowMs: nowMs + hour + laterMs, upMs: upMs + laterMs });
    const jumped = { seenMs: nowMs, candidateStartMs: nowMs - upMs + hour, candidateUpMs: upMs };
    expect(await store.clock.read()).toEqual({ ...steady, ...jumped });
    await store.clock.record({ nowMs: nowMs + 2000, upMs: upMs + 2000 });
    expect(await store.clock.read()).toEqual({ ...steady, seenMs: nowMs + 2000 });
  });

  it('merges what a daemon sampled, but not what it sampled before the clock was accepted', async () => {
    const { store, plant } = await given();
    const merge = (fromMs: number, seenMs: number) =>
      store.clock.merge({ fromMs, samples: { ...steady, seenMs } });
    await merge(0, nowMs - 1000);
    expect(await store.clock.read()).toEqual({ ...steady, seenMs: nowMs - 1000 });
    await merge(nowMs - 1000, nowMs + hour);
    expect((await store.clock.read()).seenMs).toBe(nowMs + hour);
    await merge(nowMs - 1000, nowMs);
    expect((await store.clock.read()).seenMs).toBe(nowMs + hour);

    const sample = { nowMs, upMs: upMs + hour };
    await store.clock.accept(sample, draftOf(plant.tenant.id, 'store.accept_clock', 'clock'));
    const accepted = { ...steady, seenMs: nowMs, steadyStartMs: nowMs - upMs - hour };
    expect(await store.clock.read()).toEqual(accepted);
    const [last] = await store.audit.list(plant.tenant.id, { limit: 1 });
    expect(last?.action).toBe('store.accept_clock');
    await merge(nowMs + hour, nowMs + 2 * hour);
    expect(await store.clock.read()).toEqual(accepted);
  });

  it('changes its version with a sample', async () => {
    const { store } = await given();
    const before = await store.keys.changeCounter();
    await store.clock.record({ nowMs, upMs });
    expect(await store.keys.changeCounter()).toBeGreaterThan(before);
  });
}

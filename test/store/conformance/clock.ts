import { expect, it } from 'vitest';
import { draftOf, nowMs } from '../stores.ts';
import type { Given } from './given.ts';

const hour = 3_600_000;
const upMs = 24 * hour;

/** What every engine knows of the machine's clock. */
export function clockConformance(given: Given): void {
  const steady = { steadyStartMs: nowMs - upMs, candidateStartMs: 0, candidateUpMs: 0 };

  it('knows nothing at first, then the time that it was shown, and a jump ahead apart from it', async () => {
    const { store } = await given();
    expect(await store.clock.read()).toEqual({ seenMs: 0, steadyStartMs: 0, candidateStartMs: 0, candidateUpMs: 0 });
    await store.clock.note({ nowMs, upMs });
    expect(await store.clock.read()).toEqual({ ...steady, seenMs: nowMs });
    for (const laterMs of [0, 1000]) await store.clock.note({ nowMs: nowMs + hour + laterMs, upMs: upMs + laterMs });
    const jumped = { seenMs: nowMs, candidateStartMs: nowMs - upMs + hour, candidateUpMs: upMs };
    expect(await store.clock.read()).toEqual({ ...steady, ...jumped });
    await store.clock.note({ nowMs: nowMs + 2000, upMs: upMs + 2000 });
    expect(await store.clock.read()).toEqual({ ...steady, seenMs: nowMs });
  });

  it('takes over what a daemon saw, but not what it saw before the clock was accepted', async () => {
    const { store, plant } = await given();
    const bring = (fromMs: number, seenMs: number) => store.clock.bring({ fromMs, looks: { ...steady, seenMs } });
    await bring(0, nowMs - 1000);
    expect(await store.clock.read()).toEqual({ ...steady, seenMs: nowMs - 1000 });
    await bring(nowMs - 1000, nowMs + hour);
    expect((await store.clock.read()).seenMs).toBe(nowMs + hour);
    await bring(nowMs - 1000, nowMs);
    expect((await store.clock.read()).seenMs).toBe(nowMs + hour);

    const sample = { nowMs, upMs: upMs + hour };
    await store.clock.accept(sample, draftOf(plant.tenant.id, 'store.accept_clock', 'clock'));
    const accepted = { ...steady, seenMs: nowMs, steadyStartMs: nowMs - upMs - hour };
    expect(await store.clock.read()).toEqual(accepted);
    const [last] = await store.audit.list(plant.tenant.id, { limit: 1 });
    expect(last?.action).toBe('store.accept_clock');
    await bring(nowMs + hour, nowMs + 2 * hour);
    expect(await store.clock.read()).toEqual(accepted);
  });

  it('tells of a sample by its version', async () => {
    const { store } = await given();
    const before = await store.keys.version();
    await store.clock.note({ nowMs, upMs });
    expect(await store.keys.version()).toBeGreaterThan(before);
  });
}

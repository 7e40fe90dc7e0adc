import { expect, it } from 'vitest';
import { draftOf, nowMs } from '../stores.ts';
import type { Given } from './given.ts';

const hour = 3_600_000;

/** What every engine knows of the machine's clock. */
export function clockConformance(given: Given): void {
  it('knows nothing at first, and a time once it was seen twice', async () => {
    const { store } = await given();
    expect(await store.clock.read()).toEqual({ seenMs: 0, candidateMs: 0 });
    await store.clock.note(nowMs);
    expect(await store.clock.read()).toEqual({ seenMs: 0, candidateMs: nowMs });
    await store.clock.note(nowMs + 1);
    expect(await store.clock.read()).toEqual({ seenMs: nowMs + 1, candidateMs: nowMs + 1 });
    await store.clock.note(nowMs - hour);
    expect(await store.clock.read()).toEqual({ seenMs: nowMs + 1, candidateMs: nowMs - hour });
  });

  it('takes over what a daemon saw, but not what it saw before the clock was accepted', async () => {
    const { store, plant } = await given();
    await store.clock.bring({ nowMs, fromMs: 0, seenMs: nowMs - 1000 });
    expect(await store.clock.read()).toEqual({ seenMs: nowMs - 1000, candidateMs: nowMs });
    await store.clock.bring({ nowMs, fromMs: nowMs - 1000, seenMs: nowMs + hour });
    expect((await store.clock.read()).seenMs).toBe(nowMs + hour);

    await store.clock.accept(nowMs, draftOf(plant.tenant.id, 'store.accept_clock', 'clock'));
    expect(await store.clock.read()).toEqual({ seenMs: nowMs, candidateMs: nowMs });
    const [last] = await store.audit.list(plant.tenant.id, { limit: 1 });
    expect(last?.action).toBe('store.accept_clock');
    await store.clock.bring({ nowMs: nowMs + 1, fromMs: nowMs + hour, seenMs: nowMs + 2 * hour });
    expect((await store.clock.read()).seenMs).toBe(nowMs);
  });

  it('tells of a look by its version', async () => {
    const { store } = await given();
    const before = await store.keys.version();
    await store.clock.note(nowMs);
    expect(await store.keys.version()).toBeGreaterThan(before);
  });
}

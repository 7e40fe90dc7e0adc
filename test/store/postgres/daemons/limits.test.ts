import { afterAll, describe, expect, it } from 'vitest';
import type { LimitCalls, LimitStore } from '../../../../src/core/port/limits.ts';
import { createLimiter, type Limiter } from '../../../../src/http/auth/limits.ts';
import { engineAt } from '../../../../src/store/open.ts';
import { storeOptions } from '../../stores.ts';
import { newDatabase, onServer } from '../databases.ts';

const limit = { requests: 10, windowSeconds: 60 };
const options = { ...storeOptions, clock: Date.now };
const closings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closings.splice(0)) await close();
});

async function storeOf(address: string): Promise<LimitStore> {
  const store = await engineAt(address, options).open();
  closings.push(async () => store.close());
  if (!store.limits) throw new Error('this engine shares no limits');
  return store.limits;
}

function limiterOf(): Limiter {
  const limiter = createLimiter('requests', limit);
  if (!limiter) throw new Error('there is a limit');
  return limiter;
}

/** The calls that would be shared next; no other daemon learns of them. */
async function unsharedOf(limiter: Limiter): Promise<readonly LimitCalls[]> {
  let unshared: readonly LimitCalls[] = [];
  await limiter.share({
    async share(_name, _limit, calls) {
      unshared = calls;
      return [];
    },
  });
  return unshared;
}

describe('limits of several daemons', () => {
  it('count what all of them have let through, each client by itself', async () => {
    const address = await newDatabase('store');
    const stores = [await storeOf(address), await storeOf(address)] as const;
    const [one, other] = [limiterOf(), limiterOf()];
    for (let n = 0; n < 6; n++) one.consume('key');
    for (let n = 0; n < 5; n++) other.consume('key');
    one.consume('another');
    await one.share(stores[0]);
    await other.share(stores[1]);
    expect(other.consume('key').allowed).toBe(false);
    expect(other.consume('another')).toMatchObject({ allowed: true });
    // The first one learns it with its own next calls.
    expect(one.consume('key').allowed).toBe(true);
    await one.share(stores[0]);
    expect(one.consume('key').allowed).toBe(false);
    expect(one.consume('another').headers.join()).toContain('"requests";r=8');
    await other.share(stores[1]);
    await one.share(stores[0]);
    expect(one.consume('another').headers.join()).toContain('"requests";r=6');
    expect(await unsharedOf(one)).toEqual([{ client: 'another', calls: 1 }]);
  });

  it('count a call that came while they were shared, and nothing twice', async () => {
    const store = await storeOf(await newDatabase('store'));
    const limiter = limiterOf();
    limiter.consume('key');
    await limiter.share({
      share(...shared) {
        limiter.consume('key');
        return store.share(...shared);
      },
    });
    expect(await unsharedOf(limiter)).toEqual([{ client: 'key', calls: 1 }]);
    await limiter.share(store);
    expect(await store.share('requests', limit, [{ client: 'key', calls: 0 }])).toMatchObject([
      { used: 2 },
    ]);
  });

  it('hold nobody longer than a window where the clock of the database was set back', async () => {
    const address = await newDatabase('store');
    const store = await storeOf(address);
    await store.share('requests', limit, [{ client: 'key', calls: 9 }]);
    await onServer(address, 'update hkctl.limit_counts set ends_at_ms = ends_at_ms + 3600000');
    const [state] = await store.share('requests', limit, [{ client: 'key', calls: 1 }]);
    expect(state?.used).toBe(10);
    expect(state?.endsInMs).toBeLessThanOrEqual(60_000);
  });

  it('begin anew when a window has ended, and take from the next ones what was beyond the limit', async () => {
    const address = await newDatabase('store');
    const store = await storeOf(address);
    await store.share('requests', limit, [
      { client: 'within', calls: 9 },
      { client: 'beyond', calls: 35 },
    ]);
    await onServer(address, 'update hkctl.limit_counts set ends_at_ms = ends_at_ms - 61000');
    const states = await store.share('requests', limit, [
      { client: 'within', calls: 1 },
      { client: 'beyond', calls: 1 },
    ]);
    expect(Object.fromEntries(states.map(({ client, used }) => [client, used]))).toEqual({
      within: 1,
      beyond: 26,
    });
    for (const { endsInMs } of states) {
      expect(endsInMs).toBeGreaterThan(50_000);
      expect(endsInMs).toBeLessThanOrEqual(60_000);
    }
  });
});

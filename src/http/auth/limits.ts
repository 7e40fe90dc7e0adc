import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../core/operations/settings.ts';

/** What a limiter said: whether the call is within the limit, and the two headers that tell the client where it stands. */
export interface Allowance {
  allowed: boolean;
  /** Seconds until the window ends: after them a call is let in again. */
  resetSeconds: number;
  /** It is the first in its window that was not allowed. */
  isFirstOver: boolean;
  headers: readonly string[];
}

/** A limit for each of many addresses: anybody can have many, so that it is a library's, bounded in memory. */
export interface AddressLimiter {
  /** Counts a call against an address, and goes on with what that came to. */
  consume<T>(address: string, next: (allowance: Allowance) => T): Promise<T>;
  /** Clients it holds in memory. */
  size(): number;
}

/** A limit for each of many keys. */
export interface KeyLimiter {
  consume(keyId: string): Allowance;
  /**
   * Counts more against a key that was let in, or nothing more; not allowed where that is beyond the limit. It counts all the
   * same: what one window cannot bear is taken from those after it.
   */
  charge(keyId: string, requests: number): Allowance;
  size(): number;
}

/** So many clients are told apart at most: under a flood of others the window that began first is forgotten. */
const capacity = 100_000;

/**
 * Builds a limiter, its headers by draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy: "requests";q=600;w=60` and
 * `RateLimit: "requests";r=599;t=60`. Undefined where the limit is off. Counts live in memory: a restart forgets them.
 */
export function createAddressLimiter(
  name: string,
  limit: RateLimit | null,
  most = capacity,
): AddressLimiter | undefined {
  if (limit === null) return undefined;
  const limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.windowSeconds });
  const policy = policyOf(name, limit);
  // In the order in which their windows began; the library alone would keep a client for as long as its window lasts.
  const known = new Set<string>();
  const remember = (client: string): void => {
    known.delete(client);
    known.add(client);
    if (known.size <= most) return;
    for (const oldest of known) {
      known.delete(oldest);
      void limiter.delete(oldest);
      break;
    }
  };
  const count = async (client: string, calls: number): Promise<RateLimiterRes> => {
    try {
      return await limiter.consume(client, calls);
    } catch (thrown) {
      // Over the limit, which is no error here.
      if (thrown instanceof RateLimiterRes) return thrown;
      throw thrown;
    }
  };
  /** Calls that wait for a promise of the library: a flood from one address is counted once for all that came together. */
  const gathering = new Map<string, { calls: number; counted: Promise<RateLimiterRes> }>();
  const gather = (client: string) => {
    const gathered = { calls: 0, counted: Promise.resolve().then(() => bring(client)) };
    gathering.set(client, gathered);
    return gathered;
  };
  const bring = async (client: string): Promise<RateLimiterRes> => {
    const calls = gathering.get(client)?.calls ?? 0;
    gathering.delete(client);
    const result = await count(client, calls);
    if (result.isFirstInDuration) remember(client);
    return result;
  };
  return {
    consume(client, next) {
      const gathered = gathering.get(client) ?? gather(client);
      const place = ++gathered.calls;
      return gathered.counted.then(({ consumedPoints, msBeforeNext }) => {
        const left = limit.requests - (consumedPoints - gathered.calls + place);
        return next(allowanceOf(name, policy, left >= 0, left === -1, left, msBeforeNext));
      });
    },
    size: () => known.size,
  };
}

/**
 * The same for keys, which only an administrator can make: a window is one entry of a map, counted without a promise, since
 * every request of every key passes here.
 */
export function createKeyLimiter(name: string, limit: RateLimit | null, most = capacity): KeyLimiter | undefined {
  if (limit === null) return undefined;
  const { requests, windowSeconds } = limit;
  const windowMs = windowSeconds * 1000;
  const policy = policyOf(name, limit);
  const windows = new Map<string, Window>();
  const open = (keyId: string, nowMs: number, before: Window | undefined): Window => {
    const begun = following(before, nowMs);
    windows.delete(keyId);
    windows.set(keyId, begun);
    if (windows.size > most) forgetOldest(windows);
    return begun;
  };
  /** A new window, or the next one of those that bear what was used beyond the limit. */
  const following = (before: Window | undefined, nowMs: number): Window => {
    if (before !== undefined && before.used > requests) {
      const passed = 1 + Math.floor((nowMs - before.endsMs) / windowMs);
      const used = before.used - passed * requests;
      if (used > 0) return { endsMs: before.endsMs + passed * windowMs, used, refused: 0 };
    }
    return { endsMs: nowMs + windowMs, used: 0, refused: 0 };
  };
  const current = (keyId: string, nowMs: number): Window => {
    const known = windows.get(keyId);
    return known !== undefined && known.endsMs > nowMs ? known : open(keyId, nowMs, known);
  };
  const toAllowance = ({ used, endsMs, refused }: Window, nowMs: number, allowed: boolean): Allowance => {
    const more = used > requests ? Math.floor((used - requests) / requests) * windowMs : 0;
    return allowanceOf(name, policy, allowed, refused === 1, Math.max(0, requests - used), endsMs - nowMs + more);
  };
  return {
    consume(keyId) {
      const nowMs = performance.now();
      const window = current(keyId, nowMs);
      const allowed = window.used < requests;
      if (allowed) window.used++;
      else window.refused++;
      return toAllowance(window, nowMs, allowed);
    },
    charge(keyId, more) {
      const nowMs = performance.now();
      const window = current(keyId, nowMs);
      window.used += more;
      return toAllowance(window, nowMs, window.used <= requests);
    },
    size: () => windows.size,
  };
}

interface Window {
  endsMs: number;
  used: number;
  refused: number;
}

function policyOf(name: string, { requests, windowSeconds }: RateLimit): string {
  return `"${name}";q=${requests};w=${windowSeconds}`;
}

function allowanceOf(
  name: string,
  policy: string,
  allowed: boolean,
  isFirstOver: boolean,
  left: number,
  msLeft: number,
): Allowance {
  const resetSeconds = Math.max(1, Math.ceil(Math.round(msLeft) / 1000));
  const state = `"${name}";r=${allowed ? left : 0};t=${resetSeconds}`;
  return { allowed, resetSeconds, isFirstOver, headers: ['RateLimit-Policy', policy, 'RateLimit', state] };
}

function forgetOldest(windows: Map<string, unknown>): void {
  for (const oldest of windows.keys()) {
    windows.delete(oldest);
    return;
  }
}

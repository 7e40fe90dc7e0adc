import type { RateLimit } from '../../core/operations/settings.ts';
import { keepNewest } from './newest-entries.ts';

/** The state of a client's limit after a call, with the two response headers that report it. */
export interface Allowance {
  allowed: boolean;
  /** Seconds until the next call is allowed or the window ends. */
  resetSeconds: number;
  /** It is the first refused call of its window. */
  isFirstOver: boolean;
  headers: readonly string[];
}

/** A limit for each of many clients, which are keys or addresses. */
export interface Limiter {
  /** Counts a call, unless it is over the limit. */
  consume(client: string): Allowance;
  /**
   * Counts `calls` more (0 is allowed) against a client whose call was admitted; not allowed where that exceeds the limit.
   * They count all the same: what one window cannot cover is taken from the windows after it.
   */
  charge(client: string, calls: number): Allowance;
  /** Number of clients in memory. */
  size(): number;
}

/** The number of clients in memory: under a flood of others the window that began first is dropped. */
const capacity = 100_000;

/**
 * Builds a limiter, its headers by draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy: "requests";q=600;w=60` and
 * `RateLimit: "requests";r=599;t=60`. Undefined where the limit is off. Counts live in memory: a restart clears them.
 * No library, since the usual ones answer with a promise, which every request would wait for, and cannot carry a charge over
 * to later windows.
 */
export function createLimiter(name: string, limit: RateLimit | null, most = capacity): Limiter | undefined {
  if (limit === null) return undefined;
  const { requests, windowSeconds } = limit;
  const windowMs = windowSeconds * 1000;
  const policy = `"${name}";q=${requests};w=${windowSeconds}`;
  /** In the order in which the windows began. */
  const windows = new Map<string, Window>();
  const open = (client: string, nowMs: number, before: Window | undefined): Window => {
    const begun = following(before, nowMs);
    windows.delete(client);
    windows.set(client, begun);
    keepNewest(windows, most);
    return begun;
  };
  /** A new window, or the next one of those that pay for what was used beyond the limit. */
  const following = (before: Window | undefined, nowMs: number): Window => {
    if (before !== undefined && before.used > requests) {
      const passed = 1 + Math.floor((nowMs - before.endsMs) / windowMs);
      const used = before.used - passed * requests;
      if (used > 0) return { endsMs: before.endsMs + passed * windowMs, used, refused: 0 };
    }
    return { endsMs: nowMs + windowMs, used: 0, refused: 0 };
  };
  const current = (client: string, nowMs: number): Window => {
    const known = windows.get(client);
    return known !== undefined && known.endsMs > nowMs ? known : open(client, nowMs, known);
  };
  const toAllowance = ({ used, endsMs, refused }: Window, nowMs: number, allowed: boolean): Allowance => {
    const furtherMs = used > requests ? Math.floor((used - requests) / requests) * windowMs : 0;
    const resetSeconds = Math.max(1, Math.ceil(Math.round(endsMs - nowMs + furtherMs) / 1000));
    const state = `"${name}";r=${Math.max(0, requests - used)};t=${resetSeconds}`;
    const headers = ['RateLimit-Policy', policy, 'RateLimit', state];
    return { allowed, resetSeconds, isFirstOver: refused === 1, headers };
  };
  return {
    consume(client) {
      const nowMs = performance.now();
      const window = current(client, nowMs);
      const allowed = window.used < requests;
      if (allowed) window.used++;
      else window.refused++;
      return toAllowance(window, nowMs, allowed);
    },
    charge(client, calls) {
      const nowMs = performance.now();
      const window = current(client, nowMs);
      window.used += calls;
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

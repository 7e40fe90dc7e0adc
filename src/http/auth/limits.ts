import { dropOldest } from '../../core/memoize.ts';
import type { ServeSettings } from '../../core/operations/settings.ts';
import type { LimitStore, RateLimit } from '../../core/port/limits.ts';

/** The state of a client's limit after a call, with the two response headers that report it. */
export interface Allowance {
  allowed: boolean;
  /** Seconds until the next call is allowed or the window ends. */
  resetSeconds: number;
  /** True for the first refused call of its window. */
  isFirstOver: boolean;
  headers: readonly string[];
}

export type Limiter = NonNullable<ReturnType<typeof createLimiter>>;

/** The limits of a daemon: of failed checks by network address, the other two by key. */
export type Limiters = Record<'failedChecks' | 'requests' | 'ingest', Limiter | undefined>;

export function createLimiters({
  limitFailedChecks,
  limitRequests,
  limitIngest,
}: ServeSettings): Limiters {
  return {
    failedChecks: createLimiter('failed-checks', limitFailedChecks),
    requests: createLimiter('requests', limitRequests),
    ingest: createLimiter('ingest', limitIngest),
  };
}

/** The number of clients in memory: under a flood of others the window that began first is dropped. */
const capacity = 100_000;

/**
 * Builds a limiter, its headers by draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy: "requests";q=600;w=60` and
 * `RateLimit: "requests";r=599;t=60`. Undefined if the limit is off. Counts live in memory: a restart clears them.
 * No library, since the usual ones answer with a promise, which every request would wait for, and cannot carry a charge over
 * to later windows.
 */
export function createLimiter(name: string, limit: RateLimit | null, maxClients = capacity) {
  if (limit === null) return undefined;
  const { requests, windowSeconds } = limit;
  const windowMs = windowSeconds * 1000;
  const policy = `"${name}";q=${requests};w=${windowSeconds}`;
  const windows = new Map<string, Window>();
  /** A new window, or the next one of those that pay for what was used beyond the limit. */
  const following = (before: Window | undefined, nowMs: number): Window => {
    if (before !== undefined && before.used > requests) {
      const passed = 1 + Math.floor((nowMs - before.endsMs) / windowMs);
      const used = before.used - passed * requests;
      if (used > 0)
        return { endsMs: before.endsMs + passed * windowMs, used, shared: used, refused: 0 };
    }
    return { endsMs: nowMs + windowMs, used: 0, shared: 0, refused: 0 };
  };
  const current = (client: string, nowMs: number): Window => {
    const currentWindow = windows.get(client);
    if (currentWindow !== undefined && currentWindow.endsMs > nowMs) return currentWindow;
    const nextWindow = following(currentWindow, nowMs);
    windows.delete(client);
    windows.set(client, nextWindow);
    dropOldest(windows, maxClients);
    return nextWindow;
  };
  const toAllowance = (
    { used, endsMs, refused }: Window,
    nowMs: number,
    allowed: boolean,
  ): Allowance => {
    const furtherMs = used > requests ? Math.floor((used - requests) / requests) * windowMs : 0;
    const resetSeconds = Math.max(1, Math.ceil(Math.round(endsMs - nowMs + furtherMs) / 1000));
    const state = `"${name}";r=${Math.max(0, requests - used)};t=${resetSeconds}`;
    const headers = ['RateLimit-Policy', policy, 'RateLimit', state];
    return { allowed, resetSeconds, isFirstOver: refused === 1, headers };
  };
  return {
    /** Counts a call at a time of `performance.now()`. */
    consume(client: string, nowMs = performance.now()): Allowance {
      const window = current(client, nowMs);
      const allowed = window.used < requests;
      if (allowed) window.used++;
      else window.refused++;
      return toAllowance(window, nowMs, allowed);
    },
    /**
     * Counts `calls` more (0 is allowed) against a client whose call was admitted; not allowed if that exceeds the limit.
     * They count all the same: what one window cannot cover is taken from the windows after it.
     */
    charge(client: string, calls: number): Allowance {
      const nowMs = performance.now();
      const window = current(client, nowMs);
      window.used += calls;
      return toAllowance(window, nowMs, window.used <= requests);
    },
    size: () => windows.size,
    /** Gives what was counted to the other daemons, and takes over what all of them counted. */
    async share(store: LimitStore): Promise<void> {
      const sent = new Map<string, { window: Window; used: number }>();
      for (const [client, window] of windows) {
        if (window.used > window.shared) sent.set(client, { window, used: window.used });
      }
      if (sent.size === 0) return;
      const calls = [...sent].map(([client, { window, used }]) => ({
        client,
        calls: used - window.shared,
      }));
      const states = await store.share(name, limit, calls);
      const nowMs = performance.now();
      for (const { client, used, endsInMs } of states) {
        const sentCount = sent.get(client);
        // A window that began meanwhile is shared the next time.
        if (sentCount === undefined || windows.get(client) !== sentCount.window) continue;
        sentCount.window.used += used - sentCount.used;
        sentCount.window.shared = used;
        sentCount.window.endsMs = nowMs + endsInMs;
      }
    },
  };
}

interface Window {
  endsMs: number;
  used: number;
  /** How many of those the other daemons know of. */
  shared: number;
  refused: number;
}

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

/** The number of clients in memory: beyond it the window that began first is dropped. */
const defaultMaxClients = 100_000;

/**
 * Builds a limiter, its headers by draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy: "requests";q=600;w=60` and
 * `RateLimit: "requests";r=599;t=60`. Undefined if the limit is off. Counts live in memory: a restart clears them.
 * No library, since the usual ones answer with a promise, which every request would wait for, and cannot carry a charge over
 * to later windows.
 */
export function createLimiter(
  policyName: string,
  limit: RateLimit | null,
  maxClients = defaultMaxClients,
) {
  if (limit === null) return undefined;
  const { requests, windowSeconds } = limit;
  const windowMs = windowSeconds * 1000;
  const policy = `"${policyName}";q=${requests};w=${windowSeconds}`;
  const windows = new Map<string, Window>();

  /** The next window; calls beyond the limit of the previous one are charged to the windows after it. */
  const windowAfter = (previous: Window | undefined, nowMs: number): Window => {
    const isOverLimit = previous !== undefined && previous.used > requests;
    if (!isOverLimit) return newWindow(nowMs + windowMs);

    const passedWindows = 1 + Math.floor((nowMs - previous.endsMs) / windowMs);
    const carriedOver = previous.used - passedWindows * requests;
    return carriedOver > 0
      ? newWindow(previous.endsMs + passedWindows * windowMs, carriedOver)
      : newWindow(nowMs + windowMs);
  };

  const currentOf = (client: string, nowMs: number): Window => {
    const currentWindow = windows.get(client);
    if (currentWindow !== undefined && currentWindow.endsMs > nowMs) return currentWindow;

    const nextWindow = windowAfter(currentWindow, nowMs);
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
    const carriedOverMs = used > requests ? Math.floor((used - requests) / requests) * windowMs : 0;
    const resetMs = Math.round(endsMs - nowMs + carriedOverMs);
    const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));

    const rateLimit = `"${policyName}";r=${Math.max(0, requests - used)};t=${resetSeconds}`;
    const headers = ['RateLimit-Policy', policy, 'RateLimit', rateLimit];
    return { allowed, resetSeconds, isFirstOver: refused === 1, headers };
  };

  return {
    /** Counts a call at a time of `performance.now()`. */
    consume(client: string, nowMs = performance.now()): Allowance {
      const window = currentOf(client, nowMs);
      const allowed = window.used < requests;
      if (allowed) window.used++;
      else window.refused++;
      return toAllowance(window, nowMs, allowed);
    },

    /**
     * Counts `calls` more (0 is allowed) against a client whose call was admitted; not allowed if that exceeds the limit.
     * They count all the same: calls that one window cannot cover are taken from the windows after it.
     */
    charge(client: string, calls: number): Allowance {
      const nowMs = performance.now();
      const window = currentOf(client, nowMs);
      window.used += calls;
      return toAllowance(window, nowMs, window.used <= requests);
    },

    size: () => windows.size,

    /** Gives the counts to the other daemons, and takes over the sums of all of them. */
    async share(store: LimitStore): Promise<void> {
      const sentWindows = new Map<string, { window: Window; used: number }>();
      for (const [client, window] of windows) {
        if (window.used > window.shared) sentWindows.set(client, { window, used: window.used });
      }
      if (sentWindows.size === 0) return;

      const callCounts = [...sentWindows].map(([client, { window, used }]) => ({
        client,
        calls: used - window.shared,
      }));
      const sharedStates = await store.share(policyName, limit, callCounts);
      const nowMs = performance.now();

      for (const { client, used, endsInMs } of sharedStates) {
        const sentWindow = sentWindows.get(client);
        // A window that began meanwhile is shared the next time.
        if (sentWindow === undefined || windows.get(client) !== sentWindow.window) continue;
        sentWindow.window.used += used - sentWindow.used;
        sentWindow.window.shared = used;
        sentWindow.window.endsMs = nowMs + endsInMs;
      }
    },
  };
}

interface Window {
  endsMs: number;
  used: number;
  /** The part of `used` that the other daemons know of. */
  shared: number;
  refused: number;
}

function newWindow(endsMs: number, used = 0): Window {
  return { endsMs, used, shared: used, refused: 0 };
}

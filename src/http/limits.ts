import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../core/settings.ts';

/** What a limiter said: whether the call is within the limit, and the two headers that tell the client where it stands. */
export interface Allowance {
  allowed: boolean;
  /** Seconds until the window ends: after them a call is let in again. */
  resetSeconds: number;
  headers: readonly string[];
}

/** A limit of calls in a window for each of many clients. */
export interface Limiter {
  consume(client: string): Promise<Allowance>;
  /** Clients it holds in memory. */
  size(): number;
}

/** So many clients are told apart at most: under a flood of others the window that began first is forgotten. */
const capacity = 100_000;

/**
 * Builds a limiter, its headers by draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy: "requests";q=600;w=60` and
 * `RateLimit: "requests";r=599;t=60`. Undefined where the limit is off. Counts live in memory: a restart forgets them.
 */
export function createLimiter(name: string, limit: RateLimit | null, most = capacity): Limiter | undefined {
  if (limit === null) return undefined;
  const limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.windowSeconds });
  const policy = `"${name}";q=${limit.requests};w=${limit.windowSeconds}`;
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
  const toAllowance = (allowed: boolean, result: RateLimiterRes, client: string): Allowance => {
    if (result.isFirstInDuration) remember(client);
    const resetSeconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
    const state = `"${name}";r=${allowed ? result.remainingPoints : 0};t=${resetSeconds}`;
    return { allowed, resetSeconds, headers: ['RateLimit-Policy', policy, 'RateLimit', state] };
  };
  return {
    consume: (client) =>
      limiter.consume(client).then(
        (result) => toAllowance(true, result, client),
        (thrown: unknown) => {
          if (thrown instanceof RateLimiterRes) return toAllowance(false, thrown, client);
          throw thrown;
        },
      ),
    size: () => known.size,
  };
}

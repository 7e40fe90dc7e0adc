import type { Exchange } from './exchange.ts';
import type { Answer } from './response.ts';

/** Which pages of other origins may call: none unless `--cors-origin` names them. Credentials of browsers never go along. */
export interface Cors {
  readonly isOn: boolean;
  /** Puts the headers for an allowed origin on whatever the answer will be. */
  note(exchange: Exchange): void;
  /** The answer to a preflight; undefined where it is none, or from a page that may not call. */
  preflight(exchange: Exchange, allowed: readonly string[]): Answer | undefined;
}

const exposed = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, WWW-Authenticate';

export function createCors(origins: readonly string[]): Cors {
  const known = new Set(origins);
  const originOf = (exchange: Exchange): string | undefined => {
    const origin = exchange.header('origin');
    return origin !== undefined && known.has(origin) ? origin : undefined;
  };
  return {
    isOn: known.size > 0,
    note(exchange) {
      exchange.responseHeaders.push('Vary', 'Origin');
      const origin = originOf(exchange);
      if (origin === undefined) return;
      exchange.responseHeaders.push('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed);
    },
    preflight(exchange, allowed) {
      if (exchange.method !== 'OPTIONS' || originOf(exchange) === undefined) return undefined;
      if (exchange.header('access-control-request-method') === undefined) return undefined;
      const headers = [
        'Access-Control-Allow-Methods',
        allowed.join(', '),
        'Access-Control-Allow-Headers',
        'Authorization, Content-Type, Content-Encoding, If-None-Match',
        'Access-Control-Max-Age',
        '600',
      ];
      return { status: 204, headers, body: null };
    },
  };
}

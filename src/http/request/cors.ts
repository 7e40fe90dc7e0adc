import type { Answer } from '../answers/answer.ts';
import type { Exchange } from './exchange.ts';

/** Which web pages of other origins may call: only those of `--cors-origin`. Browsers never send cookies along. */
export interface Cors {
  readonly isOn: boolean;
  /** Adds the headers for an allowed origin to the answer, whatever it will be. */
  addHeaders(exchange: Exchange): void;
  /** The answer to a preflight request; undefined for any other request or origin. */
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
    addHeaders(exchange) {
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

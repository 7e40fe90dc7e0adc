import type { Answer } from '../answers/answer.ts';
import type { Exchange } from './exchange.ts';

const exposedHeaders =
  'ETag, Hkctl-Key-Expires, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, WWW-Authenticate';

/** Which web pages of other origins may call: only those of `--cors-origin`. Browsers never send cookies along. */
export function createCors(origins: readonly string[]) {
  const allowedOrigins = new Set(origins);
  const originOf = (exchange: Exchange): string | undefined => {
    const origin = exchange.header('origin');
    return origin !== undefined && allowedOrigins.has(origin) ? origin : undefined;
  };
  return {
    isOn: allowedOrigins.size > 0,
    /** Adds the headers for an allowed origin to the answer, whatever it will be. */
    addHeaders(exchange: Exchange): void {
      exchange.responseHeaders.push('Vary', 'Origin');
      const origin = originOf(exchange);
      if (origin === undefined) return;
      exchange.responseHeaders.push(
        'Access-Control-Allow-Origin',
        origin,
        'Access-Control-Expose-Headers',
        exposedHeaders,
      );
    },
    /** The answer to a preflight request; undefined for any other request or origin. */
    preflight(exchange: Exchange, allowedMethods: readonly string[]): Answer | undefined {
      if (exchange.method !== 'OPTIONS' || originOf(exchange) === undefined) return undefined;
      if (exchange.header('access-control-request-method') === undefined) return undefined;
      const headers = [
        'Access-Control-Allow-Methods',
        allowedMethods.join(', '),
        'Access-Control-Allow-Headers',
        'Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match',
        'Access-Control-Max-Age',
        '600',
      ];
      return { status: 204, headers, body: null };
    },
  };
}

export type Cors = ReturnType<typeof createCors>;

import { hash } from 'node:crypto';
import { memoizeBy } from '../../core/memoize.ts';
import type { Answer } from '../answers/answer.ts';
import type { Exchange } from './exchange.ts';
import { type Representation, represent, toRepresentation } from './representation.ts';

/** Serves a file of a page; its text is read at the first request and kept. */
type ServePageFile = (
  exchange: Exchange,
  name: string,
  type: string,
  readText: () => string,
) => Promise<Answer>;

/**
 * Builds the way in which files of pages are served: with an entity tag, and with a policy that
 * allows nothing but files of this daemon. `policy` adds what one page needs.
 */
export function createPageFiles(policy: string): ServePageFile {
  const headers = pageHeaders(policy);
  const cached = memoizeBy<Representation>();

  return async (exchange, name, type, readText) => {
    const representation = cached(name, () => {
      const fileText = readText();
      const tag = hash('sha256', fileText, 'base64url').slice(0, 22);
      return toRepresentation(fileText, { type, tag, headers, vary: 'Accept-Encoding' });
    });
    return { ...(await represent(exchange, representation, 'public, no-cache')), page: true };
  };
}

function pageHeaders(policy: string): readonly string[] {
  const contentSecurityPolicy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    policy,
  ].join('; ');

  return [
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    contentSecurityPolicy,
    'Referrer-Policy',
    'no-referrer',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Cross-Origin-Resource-Policy',
    'same-origin',
    'Permissions-Policy',
    'camera=(), geolocation=(), microphone=()',
  ];
}

import { HkctlError } from '../core/errors.ts';
import type { QueryParameters } from '../core/pages.ts';

/** Splits a query into names and values, decoded. Throws `bad_parameter` where the encoding is broken. */
export function parseQuery(query: string): QueryParameters {
  if (query === '') return [];
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const cut = part.indexOf('=');
      return cut === -1 ? [decode(part), ''] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    });
}

/** Writes a query with one parameter set to another value, the others as they were. */
export function withParameter(query: string, name: string, value: string): string {
  const others = query.split('&').filter((part) => part !== '' && !part.startsWith(`${name}=`));
  return [...others, `${name}=${encodeURIComponent(value)}`].join('&');
}

/** Whether something shaped like a secret, or too much of one, stands in a query, escaped or not. */
export function holdsSecret(query: string): boolean {
  if (query.length < shortest) return false;
  if (secretShape.test(query)) return true;
  if (!query.includes('%')) return false;
  return secretShape.test(
    query.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

/** Longer than any prefix and than what a part number might happen to look like. */
const secretShape = /hk_[0-9A-Za-z]{24}/;
const shortest = 27;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (thrown) {
    if (thrown instanceof URIError) throw new HkctlError('bad_parameter', 'The query is not percent-encoded UTF-8.');
    throw thrown;
  }
}

import { HkctlError } from '../../core/errors.ts';
import type { QueryParameters } from '../../core/records/parameters.ts';

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
  const others = query.split('&').filter((part) => part !== '' && decode(part.split('=', 1)[0] ?? '') !== name);
  return [...others, `${name}=${encodeURIComponent(value)}`].join('&');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (thrown) {
    if (thrown instanceof URIError)
      throw new HkctlError(
        'bad_parameter',
        'The query is not percent-encoded UTF-8: encode what is no letter or digit as %XX.',
      );
    throw thrown;
  }
}

import { HkctlError } from '../../core/errors.ts';
import { type QueryParameters, requireKnown } from '../../core/records/parameters.ts';

/** Throws `bad_parameter` if a request has query parameters and its path knows none. */
export function requireNoQuery(query: string): void {
  if (query !== '') requireKnown(parseQuery(query), noParameters);
}

const noParameters = new Map<string, unknown>();

/** No path has half as many. */
const mostParameters = 200;

/**
 * Splits a query into decoded names and values. Throws `bad_parameter` if the encoding is broken, or for more than 200
 * parameters.
 */
export function parseQuery(query: string): QueryParameters {
  if (query === '') return [];
  const parts = query.split('&', mostParameters + 1);
  if (parts.length > mostParameters)
    throw new HkctlError('bad_parameter', `A query has at most ${mostParameters} parameters.`);

  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const cut = part.indexOf('=');
      return cut === -1
        ? [decode(part), '']
        : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    });
}

/** Sets one parameter of a query and leaves the others unchanged. */
export function withParameter(query: string, name: string, value: string): string {
  const others = query
    .split('&')
    .filter((part) => part !== '' && decode(part.split('=', 1)[0] ?? '') !== name);
  return [...others, `${name}=${encodeURIComponent(value)}`].join('&');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (thrown) {
    if (thrown instanceof URIError)
      throw new HkctlError(
        'bad_parameter',
        'The query is not percent-encoded UTF-8: encode every character that is not a letter or digit as %XX.',
      );
    throw thrown;
  }
}

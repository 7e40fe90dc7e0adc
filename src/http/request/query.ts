import { HkctlError } from '../../core/errors.ts';
import { type QueryParameters, requireKnown } from '../../core/records/parameters.ts';

/** Throws `bad_parameter` if a request has query parameters and its path knows none. */
export function requireNoQuery(query: string): void {
  if (query !== '') requireKnown(parseQuery(query), noParameters);
}

const noParameters = new Map<string, unknown>();

/** Twice as many as any path has. */
const maxParameters = 200;

/**
 * Splits a query into decoded names and values. Throws `bad_parameter` if the encoding is broken, or for more than 200
 * parameters.
 */
export function parseQuery(query: string): QueryParameters {
  if (query === '') return [];
  const parts = query.split('&', maxParameters + 1);
  if (parts.length > maxParameters)
    throw new HkctlError('bad_parameter', `A query has at most ${maxParameters} parameters.`);

  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const equalsIndex = part.indexOf('=');
      if (equalsIndex === -1) return [decode(part), ''];
      return [decode(part.slice(0, equalsIndex)), decode(part.slice(equalsIndex + 1))];
    });
}

/** Sets one parameter of a query and leaves the others unchanged. */
export function withParameter(query: string, name: string, parameterValue: string): string {
  const nameOf = (part: string) => decode(part.split('=', 1)[0] ?? '');
  const otherParts = query.split('&').filter((part) => part !== '' && nameOf(part) !== name);
  return [...otherParts, `${name}=${encodeURIComponent(parameterValue)}`].join('&');
}

function decode(encodedText: string): string {
  try {
    return decodeURIComponent(encodedText.replaceAll('+', ' '));
  } catch (thrown) {
    if (thrown instanceof URIError)
      throw new HkctlError(
        'bad_parameter',
        'The query is not percent-encoded UTF-8: encode every character that is not a letter or digit as %XX.',
      );
    throw thrown;
  }
}

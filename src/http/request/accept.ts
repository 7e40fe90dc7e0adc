import Negotiator from 'negotiator';
import { wordList } from '../../core/text/words.ts';
import { ApiError } from '../answers/problem.ts';

export type Coding = 'br' | 'gzip';

/** Browsers send a tenth of this; a longer list is weighed before any limit of a key. */
const maxMembers = 100;
const maxCharacters = 4096;

/** Throws `bad_parameter` if a header that holds a list is longer than a client needs. */
export function requireShortList(headerName: string, headerValue: string): void {
  const isTooLong = headerValue.length > maxCharacters;
  if (!isTooLong && headerValue.split(',', maxMembers + 1).length <= maxMembers) return;

  throw new ApiError(
    'bad_parameter',
    `${headerName} has at most ${maxMembers} members and ${maxCharacters} characters: name only those that you need.`,
  );
}

/**
 * The coding to answer with (RFC 9110, section 12.5.3): brotli before gzip if both have the same weight. Throws
 * `bad_parameter` for a header that is too long.
 */
export function codingFor(accepted: string | undefined): Coding | undefined {
  if (accepted === undefined || accepted === '') return undefined;
  requireShortList('Accept-Encoding', accepted);
  const negotiator: WithPreferred = new Negotiator({ headers: { 'accept-encoding': accepted } });
  const coding = negotiator.encoding(codings, preferenceOption);
  if (coding === 'br') return 'br';
  return coding === 'gzip' || coding === 'x-gzip' ? 'gzip' : undefined;
}

/** The codings that a client may accept, with the older name of gzip (RFC 9110, section 8.4.1.3). */
const codings = ['br', 'gzip', 'x-gzip', 'identity'];
/** The second argument is missing from the package's types. */
interface WithPreferred {
  encoding(available: string[], options: { preferred: string[] }): string | undefined;
}
const preferenceOption = { preferred: codings };

/**
 * The media type to answer with (RFC 9110, section 12.5.1), the first of `offers` if the client has no preference. Throws
 * `not_acceptable` if it accepts none of them, `bad_parameter` for a header that is too long.
 */
export function mediaTypeFor<T extends string>(
  accepted: string | undefined,
  offers: readonly [T, ...T[]],
): T {
  if (accepted === undefined || accepted === '*/*' || accepted === offers[0]) return offers[0];
  requireShortList('Accept', accepted);
  const accept = accepted
    .replace(parameters, '')
    .replace(/application\/ndjson/gi, 'application/x-ndjson');
  const chosen = new Negotiator({ headers: { accept } }).mediaType([...offers]);
  const acceptedType = offers.find((offer) => offer === chosen);
  if (acceptedType === undefined) {
    throw new ApiError(
      'not_acceptable',
      `Accept names no type of this answer; accept ${wordList(offers, 'or')}.`,
    );
  }
  return acceptedType;
}

/** Parameters other than the weight, such as `charset=utf-8`: our types have none, so that a type with any of them means ours. */
const parameters = /;(?!\s*q=)[^;,]*/gi;

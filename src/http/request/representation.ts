import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { wordList } from '../../core/text/words.ts';
import type { Answer } from '../answers/answer.ts';
import { ApiError } from '../answers/problem.ts';
import type { Exchange } from './exchange.ts';

/** A finished body with its validator, and its compressed forms once a client asked for them. */
export interface Representation {
  body: Buffer;
  type: string;
  /** Without quotes; each coding appends its name, so that it has a strong validator of its own. */
  tag: string;
  headers: readonly string[];
  /** The request headers on which the answer depends. */
  vary: string;
  codings: Map<Coding, Promise<Buffer>>;
  /** Schedules the compression: at once, unless the body is so large that other requests would wait for it. */
  whenToCode: <T>(code: () => Promise<T>) => Promise<T>;
}

/** Below this length in bytes, compression saves no packet. */
const minCodingBytes = 1200;

/** Builds a representation; its tag defaults to a hash of the body. */
export function toRepresentation(
  content: string | Buffer,
  options: Partial<Omit<Representation, 'body'>> = {},
): Representation {
  const body = typeof content === 'string' ? unpooled(content) : content;
  const vary = options.vary ?? 'Authorization';
  const isVaryComplete = body.length < minCodingBytes || vary === 'Accept-Encoding';
  return {
    body,
    type: contentTypeOf(options.type ?? 'application/json'),
    tag: options.tag ?? hash('sha256', body, 'base64url').slice(0, 22),
    headers: options.headers ?? [],
    vary: isVaryComplete ? vary : `${vary}, Accept-Encoding`,
    codings: new Map(),
    whenToCode: options.whenToCode ?? ((code) => code()),
  };
}

/** CSV names its encoding, since spreadsheet programs guess another one (RFC 7111, section 5.1). */
function contentTypeOf(mediaType: string): string {
  return mediaType === 'text/csv' ? 'text/csv; charset=utf-8' : mediaType;
}

/** Answers with a representation: 304 if the client has it already, compressed if the client accepts that. */
export function represent(
  exchange: Exchange,
  representation: Representation,
  cache = 'private, no-cache',
) {
  const { body, tag } = representation;
  const coding =
    body.length < minCodingBytes ? undefined : codingFor(exchange.header('accept-encoding'));
  const etag = coding === undefined ? `"${tag}"` : `"${tag}-${coding}"`;
  const headers = [
    'ETag',
    etag,
    'Cache-Control',
    cache,
    'Vary',
    representation.vary,
    ...representation.headers,
  ];

  const clientTags = exchange.header('if-none-match');
  if (clientTags !== undefined && isKnown(clientTags, tag))
    return { status: 304, headers, body: null };

  headers.push('Content-Type', representation.type);
  if (coding === undefined) return { status: 200, headers, body };
  return encode(representation, coding, headers);
}

async function encode(
  representation: Representation,
  coding: Coding,
  headers: string[],
): Promise<Answer> {
  let encoded = representation.codings.get(coding);
  if (encoded === undefined) {
    encoded = representation.whenToCode(() => compress[coding](representation.body));
    representation.codings.set(coding, encoded);
  }
  try {
    const body = await encoded;
    headers.push('Content-Encoding', coding);
    return { status: 200, headers, body };
  } catch (thrown) {
    // The next request may find enough memory again.
    representation.codings.delete(coding);
    throw thrown;
  }
}

/** Compresses off the main thread. */
const compress: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  gzip: (body) => promisify(gzip)(body, { level: 5 }),
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
};

/** Weak comparison (RFC 9110, section 13.1.2) against every coding of one body: they differ in bytes and not in meaning. */
function isKnown(clientTags: string, tag: string): boolean {
  return (
    clientTags === '*' ||
    ['', '-br', '-gzip'].some((coding) => clientTags.includes(`"${tag}${coding}"`))
  );
}

/**
 * The error `precondition_failed` if `If-Match` names no strong validator of the answer (RFC 9110, section 13.1.1). It comes
 * before a 304 (section 13.2.2). `If-Unmodified-Since` is ignored, since nothing here has a date of modification (section
 * 13.1.4). Throws `bad_parameter` if the header is too long.
 */
export function preconditionFault(exchange: Exchange, answer: Answer): ApiError | undefined {
  const ifMatch = exchange.header('if-match');
  if (ifMatch === undefined || answer.status >= 400 || ifMatch.trim() === '*') return undefined;
  requireShortList('If-Match', ifMatch);
  const etag = answer.headers[answer.headers.indexOf('ETag') + 1];
  const isStrong = answer.headers.includes('ETag') && etag?.startsWith('"');
  const isMatch = isStrong && ifMatch.match(/(?:W\/)?"[^"]*"/g)?.includes(etag ?? '');
  return isMatch ? undefined : tagMismatch;
}

/** Throws `precondition_failed` for any `If-Match` of a request that writes: its path has no representation to match. */
export function requireNoPrecondition(exchange: Exchange): void {
  if (exchange.header('if-match') !== undefined) throw nothingToMatch;
}

const tagMismatch = new ApiError(
  'precondition_failed',
  'If-Match names no ETag of this answer. Read it without If-Match.',
);
const nothingToMatch = new ApiError(
  'precondition_failed',
  'If-Match cannot match here: this path has nothing to read. Send the request without it.',
);

/** Bytes outside of Node's pool: a small page that is kept would hold a whole slab of it, 64 KiB on Node 24. */
function unpooled(text: string): Buffer {
  const textBytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  textBytes.write(text);
  return textBytes;
}

/** Keeps finished pages up to a number of bytes and drops the least recently used one first. */
export class PageCache {
  readonly #pages: LRUCache<string, { counter: number; page: Representation }>;

  constructor(maxBytes: number) {
    this.#pages = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes / 8),
      // Both compressed forms together are smaller than the body. The key counts too, since clients choose it.
      sizeCalculation: ({ page }, key) => page.body.length * 2 + key.length * 2 + 500,
    });
  }

  /** The page that was put under the same change counter; one of another is dropped. */
  get(key: string, counter: number): Representation | undefined {
    const cachedPage = this.#pages.get(key);
    if (cachedPage === undefined || cachedPage.counter === counter) return cachedPage?.page;
    this.#pages.delete(key);
    return undefined;
  }

  put(key: string, counter: number, page: Representation): void {
    this.#pages.set(key, { counter, page });
  }
}

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

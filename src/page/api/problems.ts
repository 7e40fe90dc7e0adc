/** Errors of the API as sentences for people who are no programmers. */

/** An answer that is no success: the API's code, or `unreachable` if there was no answer. */
export class Problem extends Error {
  override name = 'Problem';

  constructor(
    readonly code: string,
    /** Seconds after which another try makes sense, if the daemon said so. */
    readonly retryAfterSeconds: number | undefined,
    sentence: string,
  ) {
    super(sentence);
  }

  /** Whether the key itself no longer works, so that the page must forget it. */
  get endsSession(): boolean {
    return keyEndings.has(this.code);
  }
}

const keyEndings: ReadonlySet<string> = new Set([
  'missing_authorization',
  'malformed_authorization',
  'incomplete_secret',
  'unknown_key',
  'key_revoked',
  'key_expired',
  'creator_inactive',
  'entity_missing',
  'entity_inactive',
  'address_not_allowed',
]);

const sentences: ReadonlyMap<string, string> = new Map(
  Object.entries({
    missing_authorization: 'Paste a key first.',
    malformed_authorization: 'This is not an API key. A key begins with hk_ and has 52 characters.',
    incomplete_secret: 'This key is incomplete. Copy it again: it has 52 characters.',
    unknown_key: 'This key is not known here. Check that it belongs to this site.',
    key_revoked: 'This key was revoked. Ask the administrator for a new one.',
    key_expired: 'This key has expired. Ask the administrator for a new one.',
    creator_inactive: 'This key is refused: the person who created it is no longer active.',
    entity_missing: 'This key is refused: its site no longer exists.',
    entity_inactive: 'This key is refused: its site is not active.',
    address_not_allowed: 'This key may not be used from this computer or network.',
    permission_required: 'This key may not read this.',
    too_many_requests: 'This key has sent too many requests. The page tries again soon.',
    too_many_failed_checks: 'Too many wrong keys came from here. Try again in a minute.',
    unavailable: 'The server is busy or its disk is full. The page tries again soon.',
    unreachable: 'The server does not answer. The page tries again by itself.',
  }),
);

/** The fault in the form of a pasted key; `undefined` if the form is right. */
export function keyFault(keyText: string): string | undefined {
  if (/^hk_[0-9A-Za-z]{49}$/.test(keyText)) return undefined;
  const isBeginning = /^hk_[0-9A-Za-z]{0,48}$/.test(keyText);
  return sentences.get(isBeginning ? 'incomplete_secret' : 'malformed_authorization');
}

export function isProblem(thrown: unknown): thrown is Problem {
  return thrown instanceof Problem;
}

/** The problem of an answer; its detail is the API's own if there is no better sentence. */
export async function problemOf(response: Response): Promise<Problem> {
  const document: unknown = await response.json().catch(() => undefined);
  const code = textMember(document, 'code') ?? `http_${response.status}`;
  const detail = textMember(document, 'detail') ?? `The server answered ${response.status}.`;

  return new Problem(code, retryAfterOf(response.headers), sentences.get(code) ?? detail);
}

/** Seconds of `Retry-After`, which is a number or, from a proxy, a date (RFC 9110, 10.2.3). */
function retryAfterOf(headers: Headers): number | undefined {
  const headerText = headers.get('Retry-After');
  if (headerText === null) return undefined;

  const seconds = /^\d+$/.test(headerText)
    ? Number(headerText)
    : (Date.parse(headerText) - Date.parse(headers.get('Date') ?? '')) / 1000;
  return Number.isFinite(seconds) ? Math.min(seconds, longestPauseSeconds) : undefined;
}

const longestPauseSeconds = 3600;

/** The problem of a request that got no answer. */
export function serverUnreachable(): Problem {
  return new Problem('unreachable', undefined, sentences.get('unreachable') ?? '');
}

function textMember(document: unknown, name: string): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const value: unknown = Reflect.get(document, name);
  return typeof value === 'string' ? value : undefined;
}

/** Errors of the API as sentences for people who are no programmers. */

import { refusalCodes, refusals } from '../../core/keys/refusals.ts';

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

/** Every refusal but one: a key without a permission may read something else. */
const keyEndings: ReadonlySet<string> = new Set(
  refusalCodes.filter((code) => code !== 'permission_required'),
);

const sentences: ReadonlyMap<string, string> = new Map([
  ...refusalCodes.map((code) => [code, refusals[code].onPage] as const),
  ['too_many_requests', 'This key has sent too many requests. The page tries again soon.'],
  ['too_many_failed_checks', 'Too many wrong keys came from here. The page tries again soon.'],
  ['unavailable', 'The server is busy or its disk is full. The page tries again soon.'],
  ['unreachable', 'The server does not answer. The page tries again by itself.'],
]);

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

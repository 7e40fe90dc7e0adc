import { type ErrorCode, errorTable, HkctlError, isHkctlError } from '../../core/errors.ts';
import { redactSecrets } from '../../core/keys/secrets.ts';
import type { Answer } from './response.ts';

/** The codes that the API answers with (contract, section 6). */
export const apiCodes = [
  'bad_parameter',
  'bad_json',
  'key_in_query',
  'missing_authorization',
  'malformed_authorization',
  'incomplete_secret',
  'unknown_key',
  'key_revoked',
  'key_expired',
  'creator_inactive',
  'entity_missing',
  'entity_inactive',
  'permission_required',
  'not_found',
  'method_not_allowed',
  'too_large',
  'unsupported_media_type',
  'invalid_body',
  'too_many_failed_checks',
  'too_many_requests',
  'too_many_ingest_requests',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

export type ApiCode = (typeof apiCodes)[number];

/** A problem document but for the id of its request, which stands between `start` and `end`. */
export interface ProblemForm {
  code: ApiCode;
  status: number;
  headers: readonly string[];
  start: string;
  end: string;
  isAscii: boolean;
}

/** An error of the API with the headers that go with it, and members of the problem document beside the usual ones. */
export class ApiError extends HkctlError {
  readonly headers: readonly string[];
  readonly members: Readonly<Record<string, unknown>> | undefined;
  #form: ProblemForm | undefined;

  constructor(
    code: ApiCode,
    message: string,
    options: { headers?: readonly string[]; members?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    // Nobody reads where a client's mistake was found, and a flood of them would pay for it each time.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code, message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.headers = options.headers ?? [];
    this.members = options.members;
  }

  /** Its document, made once: some errors are given again and again. */
  form(): ProblemForm {
    this.#form ??= toForm(this);
    return this.#form;
  }
}

/** Seconds after which it is worth trying again where nothing better is known. */
const retrySeconds = 5;

/** Turns whatever was thrown into a problem document (RFC 9457); what is not ours is `internal` and tells nothing. */
export function toProblem(thrown: unknown, requestId: string): Answer & { code: ApiCode } {
  const { code, status, headers, start, end, isAscii } = thrown instanceof ApiError ? thrown.form() : toForm(thrown);
  const body = start + requestId + end;
  return isAscii ? { status, headers, body, code, length: body.length, isAscii } : { status, headers, body, code };
}

function toForm(thrown: unknown): ProblemForm {
  const code = codeOf(thrown);
  const { status, title } = errorTable[code];
  const headers = ['Content-Type', 'application/problem+json', 'Cache-Control', 'no-store'];
  if (thrown instanceof ApiError) headers.push(...thrown.headers);
  const mayRetry = status === 503 || status === 429;
  if (mayRetry && !headers.includes('Retry-After')) headers.push('Retry-After', String(retrySeconds));
  const usual = { type: `urn:hkctl:problem:${code}`, title, status, detail: detailOf(thrown, code), code };
  const start = `${JSON.stringify(usual).slice(0, -1)},"request_id":"`;
  const end = `"${membersOf(thrown)}}`;
  const isAscii = Buffer.byteLength(start + end) === start.length + end.length;
  return { code, status, headers, start, end, isAscii };
}

/** Further members of the document, each after a comma. */
function membersOf(thrown: unknown): string {
  if (!(thrown instanceof ApiError) || thrown.members === undefined) return '';
  return `,${JSON.stringify(thrown.members).slice(1, -1)}`;
}

const knownCodes: ReadonlySet<string> = new Set(apiCodes);

function isApiCode(code: ErrorCode): code is ApiCode {
  return knownCodes.has(code);
}

function codeOf(thrown: unknown): ApiCode {
  if (!isHkctlError(thrown)) return 'internal';
  if (isApiCode(thrown.code)) return thrown.code;
  // A store that is full, locked or gone is nothing that the client did, and may pass.
  return errorTable[thrown.code].status === 503 ? 'unavailable' : 'internal';
}

function detailOf(thrown: unknown, code: ApiCode): string {
  if (code === 'internal') return 'Something went wrong here. Tell the operator the request_id.';
  // Some messages quote what was sent, such as a type or an encoding.
  if (isHkctlError(thrown) && thrown.code === code) return redactSecrets(thrown.message);
  return 'The service cannot answer at the moment. Try again later.';
}

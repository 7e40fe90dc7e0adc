import { STATUS_CODES } from 'node:http';
import { apiErrors, errorTable, HkctlError, isHkctlError } from '../../core/errors.ts';
import { redactSecrets } from '../../core/secrets.ts';
import type { Answer } from './answer.ts';

export type ApiCode = keyof typeof apiErrors;

/** The error codes of the API (promise 6.3). */
export const apiCodes = Object.keys(apiErrors) as ApiCode[]; // they are all of them

export function codesOf(status: number): ApiCode[] {
  return apiCodes.filter((code) => apiErrors[code].status === status);
}

/** A problem document without the id of its request, which goes between `start` and `end`. */
interface ProblemTemplate {
  code: ApiCode;
  status: number;
  headers: readonly string[];
  start: string;
  end: string;
  isAscii: boolean;
}

/** An error of the API with its response headers and further members of its problem document. */
export class ApiError extends HkctlError {
  readonly headers: readonly string[];
  readonly members: Readonly<Record<string, unknown>> | undefined;
  /** The title of its document, if that of its code says too little. */
  readonly title: string | undefined;
  #template: ProblemTemplate | undefined;

  constructor(
    code: ApiCode,
    message: string,
    options: {
      headers?: readonly string[];
      members?: Readonly<Record<string, unknown>>;
      title?: string;
      cause?: unknown;
    } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.headers = options.headers ?? [];
    this.members = options.members;
    this.title = options.title;
  }

  /** Its document, written once: some errors answer many requests. */
  template(): ProblemTemplate {
    this.#template ??= toTemplate(this);
    return this.#template;
  }
}

/** The refusal of every request while the daemon ends. */
export const shuttingDown = new ApiError(
  'unavailable',
  'The service is shutting down. Try again in a moment.',
);

const retrySeconds = 5;

/** Turns a thrown value into a problem document (RFC 9457); an unknown error is `internal` and its message stays hidden. */
export function toProblem(thrown: unknown, requestId: string): Answer & { code: ApiCode } {
  const { code, status, headers, start, end, isAscii } =
    thrown instanceof ApiError ? thrown.template() : toTemplate(thrown);
  const body = start + requestId + end;
  return isAscii
    ? { status, headers, body, code, length: body.length, isAscii }
    : { status, headers, body, code };
}

function toTemplate(thrown: unknown): ProblemTemplate {
  const code = codeOf(thrown);
  const { status } = errorTable[code];
  const headers = ['Content-Type', 'application/problem+json', 'Cache-Control', 'no-store'];
  if (thrown instanceof ApiError) headers.push(...thrown.headers);
  const mayRetry = status === 503 || status === 429;
  if (mayRetry && !headers.includes('Retry-After'))
    headers.push('Retry-After', String(retrySeconds));

  const { title = errorTable[code].title } = thrown instanceof ApiError ? thrown : {};
  const startText = problemStart(code, { title, status, detail: detailOf(thrown, code) });
  const endText = `"${membersOf(thrown)}}\n`;
  const isAscii = Buffer.byteLength(startText + endText) === startText.length + endText.length;
  return { code, status, headers, start: startText, end: endText, isAscii };
}

/**
 * Writes a problem document (RFC 9457). A status other than that of the code, such as 431 for `too_large`, brings its own
 * title.
 */
export function problemDocument(
  code: ApiCode,
  status: number,
  detail: string,
  requestId: string,
): string {
  const codeEntry = errorTable[code];
  const title = status === codeEntry.status ? codeEntry.title : STATUS_CODES[status];
  return `${problemStart(code, { title, status, detail })}${requestId}"}\n`;
}

/** The document up to the value of `request_id`. */
function problemStart(
  code: ApiCode,
  { title, status, detail }: { title: string | undefined; status: number; detail: string },
): string {
  const members = { type: `urn:hkctl:problem:${code}`, title, status, detail, code };
  return `${JSON.stringify(members).slice(0, -1)},"request_id":"`;
}

/** Further members of the document, each after a comma. */
function membersOf(thrown: unknown): string {
  if (!(thrown instanceof ApiError) || thrown.members === undefined) return '';
  return `,${JSON.stringify(thrown.members).slice(1, -1)}`;
}

function codeOf(thrown: unknown): ApiCode {
  if (!isHkctlError(thrown)) return 'internal';
  if (thrown.code in apiErrors) return thrown.code as ApiCode; // it is one of them
  // A store that is full, locked or gone is not the client's fault, and may recover.
  return errorTable[thrown.code].status === 503 ? 'unavailable' : 'internal';
}

function detailOf(thrown: unknown, code: ApiCode): string {
  if (code === 'internal') return 'Internal error. Report the request_id to the operator.';
  // Some messages quote the request, such as a media type, and a client may have put its secret there.
  if (isHkctlError(thrown) && thrown.code === code) return redactSecrets(thrown.message);
  return 'The service cannot answer at the moment. Try again later.';
}

type Errors = Record<string, { exit: number; status: number; title: string }>;

const commandErrors = {
  // Input and state, seen at the terminal.
  usage: { exit: 2, status: 400, title: 'Wrong usage' },
  bad_input: { exit: 2, status: 400, title: 'Bad input' },
  confirmation_required: { exit: 2, status: 400, title: 'Confirmation required' },
  not_permitted: { exit: 4, status: 403, title: 'Not permitted' },
  no_profile: { exit: 4, status: 403, title: 'No user profile' },
  profile_inactive: { exit: 4, status: 403, title: 'User profile inactive' },
  already_initialised: { exit: 5, status: 409, title: 'Already initialised' },
  duplicate: { exit: 5, status: 409, title: 'Already exists' },
  key_not_active: { exit: 5, status: 409, title: 'Key not active' },
  state_forbids: { exit: 5, status: 409, title: 'Not possible in this state' },
  command_failed: { exit: 1, status: 500, title: 'Command failed' },
  output_failed: { exit: 1, status: 500, title: 'Output failed' },
  cancelled: { exit: 130, status: 499, title: 'Cancelled' },
  // The store.
  store_absent: { exit: 6, status: 503, title: 'No store' },
  store_locked: { exit: 6, status: 503, title: 'Store locked' },
  store_corrupt: { exit: 6, status: 503, title: 'Store corrupt' },
  store_full: { exit: 6, status: 503, title: 'Disk full' },
  store_unreadable: { exit: 6, status: 503, title: 'Store not accessible' },
  store_unreachable: { exit: 6, status: 503, title: 'Store not reachable' },
  commit_unknown: { exit: 6, status: 503, title: 'Outcome of a change unknown' },
  store_too_new: { exit: 6, status: 503, title: 'Store too new' },
  store_too_old: { exit: 6, status: 503, title: 'Store too old' },
} as const satisfies Errors;

/** The errors of the API, in the order of its documents (promise 6.3). */
export const apiErrors = {
  bad_parameter: { exit: 2, status: 400, title: 'Bad parameter' },
  bad_json: { exit: 2, status: 400, title: 'Body is not JSON' },
  key_in_query: { exit: 2, status: 400, title: 'API key in the query' },
  missing_authorization: { exit: 5, status: 401, title: 'Unauthorized' },
  malformed_authorization: { exit: 5, status: 401, title: 'Unauthorized' },
  incomplete_secret: { exit: 5, status: 401, title: 'Unauthorized' },
  unknown_key: { exit: 3, status: 401, title: 'Unauthorized' },
  key_revoked: { exit: 5, status: 401, title: 'Unauthorized' },
  key_expired: { exit: 5, status: 401, title: 'Unauthorized' },
  creator_inactive: { exit: 5, status: 401, title: 'Unauthorized' },
  entity_missing: { exit: 5, status: 403, title: 'Forbidden' },
  entity_inactive: { exit: 5, status: 403, title: 'Forbidden' },
  address_not_allowed: { exit: 5, status: 403, title: 'Forbidden' },
  permission_required: { exit: 4, status: 403, title: 'Forbidden' },
  not_found: { exit: 3, status: 404, title: 'Not found' },
  method_not_allowed: { exit: 2, status: 405, title: 'Method not allowed' },
  not_acceptable: { exit: 2, status: 406, title: 'Not acceptable' },
  sync_token_expired: { exit: 5, status: 410, title: 'Sync token expired' },
  precondition_failed: { exit: 5, status: 412, title: 'Precondition failed' },
  too_large: { exit: 2, status: 413, title: 'Too large' },
  unsupported_media_type: { exit: 2, status: 415, title: 'Unsupported media type' },
  invalid_body: { exit: 2, status: 422, title: 'Invalid body' },
  too_many_failed_checks: { exit: 1, status: 429, title: 'Too many failed key checks' },
  too_many_requests: { exit: 1, status: 429, title: 'Too many requests' },
  too_many_ingest_requests: { exit: 1, status: 429, title: 'Too many ingest requests' },
  internal: { exit: 1, status: 500, title: 'Internal error' },
  unavailable: { exit: 6, status: 503, title: 'Unavailable' },
} as const satisfies Errors;

/** Every error that a user can see; `exit` and `status` are interfaces (promise 6.3). */
export const errorTable = { ...commandErrors, ...apiErrors } as const;

export type ErrorCode = keyof typeof errorTable;

interface HkctlErrorOptions {
  hint?: string;
  cause?: unknown;
  details?: Readonly<Record<string, unknown>>;
  more?: readonly string[];
}

/** An error whose message may be shown. Anything else that is thrown is "internal": it is logged and never shown. */
export class HkctlError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** Members of the error's JSON, for programs, in addition to code, message and hint. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** The lines of the message; a quoted text in one, such as a name from a store, may contain a line break of its own. */
  readonly lines: readonly string[];

  constructor(code: ErrorCode, message: string, options: HkctlErrorOptions = {}) {
    const lines = [message, ...(options.more ?? [])];
    const errorOptions = options.cause === undefined ? undefined : { cause: options.cause };
    super(lines.join('\n'), errorOptions);

    this.lines = lines;
    this.name = 'HkctlError';
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
  }
}

export function isHkctlError(thrown: unknown): thrown is HkctlError {
  return thrown instanceof HkctlError;
}

/** The error of a step after a committed change: `committedText` becomes its message. Other thrown values are returned unchanged. */
export function afterChange(thrown: unknown, committedText: string): unknown {
  if (!isHkctlError(thrown)) return thrown;

  const { code, lines, hint, details } = thrown;
  const options = {
    more: lines,
    ...(hint !== undefined && { hint }),
    ...(details && { details }),
    cause: thrown,
  };
  return new HkctlError(code, committedText, options);
}

/** Whether a thrown value reports that no answer comes from the store. */
export function isUnreachable(thrown: unknown): boolean {
  return isHkctlError(thrown) && thrown.code === 'store_unreachable';
}

/** The code that Node, the system or a driver gave an error, such as `EPIPE`; errors of our own have none. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || isHkctlError(thrown)) {
    return undefined;
  }
  if (!('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

import { errorTable } from '../../core/errors.ts';
import { refusals as keyRefusals, refusalCodes } from '../../core/keys/refusals.ts';
import { type ApiCode, codesOf, problemDocument, shuttingDown } from '../answers/problem.ts';
import { openEnum, ref, type Schema } from './schemas.ts';

function header(
  description: string,
  pattern: string,
  example: string,
  members: Schema = {},
): Schema {
  return { description, ...members, schema: { type: 'string', pattern }, example };
}

const required = { required: true };

export const answerHeaders: Record<string, Schema> = {
  'X-Request-Id': header(
    'Identifies the request; problem documents and the log have the same id.',
    '^[\\w-]+$',
    '3q2vZ0aB-1f',
    required,
  ),
  RateLimit: header(
    'The rest of the limit: `r` requests in the next `t` seconds (draft-ietf-httpapi-ratelimit-headers).',
    '^"[a-z-]+";r=\\d+;t=\\d+$',
    '"requests";r=599;t=60',
  ),
  'RateLimit-Policy': header(
    'The limit of this path: `q` requests in `w` seconds. Absent if the limit is off.',
    '^"[a-z-]+";q=\\d+;w=\\d+$',
    '"requests";q=600;w=60',
  ),
  'Hkctl-Key-Expires': header(
    'The instant at which the key expires. Absent if it never does.',
    '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
    '2027-01-31T22:59:59.999Z',
  ),
  'Hkctl-Entity': header(
    'The code of the entity, percent-encoded, for a service behind a proxy that asks here.',
    '^[^\\s]+$',
    'BER',
    required,
  ),
  'Hkctl-Permissions': header(
    'The permissions of the key, for such a service.',
    '^[a-z_.]+( [a-z_.]+)*$',
    'parts.view assets.view',
    required,
  ),
  'Hkctl-Key-Prefix': header(
    'The prefix of the key, for the log of such a service.',
    '^hk_[0-9A-Za-z]{5}$',
    'hk_Ab3dE',
    required,
  ),
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    ...required,
    schema: { type: 'integer', minimum: 1 },
    example: 17,
  },
  ETag: header(
    'Send it as `If-None-Match` to find out whether anything changed.',
    '^(W/)?"[\\w-]+"$',
    '"mJ3sVxkS9dHk0eT1bq7wZg"',
    required,
  ),
  Link: header(
    'Address of the next page, `rel="next"` (RFC 8288); absent on the last page.',
    '^<[^<>]+>; rel="next"$',
    '</api/v1/parts?limit=50&cursor=WyJ4Il0>; rel="next"',
  ),
  Allow: header(
    'The methods that the path supports.',
    '^[A-Z]+(, [A-Z]+)*$',
    'GET, HEAD',
    required,
  ),
  'WWW-Authenticate': {
    description:
      'The authentication scheme and the error, which is absent if no Bearer token came (RFC 6750, section 3.1).',
    schema: { type: 'string' },
    example: 'Bearer realm="hkctl", error="invalid_token", error_description="key_revoked"',
  },
};

/** Every answer to a known key shows its expiry; one that counted against a limit also the state of that. */
const usualHeaders = [
  'X-Request-Id',
  'Hkctl-Key-Expires',
  'RateLimit',
  'RateLimit-Policy',
] as const;

interface Refusal {
  status: number;
  description: string;
  /** All codes of the status by default. */
  codes?: readonly ApiCode[];
  header?: keyof typeof answerHeaders;
}

const limited = {
  status: 429,
  description: 'A limit was exceeded: try again later.',
  header: 'Retry-After',
};

/** The problem responses; the document has an example of every code. */
const refusals = {
  BadRequest: {
    status: 400,
    description: 'A parameter is unknown, repeated or wrong.',
    codes: ['bad_parameter', 'key_in_query'],
  },
  BadBody: {
    status: 400,
    description: 'The body is not JSON, or a parameter is wrong.',
    codes: ['bad_json', 'bad_parameter', 'key_in_query'],
  },
  Unauthorized: {
    status: 401,
    description:
      'The key is missing, malformed, incomplete, unknown, revoked or expired, or its creator is inactive.',
    header: 'WWW-Authenticate',
  },
  EntityForbidden: {
    status: 403,
    description:
      'The entity of the key is gone or inactive, or the key must not be used from this address.',
    codes: codesOf(403).filter((code) => code !== 'permission_required'),
  },
  Forbidden: {
    status: 403,
    description:
      'The entity of the key is gone or inactive, the key must not be used from this address, or it does not have the permission.',
    header: 'WWW-Authenticate',
  },
  NotFound: { status: 404, description: "There is no such record in the key's entity." },
  MethodNotAllowed: {
    status: 405,
    description:
      'The path does not support the method; `Allow` names the methods that it supports.',
    header: 'Allow',
  },
  NotAcceptable: { status: 406, description: '`Accept` names no type of this answer.' },
  SyncTokenExpired: {
    status: 410,
    description:
      'The `sync_token` is older than 90 days, or of a store before it was restored: read the whole list again.',
  },
  PreconditionFailed: {
    status: 412,
    description: '`If-Match` names no `ETag` of this answer, or the path has nothing to read.',
  },
  TooLarge: {
    status: 413,
    description: 'More than 10,000 readings, or 8 MiB after decompression.',
  },
  UnsupportedMediaType: {
    status: 415,
    description: 'The `Content-Type` or `Content-Encoding` is not supported.',
  },
  InvalidBody: { status: 422, description: 'The body is JSON, but of another shape.' },
  TooMany: { ...limited, codes: ['too_many_requests', 'too_many_failed_checks'] },
  TooManyIngest: { ...limited, codes: ['too_many_ingest_requests', 'too_many_failed_checks'] },
  Internal: { status: 500, description: 'An internal error; its cause is only in the log.' },
  Unavailable: {
    status: 503,
    description: 'The service is overloaded or shutting down, or its disk is full.',
    header: 'Retry-After',
  },
} satisfies Record<string, Refusal>;

/** Answers of operations of a kind: what 200 means, its headers besides the usual ones, and every refusal. */
interface Answers {
  ok: string;
  headers: readonly string[];
  others: readonly (keyof typeof refusals | 'NotModified')[];
}

const ofEveryKey = [
  'Unauthorized',
  'MethodNotAllowed',
  'PreconditionFailed',
  'TooMany',
  'Internal',
  'Unavailable',
] as const;
const ofEveryRead = [
  ...ofEveryKey,
  'NotModified',
  'BadRequest',
  'Forbidden',
  'NotAcceptable',
] as const;
const single: Answers = {
  ok: 'The record.',
  headers: ['ETag'],
  others: [...ofEveryRead, 'NotFound'],
};

const ofKey: Answers = {
  ok: 'The entity and the permissions of the key.',
  headers: ['ETag'],
  others: [...ofEveryKey, 'NotModified', 'BadRequest', 'EntityForbidden', 'NotAcceptable'],
};

const answers = {
  public: {
    ok: 'The document.',
    headers: ['ETag'],
    others: [
      'NotModified',
      'BadRequest',
      'MethodNotAllowed',
      'PreconditionFailed',
      'Internal',
      'Unavailable',
    ],
  },
  me: {
    ...ofKey,
    headers: ['ETag', 'Hkctl-Entity', 'Hkctl-Permissions', 'Hkctl-Key-Prefix'],
  },
  key: ofKey,
  list: {
    ok: 'A page of records.',
    headers: ['ETag', 'Link'],
    others: [...ofEveryRead, 'SyncTokenExpired'],
  },
  single,
  readings: { ...single, headers: ['ETag', 'Link'] },
  manyReadings: { ok: 'A page of readings.', headers: ['ETag', 'Link'], others: ofEveryRead },
  write: {
    ok: 'Every line was stored, and is on disk.',
    headers: [],
    others: [
      ...ofEveryKey.filter((name) => name !== 'TooMany'),
      ...(['Forbidden', 'TooLarge', 'TooManyIngest'] as const),
    ],
  },
  ingest: {
    ok: 'Every item was validated; the accepted ones are on disk.',
    headers: [],
    others: [
      ...ofEveryKey.filter((name) => name !== 'TooMany'),
      ...([
        'BadBody',
        'Forbidden',
        'TooLarge',
        'UnsupportedMediaType',
        'InvalidBody',
        'TooManyIngest',
      ] as const),
    ],
  },
} satisfies Record<string, Answers>;

export type AnswerKind = keyof typeof answers;

/** The responses of an operation by their status, which orders them. */
export function responsesOf(kind: AnswerKind, content: Schema): Schema {
  const { ok, headers, others }: Answers = answers[kind];
  const usualNames = kind === 'public' ? ['X-Request-Id'] : usualHeaders;
  const refusalRefs = others.map((name) => [
    name === 'NotModified' ? 304 : refusals[name].status,
    { $ref: `#/components/responses/${name}` },
  ]);
  const sharedHeaders = headerRefs([...headers, ...usualNames]);
  if (kind === 'write') {
    const refused = { description: writeRefusal, headers: sharedHeaders, content };
    const stored = { description: ok, headers: sharedHeaders };
    return { 204: stored, 400: refused, ...Object.fromEntries(refusalRefs) };
  }
  const success = { description: ok, headers: sharedHeaders, content };
  return { 200: success, ...Object.fromEntries(refusalRefs) };
}

const writeRefusal =
  'Lines were rejected, of which `message` names the first, and the others are stored; or no line is line protocol.';

function headerRefs(headerNames: readonly string[]): Schema {
  return Object.fromEntries(
    headerNames.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** The responses that operations share, by their names. */
export function sharedResponses(): Schema {
  const problems = Object.entries<Refusal>(refusals).map(([name, refusal]) => [
    name,
    problemResponse(refusal),
  ]);
  const notModified = {
    description: 'Nothing has changed since the answer with that `ETag`.',
    headers: headerRefs([...usualHeaders, 'ETag', 'Link']),
  };
  return { NotModified: notModified, ...Object.fromEntries(problems) };
}

function problemResponse({
  status,
  description,
  codes = codesOf(status),
  header,
}: Refusal): Schema {
  const schema = { allOf: [ref('Problem'), { properties: { code: openEnum(codes) } }] };
  const examples = codes.map((code) => [code, { value: exampleOf(code) }]);
  const codeList = codes.map((code) => `\`${code}\``).join(', ');
  return {
    description: `${description} Codes: ${codeList}.`,
    headers: headerRefs([...usualHeaders, ...(header ? [header] : [])]),
    content: {
      'application/problem+json': { schema, examples: Object.fromEntries(examples) },
    },
  };
}

function exampleOf(code: ApiCode): Schema {
  const { status, title } = errorTable[code];
  const permissions = code === 'permission_required' ? { permissions: ['parts.view'] } : {};
  return {
    ...JSON.parse(problemDocument(code, status, details[code] ?? title, '3q2vZ0aB-1f')),
    ...permissions,
  };
}

/** Details of the examples, if they differ from the title. */
const details: Partial<Record<ApiCode, string>> = {
  bad_parameter: 'There is no parameter "colour". Allowed are limit, cursor, updated_since.',
  key_in_query: 'An API key belongs in the Authorization header only.',
  bad_json: 'The body is not JSON: line 1, column 14.',
  ...Object.fromEntries(refusalCodes.map((code) => [code, keyRefusals[code].detail])),
  address_not_allowed: 'This API key must not be used from the address 203.0.113.7.',
  permission_required: 'This needs the permission parts.view.',
  method_not_allowed: 'This path supports only GET and HEAD.',
  not_acceptable: 'Accept names no type of this answer; accept application/json or text/csv.',
  precondition_failed: 'If-Match names no ETag of this answer. Read it without If-Match.',
  sync_token_expired:
    'This sync_token is older than 90 days: read the whole list again for a new one.',
  not_found: 'There is no such part in this entity.',
  too_many_requests: 'This API key has used up its requests. Try again in 17 seconds.',
  too_many_ingest_requests: 'This API key has used up its requests. Try again in 17 seconds.',
  too_many_failed_checks: 'Too many failed key checks from this address. Try again in 17 seconds.',
  internal: 'Internal error. Report the request_id to the operator.',
  unavailable: shuttingDown.message,
};

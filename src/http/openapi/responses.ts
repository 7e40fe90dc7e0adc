import { errorTable } from '../../core/errors.ts';
import { refusalDetails } from '../../core/keys/authentication.ts';
import { type ApiCode, codesOf, problemDocument, shuttingDown } from '../answers/problem.ts';
import { openEnum, type Schema } from './field-schemas.ts';

export type ResponseKind = 'public' | 'key' | 'list' | 'single' | 'ingest';

export const answerHeaders: Record<string, Schema> = {
  'X-Request-Id': {
    description: 'Identifies the request; problem documents and the log have the same id.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w-]+$' },
    example: '3q2vZ0aB-1f',
  },
  RateLimit: {
    description: 'The rest of the limit: `r` requests in the next `t` seconds (draft-ietf-httpapi-ratelimit-headers).',
    schema: { type: 'string', pattern: '^"[a-z-]+";r=\\d+;t=\\d+$' },
    example: '"requests";r=599;t=60',
  },
  'RateLimit-Policy': {
    description: 'The limit of this path: `q` requests in `w` seconds. Absent if the limit is off.',
    schema: { type: 'string', pattern: '^"[a-z-]+";q=\\d+;w=\\d+$' },
    example: '"requests";q=600;w=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 17,
  },
  ETag: {
    description: 'Send it as `If-None-Match` to find out whether anything changed.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[\\w-]+"$' },
    example: '"mJ3sVxkS9dHk0eT1bq7wZg"',
  },
  Link: {
    description: 'Address of the next page, `rel="next"` (RFC 8288); absent on the last page.',
    schema: { type: 'string', pattern: '^<[^<>]+>; rel="next"$' },
    example: '</api/v1/parts?limit=50&cursor=WyJ4Il0>; rel="next"',
  },
  Allow: {
    description: 'The methods that the path supports.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
    example: 'GET, HEAD',
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme and the error (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer realm="hkctl", error="invalid_token", error_description="key_revoked"',
  },
};

interface ProblemResponse {
  description: string;
  codes: readonly ApiCode[];
  headers?: readonly string[];
}

const limited = { description: 'A limit was exceeded: try again later.', headers: ['Retry-After'] };

/** Every answer that counted against a limit shows the state of the limit. */
const usualHeaders = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const;

/** The problem responses and their codes; the document has an example of every code. */
const refusals: Record<string, ProblemResponse> = {
  BadRequest: {
    description: 'A parameter is unknown, repeated or wrong, or `If-Match` names no `ETag` of the answer.',
    codes: ['bad_parameter', 'key_in_query'],
  },
  BadBody: {
    description:
      'The body is not JSON, a parameter is wrong, or the request has an `If-Match`, which cannot match here.',
    codes: ['bad_json', 'bad_parameter', 'key_in_query'],
  },
  Unauthorized: {
    description: 'The key is missing, malformed, incomplete, unknown, revoked or expired, or its creator is inactive.',
    codes: codesOf(401),
    headers: ['WWW-Authenticate'],
  },
  EntityForbidden: {
    description: 'The entity of the key is gone or inactive, or the key must not be used from this address.',
    codes: codesOf(403).filter((code) => code !== 'permission_required'),
  },
  Forbidden: {
    description:
      'The entity of the key is gone or inactive, the key must not be used from this address, or it does not have the permission.',
    codes: codesOf(403),
    headers: ['WWW-Authenticate'],
  },
  NotFound: { description: "There is no such record in the key's entity.", codes: ['not_found'] },
  MethodNotAllowed: {
    description: 'The path does not support the method; `Allow` names the methods that it supports.',
    codes: ['method_not_allowed'],
    headers: ['Allow'],
  },
  NotAcceptable: { description: '`Accept` names no type of this answer.', codes: ['not_acceptable'] },
  SyncTokenExpired: {
    description:
      'The `sync_token` is older than 90 days, or of a store before it was restored: read the whole list again.',
    codes: ['sync_token_expired'],
  },
  TooLarge: { description: 'More than 10,000 readings, or 8 MiB after decompression.', codes: ['too_large'] },
  UnsupportedMediaType: {
    description: 'The `Content-Type` or `Content-Encoding` is not supported.',
    codes: ['unsupported_media_type'],
  },
  InvalidBody: { description: 'The body is JSON, but of another shape.', codes: ['invalid_body'] },
  TooMany: { ...limited, codes: ['too_many_requests', 'too_many_failed_checks'] },
  TooManyIngest: { ...limited, codes: ['too_many_ingest_requests', 'too_many_failed_checks'] },
  Internal: { description: 'An internal error; its cause is only in the log.', codes: ['internal'] },
  Unavailable: {
    description: 'The service is overloaded or shutting down, or its disk is full.',
    codes: ['unavailable'],
    headers: ['Retry-After'],
  },
};

export function headerRefs(names: readonly string[]): Schema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function problemResponses(): Record<string, Schema> {
  const problems = Object.entries(refusals).map(([name, { description, codes, headers = [] }]) => {
    const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: openEnum(codes) } }] };
    const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]));
    return [
      name,
      {
        description: `${description} Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
        headers: headerRefs([...usualHeaders, ...headers]),
        content: { 'application/problem+json': { schema, examples } },
      },
    ];
  });
  const notModified = {
    description: 'Nothing has changed since the answer with that `ETag`.',
    headers: headerRefs([...usualHeaders, 'ETag', 'Link']),
  };
  return { NotModified: notModified, ...Object.fromEntries(problems) };
}

function exampleOf(code: ApiCode): Schema {
  const { status, title } = errorTable[code];
  const permissions = code === 'permission_required' ? { permissions: ['parts.view'] } : {};
  return { ...JSON.parse(problemDocument(code, status, details[code] ?? title, '3q2vZ0aB-1f')), ...permissions };
}

/** Details of the examples, if they differ from the title. */
const details: Partial<Record<ApiCode, string>> = {
  bad_parameter: 'There is no parameter "colour". Allowed are limit, cursor, updated_since.',
  key_in_query: 'An API key belongs in the Authorization header only.',
  bad_json: 'The body is not JSON: line 1, column 14.',
  missing_authorization: 'Send the API key as: Authorization: Bearer hk_…',
  incomplete_secret: 'This is not a complete API key: it was cut short or mistyped.',
  unknown_key: 'There is no such API key.',
  ...refusalDetails,
  address_not_allowed: 'This API key must not be used from the address 203.0.113.7.',
  permission_required: 'This needs the permission parts.view.',
  method_not_allowed: 'This path supports only GET and HEAD.',
  not_acceptable: 'Accept names no type of this answer; accept application/json or text/csv.',
  sync_token_expired: 'This sync_token is older than 90 days: read the whole list again for a new one.',
  not_found: 'There is no such part in this entity.',
  too_many_requests: 'This API key has used up its requests. Try again in 17 seconds.',
  too_many_ingest_requests: 'This API key has used up its requests. Try again in 17 seconds.',
  too_many_failed_checks: 'Too many failed key checks from this address. Try again in 17 seconds.',
  internal: 'Internal error. Report the request_id to the operator.',
  unavailable: shuttingDown.message,
};

import type { ClientPermission } from '../../core/access/permissions.ts';
import type { Schema } from './field-schemas.ts';
import { headerRefs, type ResponseKind } from './responses.ts';

interface Operation {
  id: string;
  tag: string;
  summary: string;
  description: string;
  kind: ResponseKind;
  parameters?: readonly Schema[];
  requestBody?: Schema;
  content: Schema;
  okHeaders?: readonly string[];
  permissions?: readonly ClientPermission[];
}

export function operation(given: Operation): Schema {
  const { id, tag, summary, description, kind, parameters, requestBody, content, permissions } = given;
  const okHeaders = given.okHeaders ?? [];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(parameters && parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    ...(kind === 'public' && { security: [] }),
    // Alternatives: any one of the permissions is enough.
    ...(permissions && { security: permissions.map((permission) => ({ apiKey: [permission] })) }),
    responses: {
      200: { description: okDescription[kind], headers: headerRefs([...okHeaders, ...commonHeaders(kind)]), content },
      ...responseRefs(kind),
    },
  };
}

const okDescription: Record<ResponseKind, string> = {
  public: 'The document.',
  key: 'The entity and the permissions of the key.',
  list: 'A page of records.',
  single: 'The record.',
  ingest: 'Every item was validated; the accepted ones are on disk.',
};

function commonHeaders(kind: ResponseKind): string[] {
  return kind === 'public' ? ['X-Request-Id'] : ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];
}

function responseRefs(kind: ResponseKind): Schema {
  const refs: Record<ResponseKind, Record<number, string>> = {
    public: { 304: 'NotModified', 400: 'BadRequest', 405: 'MethodNotAllowed', 500: 'Internal', 503: 'Unavailable' },
    key: { 304: 'NotModified', 400: 'BadRequest', ...guarded, 403: 'EntityForbidden', 406: 'NotAcceptable' },
    list: { ...read, 410: 'SyncTokenExpired' },
    single: { ...read, 404: 'NotFound' },
    ingest: {
      400: 'BadBody',
      ...guarded,
      403: 'Forbidden',
      413: 'TooLarge',
      415: 'UnsupportedMediaType',
      422: 'InvalidBody',
      429: 'TooManyIngest',
    },
  };
  return Object.fromEntries(
    Object.entries(refs[kind]).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}

const guarded = {
  401: 'Unauthorized',
  405: 'MethodNotAllowed',
  429: 'TooMany',
  500: 'Internal',
  503: 'Unavailable',
};

const read = { 304: 'NotModified', 400: 'BadRequest', ...guarded, 403: 'Forbidden', 406: 'NotAcceptable' };

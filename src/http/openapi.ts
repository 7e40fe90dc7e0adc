import type { Field, ResourceDefinition } from '../core/fields.ts';
import { type PageParameter, pageLimit, pageParameters } from '../core/pages.ts';
import { type ClientPermission, permissionGroups } from '../core/permissions.ts';
import { aggregates } from '../core/store.ts';
import { parameterHeaders, problemResponses, type ResponseKind } from './openapi-responses.ts';
import {
  fieldSchema,
  instant,
  pageExample,
  pageSchema,
  recordExample,
  type Schema,
  schemaNames,
  schemas,
} from './openapi-schemas.ts';

/** The OpenAPI 3.1 document of this version, made from the declarations; also what `hkctl openapi` prints. */
export function openapiDocument(
  resources: readonly ResourceDefinition[],
  { version, baseUrl }: { version: string; baseUrl?: string | undefined },
): Schema {
  const responses = problemResponses();
  return {
    openapi: '3.1.0',
    info: {
      title: 'hkctl client API',
      version,
      summary: 'Read one site of a plant, and send in the readings of its sensors.',
      description: about,
      contact: { name: 'The operator of this deployment' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl ?? '/', description: 'This deployment' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Documents', description: 'What this is; open to everybody.' },
      { name: 'Key', description: 'What the key is for, and what it opens.' },
      ...permissionGroups.map(({ name, permissions }) => ({
        name,
        description: `Opened by ${permissions.map(({ key }) => `\`${key}\``).join(', ')}.`,
      })),
    ],
    paths: {
      ...publicPaths,
      ...keyPaths,
      ...Object.assign({}, ...resources.map(resourcePaths)),
      ...ingestPaths,
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'hk_…',
          description:
            'An API key: `hk_` and 49 letters and digits. It belongs in this header only, never in a URL or a body. ' +
            'The names beside it on an operation are permissions, any one of which opens it.',
        },
      },
      parameters: { Id: idParameter },
      headers: parameterHeaders,
      responses,
      schemas: schemas(resources),
    },
  };
}

const about = `Approved systems read the records of exactly one entity (site) with an API key, and sensor gateways post readings.

- **Time**: instants are RFC 3339 in UTC; dates are the literal \`YYYY-MM-DD\` that was stored and belong to the plant.
- **Pages**: follow \`next_cursor\` (or the \`Link\` header) until it is null, repeating all other parameters. A page may hold fewer records than
  \`limit\`, even none, before the last: where values of several filters hardly meet, it ends once 10,000 records were looked through.
- **Caching**: send \`If-None-Match\` with the \`ETag\` of an answer; 304 means nothing changed. \`HEAD\` works wherever \`GET\` does.
- **Errors**: \`application/problem+json\`; any method that a path does not take is 405 with \`Allow\` (\`method_not_allowed\`).
- **Versions**: within v1, paths, parameters, fields and codes may be added and are never removed or given another meaning;
  programs ignore what they do not know.`;

// --- operations -----------------------------------------------------------------------------------------------------

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

function operation(given: Operation): Schema {
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
  key: 'What the key is for.',
  list: 'A page of records.',
  single: 'The record.',
  ingest: 'Everything was judged; what was accepted is on disk.',
};

function commonHeaders(kind: ResponseKind): string[] {
  return kind === 'public' ? ['X-Request-Id'] : ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];
}

function headerRefs(names: readonly string[]): Schema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function responseRefs(kind: ResponseKind): Schema {
  const refs: Record<ResponseKind, Record<number, string>> = {
    public: { 304: 'NotModified', 405: 'MethodNotAllowed', 500: 'Internal', 503: 'Unavailable' },
    key: { 304: 'NotModified', 400: 'BadRequest', ...guarded, 403: 'EntityForbidden' },
    list: { 304: 'NotModified', 400: 'BadRequest', ...guarded, 403: 'Forbidden' },
    single: { 304: 'NotModified', 400: 'BadRequest', ...guarded, 403: 'Forbidden', 404: 'NotFound' },
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

// --- the fixed paths ------------------------------------------------------------------------------------------------

const html = { 'text/html': { schema: { type: 'string' } } };
const page = { tag: 'Documents', kind: 'public', content: html, okHeaders: ['ETag'] } as const;

const publicPaths = {
  '/api/v1': {
    get: operation({
      ...page,
      id: 'getDocumentsAtRoot',
      summary: 'Interactive documents',
      description: 'The interactive documentation of the API, the same as at `/api/v1/docs`.',
    }),
  },
  '/api/v1/docs': {
    get: operation({
      ...page,
      id: 'getDocuments',
      summary: 'Interactive documents',
      description: 'The interactive documentation of the API; it works without the internet and stores no key.',
    }),
  },
  '/api/v1/openapi.json': {
    get: operation({
      ...page,
      id: 'getSpecification',
      summary: 'This document',
      description: 'The machine-readable specification, with the exact response schemas of the deployed version.',
      content: { 'application/json': { schema: { type: 'object' } } },
    }),
  },
};

const keyPaths = {
  '/api/v1/me': {
    get: operation({
      id: 'getMe',
      tag: 'Key',
      kind: 'key',
      summary: 'Confirm the key',
      description: 'Tells the organization, the entity and the permissions of the key that the call carries.',
      okHeaders: ['ETag'],
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Me' },
          example: {
            tenant: { id: '0b9f6a1e-5a55-4c62-9a53-3f1f4c1f2f10', name: 'Nordwerk' },
            entity: {
              id: '5a3c52a2-6a55-4c0e-8f3c-3b7c2b8d9e01',
              code: 'BER',
              name: 'Plant Berlin',
              timezone: 'Europe/Berlin',
            },
            key: {
              id: '9c1d0f53-9a53-4f0a-9d53-6a1e5a554c62',
              prefix: 'hk_4fTq9',
              name: 'Reporting',
              expires_at: null,
            },
            permissions: ['parts.view'],
            resources: ['/api/v1/parts'],
            server_time: '2026-11-20T08:15:00.123Z',
          },
        },
      },
    }),
  },
  '/api/v1/resources': {
    get: operation({
      id: 'listResources',
      tag: 'Key',
      kind: 'key',
      summary: 'List what the key opens',
      description: 'The paths that this key can read and, for ingest, post to; `methods` tells which.',
      okHeaders: ['ETag'],
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { data: { type: 'array', items: { $ref: '#/components/schemas/ResourceEntry' } } },
            required: ['data'],
          },
          example: {
            data: [
              {
                name: 'parts',
                path: '/api/v1/parts',
                title: 'Parts',
                permissions: ['parts.view'],
                methods: ['GET'],
              },
            ],
          },
        },
      },
    }),
  },
};

// --- resources ------------------------------------------------------------------------------------------------------

const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of the record, percent-encoded.',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
};

function resourcePaths(resource: ResourceDefinition): Schema {
  const { name, title, singular, summary, permissions } = resource;
  const { single, item } = schemaNames(resource);
  const tag = groupOf(permissions);
  const plural = title.replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase());
  const list = operation({
    id: `list${plural}`,
    tag,
    kind: 'list',
    summary: `List ${title.toLowerCase()}`,
    description: `${summary} Ordered by the first range that is asked for, else by \`id\`.`,
    permissions,
    parameters: pageParameters(resource).map(queryParameter),
    okHeaders: ['ETag', 'Link'],
    content: { 'application/json': { schema: pageSchema(item), example: pageExample(resource) } },
  });
  const get = operation({
    id: `get${single}`,
    tag,
    kind: 'single',
    summary: `Read one ${singular}`,
    description: `One ${singular} of the key's entity, with all of its fields.`,
    permissions,
    parameters: [{ $ref: '#/components/parameters/Id' }],
    okHeaders: ['ETag'],
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${single}` },
        example: recordExample(resource, 'single'),
      },
    },
  });
  const paths = { [`/api/v1/${name}`]: { get: list }, [`/api/v1/${name}/{id}`]: { get } };
  return name === 'sensors' ? { ...paths, '/api/v1/sensors/{id}/readings': { get: readReadings(permissions) } } : paths;
}

/** Tags are the groups in which people grant permissions. */
function groupOf(permissions: readonly ClientPermission[]): string {
  const [first] = permissions;
  return permissionGroups.find((group) => group.permissions.some(({ key }) => key === first))?.name ?? 'Key';
}

function queryParameter({ name, role, on }: PageParameter): Schema {
  const base = { name, in: 'query', required: false };
  if (!on) return { ...base, ...(role === 'limit' ? limitOf(pageLimit) : cursorOf) };
  const { description, schema, example } = filterOf(name, role, on.field, on.declaration);
  return { ...base, description, schema, example };
}

function limitOf(bounds: { default: number; max: number }): Schema {
  return {
    description: 'The most records in one page; it may hold fewer, even where more follow.',
    schema: { type: 'integer', minimum: 1, maximum: bounds.max, default: bounds.default },
  };
}

const cursorOf = {
  description: 'The `next_cursor` of the page before, with all other parameters as they were.',
  schema: { type: 'string', maxLength: 2000 },
};

function filterOf(name: string, role: PageParameter['role'], field: string, declaration: Field) {
  const { examples: _, description: __, ...schema } = fieldSchema({ ...declaration, required: true });
  const example = declaration.example;
  if (name === 'updated_since') {
    return { description: 'Only records that changed at or after this instant.', schema, example };
  }
  if (role === 'equals')
    return { description: `Only records whose \`${field}\` is this. ${declaration.doc}`, schema, example };
  if (role === 'week') {
    const zone = declaration.kind === 'instant' ? " in the entity's time zone" : '';
    const description = `Only records whose \`${field}\` lies in the week that contains this day, by the organization's week start${zone}.`;
    return { description, schema: { type: 'string', format: 'date' }, example: '2026-11-20' };
  }
  const bound = role === 'from' ? 'not before' : 'not after';
  return { description: `Only records whose \`${field}\` is ${bound} this (inclusive).`, schema, example };
}

// --- sensors --------------------------------------------------------------------------------------------------------

const instantOrMs = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'integer' }] };
const query = { in: 'query', required: false };

function readReadings(permissions: readonly ClientPermission[]): Schema {
  const data = (item: string) => pageSchema(item);
  return operation({
    id: 'listSensorReadings',
    tag: 'Sensor lookup',
    kind: 'single',
    summary: 'Read readings',
    description:
      'Readings of a sensor in order of time or, with `bucket`, summed up; as JSON, NDJSON or CSV by `Accept`. With the ' +
      'latter two the next page is in the `Link` header.',
    permissions,
    okHeaders: ['ETag', 'Link'],
    parameters: [
      { ...idParameter, description: "The sensor's id or code." },
      { ...query, name: 'from', description: 'First instant, inclusive.', schema: instantOrMs, example: instant },
      {
        ...query,
        name: 'to',
        description: 'Last instant, exclusive.',
        schema: instantOrMs,
        example: '2026-11-21T00:00:00Z',
      },
      { ...query, name: 'limit', ...limitOf({ default: 1000, max: 100_000 }) },
      { ...query, name: 'cursor', ...cursorOf },
      {
        ...query,
        name: 'bucket',
        description: 'Length of the buckets: a number and s, m, h, d or w.',
        schema: { type: 'string', pattern: '^[1-9][0-9]{0,5}[smhdw]$' },
        example: '5m',
      },
      {
        ...query,
        name: 'agg',
        description: 'With `bucket`: what to tell of each; `avg` where nothing is said.',
        style: 'form',
        explode: false,
        schema: { type: 'array', uniqueItems: true, minItems: 1, items: { type: 'string', enum: [...aggregates] } },
        example: ['avg', 'max'],
      },
    ],
    content: {
      'application/json': {
        schema: { anyOf: [data('Reading'), data('ReadingBucket')] },
        examples: {
          readings: { value: { data: [{ at: instant, value: 182.4, quality: 'good' }], next_cursor: null } },
          buckets: {
            value: { data: [{ at: '2026-11-20T08:15:00.000000Z', avg: 181.9, max: 183 }], next_cursor: null },
          },
        },
      },
      'application/x-ndjson': { schema: { type: 'string' }, example: `{"at":"${instant}","value":182.4}\n` },
      'text/csv': { schema: { type: 'string' }, example: `at,value,quality\n${instant},182.4,good\n` },
    },
  });
}

const verdict = {
  'application/json': {
    schema: { $ref: '#/components/schemas/IngestVerdict' },
    example: {
      accepted: 998,
      duplicates: 1,
      rejected: [{ index: 7, code: 'unknown_sensor', detail: 'No sensor of this entity has the code or id "OVEN-9".' }],
    },
  },
};

const newReading = { sensor: 'OVEN-3-T1', at: instant, value: 182.4 };
const newHeartbeat = { sensor: 'OVEN-3-T1', status: 'ok', battery: 87, signal: -61, firmware: '2.4.1' };

const ingestPaths = {
  '/api/v1/sensors/readings': {
    post: operation({
      id: 'postReadings',
      tag: 'Sensor gateway',
      kind: 'ingest',
      summary: 'Send readings',
      description:
        'Each reading is judged by itself. Answered once the accepted ones are committed and synced to disk; sending a batch ' +
        'again is safe. At most 10,000 readings or 8 MiB; `Content-Encoding: gzip` is taken.',
      permissions: ['asset_sensors.ingest'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/NewReadings' },
            example: { readings: [newReading] },
          },
          'application/x-ndjson': { schema: { type: 'string' }, example: `${JSON.stringify(newReading)}\n` },
          'application/senml+json': {
            schema: { $ref: '#/components/schemas/SenmlPack' },
            example: [{ bn: 'OVEN-3-', bt: 1795508100, n: 'T1', u: 'Cel', v: 182.4 }],
          },
        },
      },
      content: verdict,
    }),
  },
  '/api/v1/sensors/heartbeats': {
    post: operation({
      id: 'postHeartbeats',
      tag: 'Sensor gateway',
      kind: 'ingest',
      summary: 'Send heartbeats',
      description: 'Tells that sensors live, and how they are; answered as readings are.',
      permissions: ['asset_sensors.ingest'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/NewHeartbeats' },
            example: { heartbeats: [newHeartbeat] },
          },
          'application/x-ndjson': { schema: { type: 'string' }, example: `${JSON.stringify(newHeartbeat)}\n` },
        },
      },
      content: verdict,
    }),
  },
};

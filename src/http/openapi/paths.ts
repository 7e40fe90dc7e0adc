import { type ClientPermission, permissionGroups } from '../../core/access/permissions.ts';
import { allFields, listFields, type ResourceDefinition } from '../../core/fields/fields.ts';
import { finish } from '../fairness/slices.ts';
import { type IngestOperation, ingestOperations } from '../ingest/operations.ts';
import { recordsToCsv } from '../routes/lists.ts';
import {
  influxParameters,
  lineParameters,
  listParameters,
  manyReadingsParameters,
  readingsParameters,
  sensorParameter,
} from './parameters.ts';
import { type AnswerKind, responsesOf } from './responses.ts';
import {
  instantSchema,
  listOf,
  object,
  recordExample,
  ref,
  type Schema,
  schemaNames,
  textSchema,
} from './schemas.ts';

interface Operation {
  id: string;
  tag: string;
  answers: AnswerKind;
  summary: string;
  description: string;
  parameters?: readonly Schema[];
  requestBody?: Schema;
  permissions?: readonly ClientPermission[];
  content: Schema;
}

function operation({ id, tag, answers, permissions = [], content, ...request }: Operation): Schema {
  // Alternatives: any one of the permissions is enough.
  const security = permissions.map((permission) => ({ apiKey: [permission] }));
  const isOpen = answers === 'public' || security.length > 0;
  return {
    ...{ operationId: id, tags: [tag], ...request, ...(isOpen && { security }) },
    responses: responsesOf(answers, content),
  };
}

function jsonContent(schema: Schema, example: unknown): Schema {
  return { 'application/json': { schema, example } };
}

const documentPage = {
  tag: 'Documents',
  answers: 'public',
  content: { 'text/html': { schema: textSchema } },
} as const;

const fixedOperations: Readonly<Record<string, Operation>> = {
  '/api/v1': {
    ...documentPage,
    id: 'getDocumentsAtRoot',
    summary: 'Interactive documents',
    description: 'The interactive documentation of the API, the same as at `/api/v1/docs`.',
  },
  '/api/v1/docs': {
    ...documentPage,
    id: 'getDocuments',
    summary: 'Interactive documents',
    description:
      'The interactive documentation of the API; it works without the internet and stores no key.',
  },
  '/api/v1/openapi.json': {
    ...documentPage,
    id: 'getSpecification',
    summary: 'This document',
    description:
      'The machine-readable specification, with the exact response schemas of the deployed version.',
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  '/api/v1/me': {
    id: 'getMe',
    tag: 'Key',
    answers: 'me',
    summary: 'Confirm the key',
    description:
      'Returns the organization, the entity and the permissions of the key in the request. A proxy that asks here whether a key is let in copies the headers `Hkctl-Entity`, `Hkctl-Permissions` and `Hkctl-Key-Prefix` for the service behind it.',
    content: jsonContent(ref('Me'), {
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
    }),
  },
  '/api/v1/resources': {
    id: 'listResources',
    tag: 'Key',
    answers: 'key',
    summary: 'List the paths of the key',
    description: 'The paths that this key can read or, for ingest, post to; `methods` says which.',
    content: jsonContent(object({ data: listOf(ref('ResourceEntry')) }), {
      data: [
        {
          name: 'parts',
          path: '/api/v1/parts',
          title: 'Parts',
          permissions: ['parts.view'],
          methods: ['GET'],
        },
      ],
    }),
  },
};

/** Every path of the document. */
export function paths(resources: readonly ResourceDefinition[]): Schema {
  const fixedPaths = Object.entries(fixedOperations).map(([path, declared]) => [
    path,
    { get: operation(declared) },
  ]);
  const ingestPaths = ingestOperations.map((declared) => [
    declared.path,
    { post: operation(toPost(declared)) },
  ]);
  return Object.fromEntries([...fixedPaths, ...resources.flatMap(resourcePaths), ...ingestPaths]);
}

function resourcePaths(resource: ResourceDefinition): [path: string, item: Schema][] {
  const { name, title, singular, summary, permissions } = resource;
  const { single } = schemaNames(resource);
  const isSensors = name === 'sensors';
  const permissionGroup = permissionGroups.find((group) =>
    group.permissions.some(({ key }) => key === permissions[0]),
  );
  const sharedParts = { tag: permissionGroup?.name ?? 'Key', permissions };
  const listOperation = operation({
    ...sharedParts,
    id: `list${camelCase(title)}`,
    answers: 'list',
    summary: `List ${withLowerInitial(title)}`,
    description: `${summary} Ordered by the first range parameter of the request, else by \`id\`. As CSV with the columns of an import if \`Accept\` asks for it; the next page is then in \`Link\` only.`,
    parameters: listParameters(resource),
    content: listContent(resource),
  });
  const singleOperation = operation({
    ...sharedParts,
    id: `get${single}`,
    answers: 'single',
    summary: `Read one ${singular}`,
    description: `One ${singular} of the key's entity, with all of its fields.`,
    parameters: [isSensors ? sensorParameter : { $ref: '#/components/parameters/Id' }],
    content: jsonContent(ref(single), recordExample(resource, allFields(resource))),
  });
  const path = `/api/v1/${name}`;
  const readings: [string, Schema][] = isSensors
    ? [
        [`${path}/{id}/readings`, { get: operation({ ...sharedParts, ...readReadings }) }],
        ['/api/v1/readings', { get: operation({ ...sharedParts, ...readManyReadings }) }],
      ]
    : [];
  return [[path, { get: listOperation }], [`${path}/{id}`, { get: singleOperation }], ...readings];
}

function camelCase(title: string): string {
  return title.replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** An abbreviation such as OEE keeps its letters. */
function withLowerInitial(title: string): string {
  return title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

const nextCursor: Schema = {
  type: ['string', 'null'],
  description: 'Send it as `cursor` to get the next page; null on the last page, and only there.',
};

function listContent(resource: ResourceDefinition): Schema {
  const { single, item } = schemaNames(resource);
  // With `include` a list shows the same fields as the single record.
  const recordItem = single === item ? ref(item) : { anyOf: [ref(single), ref(item)] };
  const properties = {
    data: listOf(recordItem),
    removed: {
      ...listOf(textSchema),
      description: 'Only in answer to `sync_token`: the ids of records that were removed since.',
    },
    next_cursor: nextCursor,
    sync_token: {
      type: ['string', 'null'],
      description:
        'On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since ' +
        'the first page was read. Null elsewhere.',
    },
  };
  const exampleRecord = recordExample(resource, listFields(resource));
  const removed = [resource.idExample.replace(/\d+$/, '0999')];
  const lastPage = { next_cursor: null, sync_token: 'WyJxMm9SVXg5a1p0TDQiLCIiLCIiLDIwNzc4XQ' };
  const examples = {
    page: { summary: 'A list of one page', value: { data: [exampleRecord], ...lastPage } },
    changes: {
      summary: 'What has changed since a sync token',
      value: { data: [exampleRecord], removed, ...lastPage },
    },
  };
  const exampleCsv = finish(recordsToCsv(resource, [exampleRecord])).toString();
  return {
    'application/json': { schema: object(properties, ['removed']), examples },
    'text/csv': { schema: textSchema, example: exampleCsv },
  };
}

function readingsPage(schemaName: string): Schema {
  return object({ data: listOf(ref(schemaName)), next_cursor: nextCursor });
}

const aboutReadings =
  'With NDJSON and CSV the next page is in the `Link` header. A page counts as one request for each 10,000 readings, or part of ' +
  'them, that it writes; a reading that is only aggregated counts a hundredth, and so does a quarter of an hour whose aggregates are ' +
  'kept. However many readings its buckets hold, a page has up to `limit` of them; `at` is the beginning of a bucket. The first one may begin before `from`, but contains only readings ' +
  'from `from` on. If the organization keeps readings for a limited time, older ones are dropped and only their quarter-hourly ' +
  'summaries stay: buckets of whole quarters of an hour count them, other buckets and single readings do not. A summary counts if all of ' +
  'its quarter lies within `from` and `to`. Their `increase` is exact, also over resets; that of hours summed up by version 0.2.0 ' +
  'sees a reset only if the hour ends below its beginning.';

const readReadings = {
  id: 'listSensorReadings',
  answers: 'readings',
  summary: 'Read readings',
  description: `Readings of a sensor in order of time or, with \`bucket\`, their aggregates; as JSON, NDJSON or CSV by \`Accept\`. ${aboutReadings}`,
  parameters: readingsParameters,
  content: {
    'application/json': {
      schema: { anyOf: [readingsPage('Reading'), readingsPage('ReadingBucket')] },
      examples: {
        readings: {
          value: {
            data: [{ at: instantSchema, value: 182.4, quality: 'good' }],
            next_cursor: null,
          },
        },
        buckets: {
          value: {
            data: [{ at: '2026-11-20T08:15:00.000000Z', avg: 181.9, max: 183 }],
            next_cursor: null,
          },
        },
      },
    },
    'application/x-ndjson': {
      schema: textSchema,
      example: `{"at":"${instantSchema}","value":182.4}\n`,
    },
    'text/csv': { schema: textSchema, example: `at,value,quality\n${instantSchema},182.4,good\n` },
  },
} as const;

const readManyReadings = {
  id: 'listReadings',
  answers: 'manyReadings',
  summary: 'Read readings of many sensors',
  description: `The same for up to 100 sensors at once: a group for each sensor, in the order in which they are asked for. NDJSON and CSV have a column \`sensor\` with its code. \`limit\` counts the readings of the page, \`last\` those of each sensor. ${aboutReadings}`,
  parameters: manyReadingsParameters,
  content: {
    'application/json': {
      schema: object({ data: listOf(ref('SensorReadings')), next_cursor: nextCursor }),
      example: {
        data: [
          {
            sensor: { id: 'SE-1001', code: 'OVEN-3-T1' },
            data: [{ at: instantSchema, value: 182.4, quality: 'good' }],
          },
        ],
        next_cursor: null,
      },
    },
    'application/x-ndjson': {
      schema: textSchema,
      example: `{"sensor":"OVEN-3-T1","at":"${instantSchema}","value":182.4}\n`,
    },
    'text/csv': {
      schema: textSchema,
      example: `sensor,at,value,quality\nOVEN-3-T1,${instantSchema},182.4,good\n`,
    },
  },
} as const;

function toPost({
  id,
  summary,
  description,
  permissions,
  schema,
  examples,
}: IngestOperation): Operation {
  const schemas: Record<string, Schema> = {
    ...(schema && { 'application/json': ref(schema) }),
    'text/plain': textSchema,
    'application/x-ndjson': textSchema,
    'application/vnd.influx.line-protocol': textSchema,
    'application/senml+json': ref('SenmlPack'),
  };
  const bodyContents = Object.entries(examples).map(([mediaType, example]) => [
    mediaType,
    { schema: schemas[mediaType], example },
  ]);
  const request = {
    ...{ id, tag: 'Sensor gateway', summary, description, permissions },
    requestBody: { required: true, content: Object.fromEntries(bodyContents) },
  };
  if (schema === undefined)
    return {
      ...{ ...request, answers: 'write', parameters: influxParameters },
      content: jsonContent(object({ code: { type: 'string' }, message: { type: 'string' } }), {
        code: 'invalid',
        message:
          'partial write: 1 reading rejected, the others are stored: line 2: unknown_sensor: ' +
          'No sensor of this entity has the code or id "OVEN-9".',
      }),
    };
  return {
    ...{ ...request, answers: 'ingest' },
    ...('application/vnd.influx.line-protocol' in examples && { parameters: lineParameters }),
    content: jsonContent(ref('IngestResult'), {
      accepted: 998,
      duplicates: 1,
      rejected: [
        {
          index: 7,
          code: 'unknown_sensor',
          detail: 'No sensor of this entity has the code or id "OVEN-9".',
        },
      ],
    }),
  };
}

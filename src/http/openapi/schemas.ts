import { clientPermissions } from '../../core/access/permissions.ts';
import { qualities } from '../../core/port/readings.ts';
import { heartbeatStatuses } from '../../core/readings/heartbeats.ts';
import { maxBatch, rejectionCodes } from '../../core/readings/rejections.ts';
import {
  allFields,
  type Field,
  type Fields,
  listFields,
  type ResourceDefinition,
  textFormats,
} from '../../core/records/fields.ts';
import { apiCodes } from '../request/problem.ts';

/** A JSON Schema, as OpenAPI 3.1 has it. */
export type Schema = Record<string, unknown>;

/** Names of a resource's schemas: `Part`, and `PartSummary` where its list shows less than the single record. */
export function schemaNames(resource: ResourceDefinition): { single: string; item: string } {
  const single = resource.singular
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  const hasDetail = Object.values(resource.fields).some(({ detail }) => detail);
  return { single, item: hasDetail ? `${single}Summary` : single };
}

/** Every schema of the document. */
export function schemas(resources: readonly ResourceDefinition[]): Record<string, Schema> {
  const records = resources.flatMap((resource) => {
    const { single, item } = schemaNames(resource);
    const all = recordSchema(resource, allFields(resource));
    const listed = recordSchema(resource, listFields(resource));
    return item === single
      ? [[single, all]]
      : [
          [single, all],
          [item, listed],
        ];
  });
  return { ...fixedSchemas, ...Object.fromEntries(records) };
}

/** An example of a record as the API shows it. */
export function recordExample(resource: ResourceDefinition, kind: 'single' | 'item'): Record<string, unknown> {
  const fields = kind === 'single' ? allFields(resource) : listFields(resource);
  const example = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.example]));
  const state = { last_reading_at: instant, last_value: 182.4, last_heartbeat_at: instant, last_status: 'ok' };
  return { ...example, id: resource.idExample, ...(resource.name === 'sensors' && state) };
}

/** A page of one example. */
export function pageExample(resource: ResourceDefinition): Schema {
  return { data: [recordExample(resource, 'item')], next_cursor: null };
}

/** The schema of a list's answer. */
export function pageSchema(item: string): Schema {
  return object({
    data: { type: 'array', items: { $ref: `#/components/schemas/${item}` } },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Give it as `cursor` for the next page; null at the end, and only there.',
    },
  });
}

export const instant = '2026-11-20T08:15:00.123456Z';

function recordSchema(resource: ResourceDefinition, fields: Fields): Schema {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));
  const isSensors = resource.name === 'sensors';
  return { description: resource.summary, ...object({ ...properties, ...(isSensors && sensorState) }) };
}

/** The schema of a field's value. All fields are always there; what has no value is null. */
export function fieldSchema(field: Field): Schema {
  const unit = field.unit === undefined ? '' : ` Unit: ${field.unit}.`;
  const about = { description: `${field.doc}${unit}`, examples: [field.example] };
  const nullable = (type: string) => (field.required ? type : [type, 'null']);
  switch (field.kind) {
    case 'text': {
      const { maxLength, format } = field;
      return { type: nullable('string'), maxLength, ...(format && { pattern: textFormats[format].pattern }), ...about };
    }
    case 'enum':
      return { type: nullable('string'), enum: [...field.values, ...(field.required ? [] : [null])], ...about };
    case 'integer':
    case 'decimal': {
      const { min, max } = field;
      const type = field.kind === 'integer' ? 'integer' : 'number';
      return {
        type: nullable(type),
        ...(min !== undefined && { minimum: min }),
        ...(max !== undefined && { maximum: max }),
        ...about,
      };
    }
    case 'boolean':
      return { type: nullable('boolean'), ...about };
    case 'date':
      return { type: nullable('string'), format: 'date', ...about };
    case 'instant':
      return { type: nullable('string'), format: 'date-time', ...about };
    case 'list':
      return { type: 'array', items: field.of ? objectOf(field.of) : { type: 'string' }, ...about };
  }
}

function objectOf(fields: Fields): Schema {
  return object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])));
}

/** An object of which everything is always there, unless named as optional. */
function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

const text: Schema = { type: 'string' };
const dateTime: Schema = { type: 'string', format: 'date-time' };
const dateTimeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' };
const permission: Schema = { type: 'string', enum: [...clientPermissions] };

const sensorState: Record<string, Schema> = {
  last_reading_at: { ...dateTimeOrNull, description: 'Instant of the newest reading; null before the first.' },
  last_value: { type: ['number', 'null'], description: 'Value of the newest reading.' },
  last_heartbeat_at: { ...dateTimeOrNull, description: 'Instant of the newest heartbeat; null before the first.' },
  last_status: {
    type: ['string', 'null'],
    enum: [...heartbeatStatuses, null],
    description: 'Status that the newest heartbeat told, if it told one.',
  },
};

const sensorName: Schema = {
  ...text,
  description: "The sensor's code or id in the key's entity.",
  examples: ['OVEN-3-T1'],
};
const at: Schema = {
  oneOf: [
    { type: 'string', format: 'date-time', description: 'RFC 3339 with an offset, kept to the microsecond.' },
    { type: 'integer', minimum: 100_000_000_000, description: 'Epoch milliseconds; never epoch seconds.' },
  ],
  examples: [instant],
};

const fixedSchemas: Record<string, Schema> = {
  Me: object({
    tenant: object({ id: text, name: text }),
    entity: object({ id: text, code: text, name: text, timezone: { ...text, description: 'IANA time zone.' } }),
    key: object({
      id: text,
      prefix: { ...text, description: 'The first eight characters of the secret.', pattern: '^hk_[0-9A-Za-z]{5}$' },
      name: text,
      expires_at: { ...dateTimeOrNull, description: 'Null where the key never expires.' },
    }),
    permissions: { type: 'array', items: permission },
    resources: { type: 'array', items: text, description: 'Paths that this key can read or, for ingest, post to.' },
    server_time: dateTime,
  }),
  ResourceEntry: object({
    name: text,
    path: text,
    title: text,
    permissions: { type: 'array', items: permission, description: 'Any one of these opens it.' },
    methods: { type: 'array', items: { type: 'string', enum: ['GET', 'POST'] } },
  }),
  Reading: object(
    {
      at: dateTime,
      value: { type: 'number' },
      quality: { type: 'string', enum: [...qualities], description: 'Absent where the gateway told none.' },
    },
    ['quality'],
  ),
  ReadingBucket: object(
    {
      at: { ...dateTime, description: 'Start of the bucket; buckets start at multiples of their length since 1970.' },
      avg: { type: 'number' },
      min: { type: 'number' },
      max: { type: 'number' },
      last: { type: 'number' },
      count: { type: 'integer' },
    },
    ['avg', 'min', 'max', 'last', 'count'],
  ),
  NewReading: object(
    {
      sensor: sensorName,
      at,
      value: {
        type: ['number', 'boolean'],
        description: 'A finite number, or a boolean for 1 and 0.',
        examples: [182.4],
      },
      unit: { type: ['string', 'null'], description: "If given, it must be the sensor's own.", examples: ['Cel'] },
      quality: { type: ['string', 'null'], enum: [...qualities, null] },
    },
    ['unit', 'quality'],
  ),
  NewReadings: object({
    readings: { type: 'array', maxItems: maxBatch, items: { $ref: '#/components/schemas/NewReading' } },
  }),
  NewHeartbeat: object(
    {
      sensor: sensorName,
      at: { ...at, description: 'Time of receipt where it is absent.' },
      status: { type: ['string', 'null'], enum: [...heartbeatStatuses, null] },
      battery: { type: ['number', 'null'], minimum: 0, maximum: 100, description: 'Charge in percent.' },
      signal: { type: ['number', 'null'], minimum: -200, maximum: 100, description: 'Strength in dBm.' },
      firmware: { type: ['string', 'null'], minLength: 1, maxLength: 64 },
    },
    ['at', 'status', 'battery', 'signal', 'firmware'],
  ),
  NewHeartbeats: object({
    heartbeats: { type: 'array', maxItems: maxBatch, items: { $ref: '#/components/schemas/NewHeartbeat' } },
  }),
  SenmlPack: {
    type: 'array',
    maxItems: maxBatch,
    description: 'A SenML pack (RFC 8428). Base fields, relative times and `v` or `vb` are understood.',
    items: { type: 'object' },
  },
  IngestVerdict: object({
    accepted: { type: 'integer', description: 'So many are on disk now.' },
    duplicates: { type: 'integer', description: 'So many were there before, with the same value: a retry is safe.' },
    rejected: {
      type: 'array',
      description: 'Those that were not taken, and why. Sending them again changes nothing.',
      items: object({
        index: { type: 'integer', description: 'Position in the body, from 0.' },
        code: { type: 'string', enum: Object.keys(rejectionCodes) },
        detail: text,
      }),
    },
  }),
  Problem: {
    description: 'Every error (RFC 9457). `code` is for programs and does not change; `detail` is for people and may.',
    ...object(
      {
        type: { type: 'string', format: 'uri' },
        title: text,
        status: { type: 'integer' },
        detail: text,
        code: { type: 'string', enum: [...apiCodes] },
        request_id: { ...text, description: 'Tell it to the operator: the log has the same.' },
        permissions: {
          type: 'array',
          items: permission,
          description: 'With `permission_required`: any one of these would do.',
        },
      },
      ['permissions'],
    ),
  },
};

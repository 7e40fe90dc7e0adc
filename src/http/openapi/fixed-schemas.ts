import { clientPermissions } from '../../core/access/permissions.ts';
import { qualities } from '../../core/port/readings.ts';
import { heartbeatStatuses } from '../../core/readings/heartbeats.ts';
import { maxBatch, rejectionCodes } from '../../core/readings/rejections.ts';
import { apiCodes } from '../answers/problem.ts';
import {
  dateTime,
  dateTimeOrNull,
  instantSchema,
  listOf,
  object,
  openEnum,
  ref,
  type Schema,
  textSchema,
} from './schemas.ts';

const number: Schema = { type: 'number' };
const integer: Schema = { type: 'integer' };
const textOrNull: Schema = { type: ['string', 'null'] };
const permissions = listOf(openEnum(clientPermissions));
const sensor = {
  ...textSchema,
  description: "The sensor's code or id in the key's entity.",
  examples: ['OVEN-3-T1'],
};
const at: Schema = {
  oneOf: [
    { ...dateTime, description: 'RFC 3339 with an offset, kept to the microsecond.' },
    {
      type: 'integer',
      minimum: 100_000_000_000,
      description: 'Epoch milliseconds; never epoch seconds.',
    },
  ],
  examples: [instantSchema],
};

function batchOf(schema: string): Schema {
  return { type: 'array', maxItems: maxBatch, items: ref(schema) };
}

/** The schemas of the document that no resource declares. */
export const fixedSchemas: Record<string, Schema> = {
  Me: object({
    tenant: object({ id: textSchema, name: textSchema }),
    entity: object({
      id: textSchema,
      code: textSchema,
      name: textSchema,
      timezone: { ...textSchema, description: 'IANA time zone.' },
    }),
    key: object({
      id: textSchema,
      prefix: {
        ...textSchema,
        description: 'The first eight characters of the secret.',
        pattern: '^hk_[0-9A-Za-z]{5}$',
      },
      name: textSchema,
      expires_at: { ...dateTimeOrNull, description: 'Null if the key never expires.' },
    }),
    permissions,
    resources: {
      ...listOf(textSchema),
      description: 'Paths that this key can read or, for ingest, post to.',
    },
    server_time: dateTime,
  }),
  ResourceEntry: object({
    name: textSchema,
    path: textSchema,
    title: textSchema,
    permissions: { ...permissions, description: 'Any one of these is enough.' },
    methods: listOf({ type: 'string', enum: ['GET', 'POST'] }),
  }),
  Reading: object(
    {
      at: dateTime,
      value: number,
      quality: {
        type: 'string',
        enum: [...qualities],
        description: 'Absent if the gateway sent none.',
      },
    },
    ['quality'],
  ),
  ReadingBucket: object(
    {
      at: {
        ...dateTime,
        description: 'Beginning of the bucket, perhaps before `from`.',
      },
      ...{ avg: number, min: number, max: number, first: number, last: number },
      ...{ count: { type: 'integer' }, increase: number },
    },
    ['avg', 'min', 'max', 'first', 'last', 'count', 'increase'],
  ),
  SensorReadings: object({
    sensor: object({ id: textSchema, code: textSchema }),
    data: {
      type: 'array',
      items: { anyOf: [ref('Reading'), ref('ReadingBucket')] },
    },
  }),
  NewReading: object(
    {
      sensor,
      at,
      value: {
        type: ['number', 'boolean'],
        description: 'A finite number, or a boolean for 1 and 0.',
        examples: [182.4],
      },
      unit: {
        ...textOrNull,
        description: 'If given, it must be the unit of the sensor.',
        examples: ['Cel'],
      },
      quality: { type: ['string', 'null'], enum: [...qualities, null] },
    },
    ['unit', 'quality'],
  ),
  NewReadings: object({ readings: batchOf('NewReading') }),
  NewHeartbeat: object(
    {
      sensor,
      at: { ...at, description: 'Defaults to the time of receipt.' },
      status: { type: ['string', 'null'], enum: [...heartbeatStatuses, null] },
      battery: {
        type: ['number', 'null'],
        minimum: 0,
        maximum: 100,
        description: 'Charge in percent.',
      },
      signal: {
        type: ['number', 'null'],
        minimum: -200,
        maximum: 100,
        description: 'Strength in dBm.',
      },
      firmware: { type: ['string', 'null'], minLength: 1, maxLength: 64 },
    },
    ['at', 'status', 'battery', 'signal', 'firmware'],
  ),
  NewHeartbeats: object({ heartbeats: batchOf('NewHeartbeat') }),
  SenmlPack: {
    type: 'array',
    maxItems: maxBatch,
    description:
      'A SenML pack (RFC 8428). Base fields, relative times and `v` or `vb` are supported; texts, data and sums (`vs`, `vd`, `s`) ' +
      'are rejected. A record without an absolute time is stamped on receipt, so that a pack that is sent again is stored again.',
    items: { type: 'object' },
  },
  IngestResult: object({
    accepted: { type: 'integer', description: 'Number of items that were stored on disk.' },
    duplicates: {
      ...integer,
      description: 'Number of items that were stored before with the same value: a retry is safe.',
    },
    rejected: {
      type: 'array',
      description: 'The items that were refused, and why. Sending them again changes nothing.',
      items: object({
        index: {
          type: 'integer',
          description: 'Position in the body, from 0; lines count without blank ones and comments.',
        },
        code: openEnum(Object.keys(rejectionCodes)),
        detail: textSchema,
      }),
    },
  }),
  Problem: {
    description:
      'Every error (RFC 9457). `code` is for programs and does not change; `detail` is for people and may change.',
    ...object(
      {
        type: { type: 'string', format: 'uri' },
        title: textSchema,
        status: { type: 'integer' },
        detail: textSchema,
        code: openEnum(apiCodes),
        request_id: {
          ...textSchema,
          description: 'Report it to the operator: the log has the same id.',
        },
        permissions: {
          ...permissions,
          description: 'With `permission_required`: any one of these is enough.',
        },
      },
      ['permissions'],
    ),
  },
};

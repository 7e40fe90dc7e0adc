import { clientPermissions } from '../../core/access/permissions.ts';
import { qualities } from '../../core/port/readings.ts';
import { heartbeatStatuses } from '../../core/readings/heartbeats.ts';
import { maxBatch, rejectionCodes } from '../../core/readings/rejections.ts';
import { apiCodes } from '../answers/problem.ts';
import { object, openEnum, type Schema } from './field-schemas.ts';

/** An instant for examples, as readings have them. */
export const instant = '2026-11-20T08:15:00.123456Z';

const text: Schema = { type: 'string' };
const dateTime: Schema = { type: 'string', format: 'date-time' };
const dateTimeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' };
const permission = openEnum(clientPermissions);

export const sensorState: Record<string, Schema> = {
  last_reading_at: { ...dateTimeOrNull, description: 'Instant of the newest reading; null before the first.' },
  last_value: { type: ['number', 'null'], description: 'Value of the newest reading.' },
  last_heartbeat_at: { ...dateTimeOrNull, description: 'Instant of the newest heartbeat; null before the first.' },
  last_status: {
    type: ['string', 'null'],
    enum: [...heartbeatStatuses, null],
    description: 'Status of the newest heartbeat; null if it had none.',
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

export const fixedSchemas: Record<string, Schema> = {
  Me: object({
    tenant: object({ id: text, name: text }),
    entity: object({ id: text, code: text, name: text, timezone: { ...text, description: 'IANA time zone.' } }),
    key: object({
      id: text,
      prefix: { ...text, description: 'The first eight characters of the secret.', pattern: '^hk_[0-9A-Za-z]{5}$' },
      name: text,
      expires_at: { ...dateTimeOrNull, description: 'Null if the key never expires.' },
    }),
    permissions: { type: 'array', items: permission },
    resources: { type: 'array', items: text, description: 'Paths that this key can read or, for ingest, post to.' },
    server_time: dateTime,
  }),
  ResourceEntry: object({
    name: text,
    path: text,
    title: text,
    permissions: { type: 'array', items: permission, description: 'Any one of these is enough.' },
    methods: { type: 'array', items: { type: 'string', enum: ['GET', 'POST'] } },
  }),
  Reading: object(
    {
      at: dateTime,
      value: { type: 'number' },
      quality: { type: 'string', enum: [...qualities], description: 'Absent if the gateway sent none.' },
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
      unit: {
        type: ['string', 'null'],
        description: 'If given, it must be the unit of the sensor.',
        examples: ['Cel'],
      },
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
      at: { ...at, description: 'Defaults to the time of receipt.' },
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
    description: 'A SenML pack (RFC 8428). Base fields, relative times and `v` or `vb` are supported.',
    items: { type: 'object' },
  },
  IngestResult: object({
    accepted: { type: 'integer', description: 'Number of items that were stored on disk.' },
    duplicates: {
      type: 'integer',
      description: 'Number of items that were stored before with the same value: a retry is safe.',
    },
    rejected: {
      type: 'array',
      description: 'The items that were refused, and why. Sending them again changes nothing.',
      items: object({
        index: { type: 'integer', description: 'Position in the body, from 0.' },
        code: openEnum(Object.keys(rejectionCodes)),
        detail: text,
      }),
    },
  }),
  Problem: {
    description:
      'Every error (RFC 9457). `code` is for programs and does not change; `detail` is for people and may change.',
    ...object(
      {
        type: { type: 'string', format: 'uri' },
        title: text,
        status: { type: 'integer' },
        detail: text,
        code: openEnum(apiCodes),
        request_id: { ...text, description: 'Report it to the operator: the log has the same id.' },
        permissions: {
          type: 'array',
          items: permission,
          description: 'With `permission_required`: any one of these is enough.',
        },
      },
      ['permissions'],
    ),
  },
};

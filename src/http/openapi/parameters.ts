import type { Field, ResourceDefinition } from '../../core/fields/fields.ts';
import { aggregates } from '../../core/port/readings.ts';
import { pageLimit, readingPageLimit } from '../../core/records/parameters.ts';
import { type PageParameter, pageParameters } from '../../core/records/queries.ts';
import { dateTime, fieldSchema, instantSchema, type Schema } from './schemas.ts';

export const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of the record, percent-encoded.',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
};

export const sensorParameter = {
  ...idParameter,
  description: "The sensor's id or code, percent-encoded.",
};

export function listParameters(resource: ResourceDefinition): Schema[] {
  return pageParameters(resource).map((parameter) => ({
    name: parameter.name,
    ...inQuery,
    ...describe(parameter),
  }));
}

const inQuery = { in: 'query', required: false };

function describe({ name, role, on, names = [] }: PageParameter): Schema {
  if (role === 'limit') return limitOf(pageLimit);
  if (role === 'sync_token') return syncToken;
  if (role === 'sort') return sortBy(names);
  if (role === 'include')
    return listOfNames(
      'Fields of the single record that the list shows, too.',
      names,
      names.slice(0, 1),
    );
  return on ? filterOf(name, role, on.field, on.declaration) : cursor;
}

function limitOf(bounds: { default: number; max: number }): Schema {
  return {
    description: 'The most records in one page; it may hold fewer, even if more follow.',
    schema: { type: 'integer', minimum: 1, maximum: bounds.max, default: bounds.default },
  };
}

function listOfNames(
  description: string,
  names: readonly string[],
  example: readonly string[],
): Schema {
  const schema = {
    type: 'array',
    uniqueItems: true,
    minItems: 1,
    items: { type: 'string', enum: [...names] },
  };
  return { description, style: 'form', explode: false, schema, example };
}

function sortBy(names: readonly string[]): Schema {
  const description =
    'The field that orders the whole list, with `-` before it in reverse; empty values come last.';
  const values = names.flatMap((name) => [name, `-${name}`]);
  return { description, schema: { type: 'string', enum: values }, example: '-updated_at' };
}

const cursor = {
  description: 'The `next_cursor` of the previous page, with all other parameters unchanged.',
  schema: { type: 'string', maxLength: 2000 },
};

const syncToken = {
  description:
    'The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days.',
  schema: { type: 'string', maxLength: 2000 },
};

const inEntityZone = " in the entity's time zone";

/** An instant, or a day that means its start or its end. */
const instantOrDay = { anyOf: [dateTime, { type: 'string', format: 'date' }] };

function filterOf(
  name: string,
  role: PageParameter['role'],
  field: string,
  declaration: Field,
): Schema {
  const {
    examples: _,
    description: __,
    ...schema
  } = fieldSchema({ ...declaration, required: true });
  const { doc, example } = declaration;
  const isInstant = declaration.kind === 'instant';
  const subject = `Only records whose \`${field}\``;
  if (name === 'updated_since') {
    const description = `Only records that changed at or after this instant, or since the start of this day${inEntityZone}.`;
    return { description, schema: instantOrDay, example };
  }
  if (role === 'equals')
    return { description: `${subject} equals this value. ${doc}`, schema, example };
  if (role === 'week') {
    const weekText = `the week that contains this day, by the organization's week start${isInstant ? inEntityZone : ''}`;
    return {
      description: `${subject} lies in ${weekText}.`,
      schema: { type: 'string', format: 'date' },
      example: '2026-11-20',
    };
  }
  const boundWords = role === 'from' ? 'not before' : 'not after';
  const dayRule = isInstant ? `; a day means all of it${inEntityZone}` : '';
  const description = `${subject} is ${boundWords} this value (inclusive${dayRule}).`;
  return { description, schema: isInstant ? instantOrDay : schema, example };
}

const instantOrMs = { anyOf: [...instantOrDay.anyOf, { type: 'integer' }] };

const epochRule =
  'RFC 3339 with an offset, or whole epoch milliseconds from 100,000,000,000 on (less would be epoch seconds)';

/** The parameters that the readings of one sensor and of many share. */
const rangeParameters: readonly Schema[] = [
  {
    ...inQuery,
    name: 'from',
    description: `First instant, inclusive: ${epochRule}; or a day: its start${inEntityZone}.`,
    schema: instantOrMs,
    example: instantSchema,
  },
  {
    ...inQuery,
    name: 'to',
    description: `Last instant, exclusive: in the same forms as \`from\`; or a day: its start${inEntityZone}.`,
    schema: instantOrMs,
    example: '2026-11-21T00:00:00Z',
  },
  { ...inQuery, name: 'limit', ...limitOf(readingPageLimit) },
  { ...inQuery, name: 'cursor', ...cursor },
  {
    ...inQuery,
    name: 'order',
    description: 'With `desc` the newest row comes first.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
  },
  {
    ...inQuery,
    name: 'last',
    description:
      'Only the newest rows, so many of each sensor: readings or, with `bucket`, buckets that hold any. Without `limit` ' +
      'they are one page, up to 100,000.',
    schema: { type: 'integer', minimum: 1, maximum: readingPageLimit.max },
    example: 10,
  },
  {
    ...inQuery,
    name: 'bucket',
    description:
      'Length of the buckets: a number followed by s, m, h, d or w, at most 36500d; or 1mo, 3mo or 1y. Those in `s`, `m` and `h` (so `24h`, ' +
      `too) start at multiples of it since 1970-01-01T00:00:00Z. Those in \`d\` and \`w\` start at midnight${inEntityZone} (where ` +
      "midnight is skipped, with the day's first instant), weeks on the organization's first day, and last as long as they " +
      'do there: a day may have 23 or 25 hours. Several days or weeks count from the one with 1970-01-01. `1mo`, `3mo` and `1y` ' +
      'start at midnight of the first day of the month, the quarter and the year.',
    schema: { type: 'string', pattern: '^([1-9][0-9]{0,5}[smhdw]|1mo|3mo|1y)$' },
    example: '5m',
  },
  {
    ...inQuery,
    name: 'agg',
    ...listOfNames(
      'With `bucket`: the aggregates of each bucket; the default is `avg`. `increase` is what a counter has grown by since the ' +
        'last reading before the bucket, or before `from` in the first one; a fall is a reset, and counts from 0.',
      aggregates,
      ['avg', 'max'],
    ),
  },
];

export const readingsParameters: readonly Schema[] = [sensorParameter, ...rangeParameters];

export const manyReadingsParameters: readonly Schema[] = [
  {
    name: 'sensor',
    in: 'query',
    required: true,
    description:
      'Codes or ids of up to 100 sensors; each is read once. Given several times, each `sensor` is one, whose code may have a comma. An unknown one, or one of another entity, is 400.',
    style: 'form',
    explode: false,
    schema: { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string' } },
    example: ['OVEN-3-T1', 'OVEN-3-T2'],
  },
  ...rangeParameters,
];

/** The parameters of a body of line protocol. */
export const lineParameters: readonly Schema[] = [
  {
    ...inQuery,
    name: 'precision',
    description: 'Only with line protocol: the unit of its timestamps.',
    schema: { type: 'string', enum: ['ns', 'us', 'ms', 's'], default: 'ns' },
  },
  {
    ...inQuery,
    name: 'name',
    description:
      'Only with line protocol: with `measurement.field` each numeric field is a reading of the sensor of that name, such as ' +
      '`oven.temperature`; a boolean field is one if there is such a sensor. With `sensor.field` the field `value` is a reading of the ' +
      'sensor that the tag names, and each other numeric field one of the tag and field, such as `OVEN-3.temperature`.',
    schema: { type: 'string', enum: ['measurement.field', 'sensor.field'] },
  },
];

/** The same for clients of InfluxDB, and what these send besides. */
export const influxParameters: readonly Schema[] = [
  ...lineParameters,
  ...['org', 'orgID', 'bucket'].map((name) => ({
    ...inQuery,
    name,
    description: 'Ignored: the key says where readings go.',
    schema: { type: 'string' },
  })),
];

import type { ClientPermission } from '../../core/access/permissions.ts';
import { aggregates } from '../../core/port/readings.ts';
import { readingPageLimit } from '../../core/records/parameters.ts';
import type { Schema } from './field-schemas.ts';
import { instant } from './fixed-schemas.ts';
import { operation } from './operation.ts';
import { cursorOf, instantOrDay, limitOf, sensorParameter } from './parameters.ts';
import { pageSchema } from './schemas.ts';

const instantOrMs = { anyOf: [...instantOrDay.anyOf, { type: 'integer' }] };
const query = { in: 'query', required: false };

export function readReadings(permissions: readonly ClientPermission[]): Schema {
  const data = (item: string) => pageSchema(item);
  return operation({
    id: 'listSensorReadings',
    tag: 'Sensor lookup',
    kind: 'single',
    summary: 'Read readings',
    description:
      'Readings of a sensor in order of time or, with `bucket`, their aggregates; as JSON, NDJSON or CSV by `Accept`. With ' +
      'NDJSON and CSV the next page is in the `Link` header. A page counts as one request for each 10,000 readings, or part ' +
      'of them, that it writes or aggregates. A page of buckets covers about 1,000,000 readings and may then hold fewer ' +
      'buckets than `limit`: continue with its cursor. If the organization keeps readings for a limited time, older ones ' +
      'are dropped and only their hourly summaries stay: buckets of whole hours count them, narrower buckets and single ' +
      'readings do not. A summary counts if all of its readings lie within `from` and `to`.',
    permissions,
    okHeaders: ['ETag', 'Link'],
    parameters: [
      sensorParameter,
      {
        ...query,
        name: 'from',
        description: "First instant, inclusive, or a day: its start in the entity's time zone.",
        schema: instantOrMs,
        example: instant,
      },
      {
        ...query,
        name: 'to',
        description: "Last instant, exclusive, or a day: its start in the entity's time zone.",
        schema: instantOrMs,
        example: '2026-11-21T00:00:00Z',
      },
      { ...query, name: 'limit', ...limitOf(readingPageLimit) },
      { ...query, name: 'cursor', ...cursorOf },
      {
        ...query,
        name: 'bucket',
        description:
          'Length of the buckets: a number followed by s, m, h, d or w; at most 36500d. They start at multiples of it since ' +
          '1970-01-01T00:00:00Z.',
        schema: { type: 'string', pattern: '^[1-9][0-9]{0,5}[smhdw]$' },
        example: '5m',
      },
      {
        ...query,
        name: 'agg',
        description: 'With `bucket`: the aggregates of each bucket; the default is `avg`.',
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

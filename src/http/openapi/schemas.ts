import { allFields, type Fields, listFields, type ResourceDefinition } from '../../core/fields/fields.ts';
import { fieldSchema, object, type Schema } from './field-schemas.ts';
import { fixedSchemas, instant, sensorState } from './fixed-schemas.ts';

/** Names of a resource's schemas: `Part`, and `PartSummary` if its list shows less than the single record. */
export function schemaNames(resource: ResourceDefinition): { single: string; item: string } {
  const single = resource.singular
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  const hasDetail = Object.values(resource.fields).some(({ detail }) => detail);
  return { single, item: hasDetail ? `${single}Summary` : single };
}

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

export function recordExample(resource: ResourceDefinition, kind: 'single' | 'item'): Record<string, unknown> {
  const fields = kind === 'single' ? allFields(resource) : listFields(resource);
  const example = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.example]));
  const state = { last_reading_at: instant, last_value: 182.4, last_heartbeat_at: instant, last_status: 'ok' };
  return { ...example, id: resource.idExample, ...(resource.name === 'sensors' && state) };
}

export function listExamples(resource: ResourceDefinition): Schema {
  const data = [recordExample(resource, 'item')];
  const gone = resource.idExample.replace(/\d+$/, '0999');
  return {
    page: { summary: 'A list of one page', value: { data, next_cursor: null, sync_token } },
    changes: {
      summary: 'What has changed since a sync token',
      value: { data, removed: [gone], next_cursor: null, sync_token },
    },
  };
}

const sync_token = 'WyJxMm9SVXg5a1p0TDQiLCIiLCIiLDIwNzc4XQ';

export function listSchema(single: string, item: string): Schema {
  const one = { $ref: `#/components/schemas/${item}` };
  // With `include` a list shows what the single record shows.
  const items = single === item ? one : { anyOf: [{ $ref: `#/components/schemas/${single}` }, one] };
  return object(
    {
      data: { type: 'array', items },
      removed: {
        type: 'array',
        items: { type: 'string' },
        description: 'Only in answer to `sync_token`: the ids of records that were removed since.',
      },
      next_cursor: nextCursor,
      sync_token: {
        type: ['string', 'null'],
        description:
          'On the last page of a list without filters, and of changes: send it as `sync_token` to get what has changed since ' +
          'the first page was read. Null elsewhere.',
      },
    },
    ['removed'],
  );
}

export function pageSchema(item: string): Schema {
  return object({
    data: { type: 'array', items: { $ref: `#/components/schemas/${item}` } },
    next_cursor: nextCursor,
  });
}

const nextCursor: Schema = {
  type: ['string', 'null'],
  description: 'Send it as `cursor` to get the next page; null on the last page, and only there.',
};

function recordSchema(resource: ResourceDefinition, fields: Fields): Schema {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));
  const state = resource.name === 'sensors' ? sensorState : {};
  return { description: resource.summary, ...object({ ...properties, ...state }) };
}

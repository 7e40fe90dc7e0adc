import { allFields, type Fields, listFields, type ResourceDefinition } from '../../core/records/fields.ts';
import { fieldSchema, object, type Schema } from './field-schemas.ts';
import { fixedSchemas, instant, sensorState } from './fixed-schemas.ts';

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

/** A page with one example. */
export function pageExample(resource: ResourceDefinition): Schema {
  return { data: [recordExample(resource, 'item')], next_cursor: null };
}

/** The schema of a page. */
export function pageSchema(item: string): Schema {
  return object({
    data: { type: 'array', items: { $ref: `#/components/schemas/${item}` } },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Send it as `cursor` to get the next page; null on the last page, and only there.',
    },
  });
}

function recordSchema(resource: ResourceDefinition, fields: Fields): Schema {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));
  const state = resource.name === 'sensors' ? sensorState : {};
  return { description: resource.summary, ...object({ ...properties, ...state }) };
}

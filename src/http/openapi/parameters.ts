import type { Field } from '../../core/fields/fields.ts';
import { pageLimit } from '../../core/records/parameters.ts';
import type { PageParameter } from '../../core/records/queries.ts';
import { fieldSchema, type Schema } from './field-schemas.ts';

export const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of the record, percent-encoded.',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
};

export const sensorParameter = { ...idParameter, description: "The sensor's id or code, percent-encoded." };

export function queryParameter({ name, role, on, names = [] }: PageParameter): Schema {
  const base = { name, in: 'query', required: false };
  if (role === 'limit') return { ...base, ...limitOf(pageLimit) };
  if (role === 'sync_token') return { ...base, ...syncTokenOf };
  if (role === 'include') return { ...base, ...includeOf(names) };
  if (!on) return { ...base, ...cursorOf };
  const { description, schema, example } = filterOf(name, role, on.field, on.declaration);
  return { ...base, description, schema, example };
}

export function limitOf(bounds: { default: number; max: number }): Schema {
  return {
    description: 'The most records in one page; it may hold fewer, even if more follow.',
    schema: { type: 'integer', minimum: 1, maximum: bounds.max, default: bounds.default },
  };
}

export const cursorOf = {
  description: 'The `next_cursor` of the previous page, with all other parameters unchanged.',
  schema: { type: 'string', maxLength: 2000 },
};

const syncTokenOf = {
  description:
    'The `sync_token` of a last page: returns what has changed since. Only `limit`, `cursor` and `include` may be given with it; valid for 90 days.',
  schema: { type: 'string', maxLength: 2000 },
};

function includeOf(names: readonly string[]): Schema {
  return {
    description: 'Fields of the single record that the list shows, too.',
    style: 'form',
    explode: false,
    schema: { type: 'array', uniqueItems: true, minItems: 1, items: { type: 'string', enum: [...names] } },
    example: names.slice(0, 1),
  };
}

const ofEntity = " in the entity's time zone";

/** An instant, or a day that means its start or its end. */
export const instantOrDay = {
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
  ],
};

function filterOf(name: string, role: PageParameter['role'], field: string, declaration: Field) {
  const { examples: _, description: __, ...schema } = fieldSchema({ ...declaration, required: true });
  const example = declaration.example;
  if (name === 'updated_since') {
    const description = `Only records that changed at or after this instant, or since the start of this day${ofEntity}.`;
    return { description, schema: instantOrDay, example };
  }
  if (role === 'equals')
    return { description: `Only records whose \`${field}\` equals this value. ${declaration.doc}`, schema, example };
  if (role === 'week') {
    const zone = declaration.kind === 'instant' ? ofEntity : '';
    const description = `Only records whose \`${field}\` lies in the week that contains this day, by the organization's week start${zone}.`;
    return { description, schema: { type: 'string', format: 'date' }, example: '2026-11-20' };
  }
  const bound = role === 'from' ? 'not before' : 'not after';
  const isInstant = declaration.kind === 'instant';
  const day = isInstant ? `; a day means all of it${ofEntity}` : '';
  const description = `Only records whose \`${field}\` is ${bound} this value (inclusive${day}).`;
  return { description, schema: isInstant ? instantOrDay : schema, example };
}

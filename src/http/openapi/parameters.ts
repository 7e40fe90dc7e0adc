import type { Field } from '../../core/records/fields.ts';
import { pageLimit } from '../../core/records/parameters.ts';
import type { PageParameter } from '../../core/records/queries.ts';
import { fieldSchema, type Schema } from './field-schemas.ts';

/** The id in a path. */
export const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of the record, percent-encoded.',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
};

/** Converts a query parameter of a list. */
export function queryParameter({ name, role, on }: PageParameter): Schema {
  const base = { name, in: 'query', required: false };
  if (!on) return { ...base, ...(role === 'limit' ? limitOf(pageLimit) : cursorOf) };
  const { description, schema, example } = filterOf(name, role, on.field, on.declaration);
  return { ...base, description, schema, example };
}

/** Description and schema of `limit`. */
export function limitOf(bounds: { default: number; max: number }): Schema {
  return {
    description: 'The most records in one page; it may hold fewer, even where more follow.',
    schema: { type: 'integer', minimum: 1, maximum: bounds.max, default: bounds.default },
  };
}

/** Description and schema of `cursor`. */
export const cursorOf = {
  description: 'The `next_cursor` of the previous page, with all other parameters unchanged.',
  schema: { type: 'string', maxLength: 2000 },
};

function filterOf(name: string, role: PageParameter['role'], field: string, declaration: Field) {
  const { examples: _, description: __, ...schema } = fieldSchema({ ...declaration, required: true });
  const example = declaration.example;
  if (name === 'updated_since') {
    return { description: 'Only records that changed at or after this instant.', schema, example };
  }
  if (role === 'equals')
    return { description: `Only records whose \`${field}\` equals this value. ${declaration.doc}`, schema, example };
  if (role === 'week') {
    const zone = declaration.kind === 'instant' ? " in the entity's time zone" : '';
    const description = `Only records whose \`${field}\` lies in the week that contains this day, by the organization's week start${zone}.`;
    return { description, schema: { type: 'string', format: 'date' }, example: '2026-11-20' };
  }
  const bound = role === 'from' ? 'not before' : 'not after';
  return { description: `Only records whose \`${field}\` is ${bound} this value (inclusive).`, schema, example };
}

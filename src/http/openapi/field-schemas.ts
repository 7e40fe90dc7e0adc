import { type Field, type Fields, textFormats } from '../../core/fields/fields.ts';

/** A JSON Schema, as OpenAPI 3.1 has it. */
export type Schema = Record<string, unknown>;

/** The schema of a field's value; null if a field has no value. */
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

/** One of some texts, to which later versions may add: programs accept others. */
export function openEnum(values: readonly string[]): Schema {
  return { type: 'string', 'x-extensible-enum': [...values] };
}

function objectOf(fields: Fields): Schema {
  return object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])));
}

/** An object whose properties are all required, except those named as optional. */
export function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

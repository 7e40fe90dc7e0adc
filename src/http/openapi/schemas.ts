import {
  allFields,
  type Field,
  type Fields,
  listFields,
  type ResourceDefinition,
  textFormats,
} from '../../core/fields/fields.ts';

/** A JSON Schema, as OpenAPI 3.1 has it, or another part of the document. */
export type Schema = Record<string, unknown>;

/** An instant for examples, as readings have them. */
export const instantSchema = '2026-11-20T08:15:00.123456Z';

export const textSchema: Schema = { type: 'string' };
export const dateTime: Schema = { type: 'string', format: 'date-time' };
export const dateTimeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' };

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** A text of an open list, to which later versions may add: programs must accept unknown ones. */
export function openEnum(values: readonly string[]): Schema {
  return { type: 'string', 'x-extensible-enum': [...values] };
}

/** An object whose properties are all required, except those named as optional. */
export function object(
  properties: Record<string, Schema>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

/** The schema of a field's value; null if a field has no value. */
export function fieldSchema(field: Field): Schema {
  const unitText = field.unit === undefined ? '' : ` Unit: ${field.unit}.`;
  return {
    ...valueSchema(field),
    description: `${field.doc}${unitText}`,
    examples: [field.example],
  };
}

function valueSchema(field: Field): Schema {
  const typedSchema = (typeName: string, constraints: Schema = {}) => ({
    type: field.required ? typeName : [typeName, 'null'],
    ...constraints,
  });
  switch (field.kind) {
    case 'text': {
      const { maxLength, format, references } = field;
      return typedSchema('string', {
        maxLength,
        ...(format && { pattern: textFormats[format].pattern.source }),
        ...(references !== undefined && { 'x-references': references }),
      });
    }
    case 'enum':
      return typedSchema('string', {
        enum: field.required ? [...field.values] : [...field.values, null],
      });
    case 'integer':
    case 'decimal': {
      const { kind, min, max } = field;
      const bounds = {
        ...(min !== undefined && { minimum: min }),
        ...(max !== undefined && { maximum: max }),
      };
      return typedSchema(kind === 'integer' ? 'integer' : 'number', bounds);
    }
    case 'boolean':
      return typedSchema('boolean');
    case 'date':
      return typedSchema('string', { format: 'date' });
    case 'instant':
      return typedSchema('string', { format: 'date-time' });
    case 'list':
      return listOf(field.of ? object(fieldSchemas(field.of)) : textSchema);
  }
}

function fieldSchemas(fields: Fields): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]),
  );
}

/** Names of a resource's schemas: `Part`, and `PartSummary` if its list shows less than the single record. */
export function schemaNames({ singular, fields }: ResourceDefinition): {
  single: string;
  item: string;
} {
  const nameWords = singular.split(/[^A-Za-z0-9]+/);
  const capitalized = nameWords.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const single = capitalized.join('');
  const hasDetail = Object.values(fields).some(({ detail }) => detail);
  return { single, item: hasDetail ? `${single}Summary` : single };
}

export function recordSchemas(resource: ResourceDefinition): Record<string, Schema> {
  const { single, item } = schemaNames(resource);
  const schemaOf = (fields: Fields) => ({
    description: resource.summary,
    ...object(fieldSchemas({ ...fields, ...resource.added })),
  });
  const fullSchema = schemaOf(allFields(resource));
  return item === single
    ? { [single]: fullSchema }
    : { [single]: fullSchema, [item]: schemaOf(listFields(resource)) };
}

export function recordExample({ added }: ResourceDefinition, fields: Fields): Schema {
  return Object.fromEntries(
    Object.entries({ ...fields, ...added }).map(([name, { example }]) => [name, example]),
  );
}

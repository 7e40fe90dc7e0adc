import type { Read } from './api.ts';

/** Facts that the page takes from the OpenAPI document: a new resource needs no line of the page. */

type ValueType = 'text' | 'number' | 'boolean' | 'date' | 'instant' | 'choice' | 'list';

/** A field of a record, or a parameter that filters a list. */
export interface FieldDescription {
  name: string;
  description: string;
  type: ValueType;
  choices: readonly string[];
  /** The list whose `id` the field holds, such as `assets`. */
  references: string | undefined;
  /** The fields of the objects of a list; empty if its items are texts. */
  itemFields: readonly FieldDescription[];
}

export interface ListDescription {
  filters: readonly FieldDescription[];
  /** The fields of a list's records, in the order of the document. */
  columns: readonly FieldDescription[];
  /** The values that `sort` takes. */
  orders: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** Parameters of every list that are no filters a person would type. */
const technicalParameters: ReadonlySet<string> = new Set([
  'limit',
  'cursor',
  'updated_since',
  'sync_token',
  'include',
  'sort',
]);

export async function describeList(read: Read, listName: string): Promise<ListDescription> {
  const document = await read<Json>('openapi.json');
  const operation = memberAt(document, ['paths', `/api/v1/${listName}`, 'get']);
  const parameters = objectsOf(operation.parameters);
  const sort = parameters.find(({ name }) => name === 'sort') ?? {};
  const filters = parameters.filter((parameter) => {
    return parameter.in === 'query' && !technicalParameters.has(String(parameter.name));
  });

  const page = resolve(document, answerSchema(operation));
  const items = memberAt(page, ['properties', 'data', 'items']);
  // A list that can include more has the short form of its records last.
  const record = objectsOf(items.anyOf).at(-1) ?? items;
  return {
    filters: filters.map((parameter) => {
      const { name, description } = parameter;
      return describe(document, String(name), memberOf(parameter, 'schema'), description);
    }),
    columns: describeFields(document, record),
    orders: choicesOf(memberOf(sort, 'schema')),
  };
}

export async function describeRecord(read: Read, listName: string): Promise<FieldDescription[]> {
  const document = await read<Json>('openapi.json');
  const operation = memberAt(document, ['paths', `/api/v1/${listName}/{id}`, 'get']);
  return describeFields(document, answerSchema(operation));
}

function answerSchema(operation: Json): Json {
  return memberAt(operation, ['responses', '200', 'content', 'application/json', 'schema']);
}

function describeFields(document: Json, schema: Json): FieldDescription[] {
  const properties = memberOf(resolve(document, schema), 'properties');
  return Object.keys(properties).map((name) => {
    const property = memberOf(properties, name);
    return describe(document, name, property, property.description);
  });
}

function describe(
  document: Json,
  name: string,
  declaredSchema: Json,
  description: unknown,
): FieldDescription {
  const schema = resolve(document, declaredSchema);
  const references = schema['x-references'];
  return {
    name,
    description: String(description ?? ''),
    type: typeOf(schema),
    choices: choicesOf(schema),
    references: typeof references === 'string' ? references : undefined,
    itemFields: describeFields(document, memberOf(schema, 'items')),
  };
}

function typeOf(schema: Json): ValueType {
  if (choicesOf(schema).length > 0) return 'choice';

  const alternatives = [schema, ...objectsOf(schema.anyOf)];
  const hasType = (name: string) => alternatives.some(({ type }) => [type].flat().includes(name));
  const hasFormat = (name: string) => alternatives.some(({ format }) => format === name);
  if (hasType('array')) return 'list';
  if (hasType('boolean')) return 'boolean';
  if (hasType('number') || hasType('integer')) return 'number';
  // A parameter that takes a day or an instant is typed as a day.
  if (hasFormat('date')) return 'date';
  return hasFormat('date-time') ? 'instant' : 'text';
}

function choicesOf({ enum: values }: Json): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}

/** Follows a reference inside the document, such as `#/components/schemas/Part`. */
function resolve(document: Json, schema: Json): Json {
  if (typeof schema.$ref !== 'string') return schema;

  const memberNames = schema.$ref.replace(/^#\//, '').split('/');
  return memberAt(document, memberNames);
}

/** The object below the members of a path; an empty one if any of them is missing. */
function memberAt(object: Json, memberNames: readonly string[]): Json {
  return memberNames.reduce(memberOf, object);
}

function memberOf(object: Json, name: string): Json {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function objectsOf(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === 'object' && item !== null);
}

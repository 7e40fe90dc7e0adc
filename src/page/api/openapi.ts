import type { Api } from './api.ts';

/** Facts that the page takes from the OpenAPI document: a new resource needs no line of the page. */

export interface FilterDescription {
  name: string;
  description: string;
  type: 'text' | 'number' | 'date' | 'boolean' | 'choice';
  choices: readonly string[];
}

export interface ListDescription {
  filters: readonly FilterDescription[];
  /** The fields in the order of the document, with their explanations. */
  columns: readonly { name: string; description: string }[];
}

type Json = Readonly<Record<string, unknown>>;

/** Parameters of every list that are no filters a person would type. */
const technicalParameters: ReadonlySet<string> = new Set([
  'limit',
  'cursor',
  'updated_since',
  'sync_token',
  'include',
]);

/** Reads the description of a list of records. */
export async function describeList(api: Api, name: string): Promise<ListDescription> {
  const { body } = await api.read<Json>('openapi.json');
  const operation = memberAt(body, ['paths', `/api/v1/${name}`, 'get']);
  const parameters = objectsOf(operation.parameters).filter(isFilter);

  const pageSchema = memberAt(operation, ['responses', '200', 'content', jsonType, 'schema']);
  const page = resolve(body, pageSchema);
  const record = resolve(body, memberAt(page, ['properties', 'data', 'items']));
  const fieldSchemas = Object.entries(memberOf(record, 'properties'));
  const columns = fieldSchemas.map(([column, schema]) => ({
    name: column,
    description: String(memberOf({ schema }, 'schema').description ?? ''),
  }));
  return {
    filters: parameters.map((parameter) => toFilter(body, parameter)),
    columns,
  };
}

const jsonType = 'application/json';

function isFilter({ name }: Json): boolean {
  return typeof name === 'string' && !technicalParameters.has(name);
}

function toFilter(document: Json, parameter: Json): FilterDescription {
  const schema = resolve(document, memberOf(parameter, 'schema'));
  const choices = Array.isArray(schema.enum) ? schema.enum.map(String) : [];
  return {
    name: String(parameter.name),
    description: String(parameter.description ?? ''),
    type: filterType(schema, choices),
    choices,
  };
}

function filterType(schema: Json, choices: readonly string[]): FilterDescription['type'] {
  if (choices.length > 0) return 'choice';
  const alternatives = [schema, ...objectsOf(schema.anyOf)];
  const hasType = (name: string) => alternatives.some(({ type }) => type === name);
  const isDate = alternatives.some(({ format }) => format === 'date');
  if (hasType('boolean')) return 'boolean';
  if (isDate) return 'date';
  if (hasType('number') || hasType('integer')) return 'number';
  return 'text';
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
  const value = object[name];
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function objectsOf(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === 'object' && item !== null);
}

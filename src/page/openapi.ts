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
  const operation = member(member(member(body, 'paths'), `/api/v1/${name}`), 'get');
  const parameters = list(operation.parameters).filter(
    (parameter) => typeof parameter.name === 'string' && !technicalParameters.has(parameter.name),
  );

  const content = member(
    member(member(member(operation, 'responses'), '200'), 'content'),
    jsonType,
  );
  const page = resolve(body, member(content, 'schema'));
  const record = resolve(body, member(member(member(page, 'properties'), 'data'), 'items'));
  const columns = Object.entries(member(record, 'properties')).map(([column, schema]) => ({
    name: column,
    description: String(member({ schema }, 'schema').description ?? ''),
  }));
  return { filters: parameters.map((parameter) => toFilter(body, parameter)), columns };
}

const jsonType = 'application/json';

function toFilter(document: Json, parameter: Json): FilterDescription {
  const schema = resolve(document, member(parameter, 'schema'));
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
  const alternatives = [schema, ...list(schema.anyOf)];
  if (alternatives.some(({ type }) => type === 'boolean')) return 'boolean';
  if (alternatives.some(({ format }) => format === 'date')) return 'date';
  if (alternatives.some(({ type }) => type === 'number' || type === 'integer')) return 'number';
  return 'text';
}

/** Follows a reference inside the document, such as `#/components/schemas/Part`. */
function resolve(document: Json, schema: Json): Json {
  if (typeof schema.$ref !== 'string') return schema;
  const path = schema.$ref.replace(/^#\//, '').split('/');
  return path.reduce((place, name) => member(place, name), document);
}

function member(object: Json, name: string): Json {
  const value = object[name];
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object') : [];
}

import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openapiDocument } from '../../src/http/openapi/document.ts';
import { schemaNames } from '../../src/http/openapi/schemas.ts';
import { resources } from '../../src/resources/index.ts';

type Json = Record<string, unknown>;

/** The document, with every object and enumeration closed: an answer must not have an undocumented member or value. */
const document = JSON.parse(
  JSON.stringify(openapiDocument(resources, { version: '1.2.3' })),
  (_, value) => {
    if (isObject(value) && Array.isArray(value['x-extensible-enum']))
      return { ...value, enum: value['x-extensible-enum'] };
    return isObject(value) &&
      value.type === 'object' &&
      isObject(value.properties) &&
      !('additionalProperties' in value)
      ? { ...value, additionalProperties: false }
      : value;
  },
) as Json;

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'document', ...document });
const validators = new Map<string, ValidateFunction>();

/** An answer with its decoded body. */
export interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * The differences between an answer and the document; none for a path outside of the API. `target` is the path and query of
 * the request.
 */
export function deviations(
  target: string,
  method: string,
  { status, headers, text }: Answered,
): string[] {
  const contentType = headers.get('content-type') ?? '';
  // A slash at the end of a path is ignored.
  const path = new URL(target, 'http://localhost').pathname.replace(/(?<=.)\/$/, '');
  if (!/^\/api(\/|$)/.test(path) || path.startsWith('/api/v1/docs/')) return [];
  const operation = operationOf(path, method);
  if (operation === undefined) {
    return status < 400
      ? [`${method} ${path} is not documented`]
      : problemDeviations(contentType, text);
  }
  const documented = resolve((operation.responses as Json)[String(status)]);
  if (documented === undefined) return [`${method} ${path}: ${status} is not documented`];
  const wrong = headerDeviations(documented.value.headers, headers).map(
    (what) => `${method} ${path}: ${status} ${what}`,
  );
  if (wrong.length > 0) return wrong;
  const { content } = documented.value;
  if (!isObject(content)) return [];
  const type = contentType.split(';')[0] ?? '';
  if (!(type in content)) return [`${method} ${path}: type ${type} of ${status} is not documented`];
  if (method === 'HEAD') return [];
  if (type === 'application/x-ndjson')
    return text.split('\n').flatMap((line) => (line === '' ? [] : readingDeviations(line)));
  if (type === 'text/csv') {
    const item = /^\/api\/v1\/([\w-]+)$/.exec(path)?.[1];
    return columnDeviations(
      text.split('\n')[0]?.trim() ?? '',
      item === undefined || item === 'readings' ? readingSchemas : [schemaOf(item)],
    );
  }
  if (!/[/+]json$/.test(type)) return [];
  return check(`${documented.pointer}/content/${pointerPart(type)}/schema`, JSON.parse(text));
}

/** Checks every documented header: required ones are present, and each present one is documented and well-formed. */
function headerDeviations(documented: unknown, headers: Headers): string[] {
  const listed = isObject(documented) ? documented : {};
  return Object.entries((document.components as { headers: Record<string, Json> }).headers).flatMap(
    ([name, header]) => {
      const value = headers.get(name);
      if (value === null)
        return name in listed && header.required === true ? [`missing ${name}`] : [];
      if (!(name in listed)) return [`has ${name}, which is not documented`];
      const given = (header.schema as Json).type === 'integer' ? Number(value) : value;
      return check(`/components/headers/${name}/schema`, given).map(
        (what) => `${name}: ${value}${what}`,
      );
    },
  );
}

const readingSchemas = ['Reading', 'ReadingBucket'] as const;

/** Checks the lines of an answer, which are readings or buckets. */
function readingDeviations(line: string): string[] {
  // The rows of many sensors have the code of theirs.
  const { sensor: _, ...row }: Json = JSON.parse(line);
  const wrong = readingSchemas.map((name) => check(`/components/schemas/${name}`, row));
  return wrong.some((list) => list.length === 0) ? [] : wrong.flat();
}

/** The schema of a single record of a resource. */
function schemaOf(name: string): string {
  const resource = resources.find((one) => one.name === name);
  return resource === undefined ? name : schemaNames(resource).single;
}

function columnDeviations(header: string, of: readonly string[]): string[] {
  const { schemas } = document.components as { schemas: Record<string, { properties: Json }> };
  const known = of.map((name) => Object.keys(schemas[name]?.properties ?? {}));
  // The rows of many sensors begin with the code of theirs.
  const columns = header.replace(/^sensor,at,/, 'at,').split(',');
  return known.some((names) => columns.every((column) => names.includes(column)))
    ? []
    : [`columns ${header}`];
}

function problemDeviations(contentType: string, text: string): string[] {
  if (contentType !== 'application/problem+json') return ['no problem document'];
  return text === '' ? [] : check('/components/schemas/Problem', JSON.parse(text));
}

function check(pointer: string, value: unknown): string[] {
  let validate = validators.get(pointer);
  if (!validate) {
    validate = ajv.compile({ $ref: `document#${pointer}` });
    validators.set(pointer, validate);
  }
  return validate(value)
    ? []
    : (validate.errors ?? []).map(
        (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
      );
}

function operationOf(path: string, method: string): Json | undefined {
  const paths = document.paths as Record<string, Json>;
  const exact = paths[path];
  const template = exact ? path : Object.keys(paths).find((known) => matches(known, path));
  const item = template === undefined ? undefined : paths[template];
  const operation = item?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  return isObject(operation) ? operation : undefined;
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path);
}

function resolve(value: unknown): { value: Json; pointer: string } | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.$ref !== 'string') return { value, pointer: pointerOf(value) };
  const pointer = value.$ref.slice(1);
  const found = pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), document);
  return isObject(found) ? { value: found, pointer } : undefined;
}

/** The JSON pointer of an inline response. */
function pointerOf(wanted: Json): string {
  for (const [path, item] of Object.entries(document.paths as Record<string, Json>)) {
    for (const [method, operation] of Object.entries(item)) {
      for (const [status, response] of Object.entries((operation as Json).responses as Json)) {
        if (response === wanted) return `/paths/${pointerPart(path)}/${method}/responses/${status}`;
      }
    }
  }
  throw new Error('not in the document');
}

/** Encodes a key for a JSON pointer in the fragment of a URI (RFC 6901, section 6). */
function pointerPart(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

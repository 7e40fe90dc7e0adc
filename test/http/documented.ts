import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openapiDocument } from '../../src/http/openapi.ts';
import { resources } from '../../src/resources/index.ts';
import { version } from './plant.ts';

type Json = Record<string, unknown>;

/** The document, with every object closed: an answer may have no member that the document lacks. */
const document = JSON.parse(JSON.stringify(openapiDocument(resources, { version })), (_, value) =>
  isObject(value) && value.type === 'object' && isObject(value.properties) && !('additionalProperties' in value)
    ? { ...value, additionalProperties: false }
    : value,
) as Json;

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'document', ...document });
const validators = new Map<string, ValidateFunction>();

/** What of an answer is not as the document has it; empty where all is. */
export async function deviations(path: string, method: string, response: Response): Promise<string[]> {
  const operation = operationOf(path.split('?')[0] ?? '', method);
  if (operation === undefined)
    return response.status < 400 ? [`${method} ${path} is not documented`] : problemDeviations(response);
  const responses = operation.value.responses as Json;
  const documented = resolve(responses[String(response.status)]);
  if (documented === undefined) return [`${method} ${path}: ${response.status} is not documented`];
  const wrong: string[] = [];
  const content = documented.value.content;
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  if (isObject(content)) {
    if (!(type in content)) return [`${method} ${path}: type ${type} of ${response.status} is not documented`];
    if (type.includes('json') && type !== 'application/x-ndjson' && method !== 'HEAD') {
      const pointer = `${documented.pointer}/content/${pointerPart(type)}/schema`;
      wrong.push(...check(pointer, await response.clone().json()));
    }
  }
  return wrong;
}

function problemDeviations(response: Response): Promise<string[]> | string[] {
  if (response.headers.get('content-type') !== 'application/problem+json') return ['no problem document'];
  return response
    .clone()
    .text()
    .then((text) => (text === '' ? [] : check('/components/schemas/Problem', JSON.parse(text))));
}

function check(pointer: string, value: unknown): string[] {
  let validate = validators.get(pointer);
  if (!validate) {
    validate = ajv.compile({ $ref: `document#${pointer}` });
    validators.set(pointer, validate);
  }
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
}

function operationOf(path: string, method: string): { value: Json } | undefined {
  const paths = document.paths as Record<string, Json>;
  const exact = paths[path];
  const template = exact ? path : Object.keys(paths).find((known) => matches(known, path));
  const item = template === undefined ? undefined : paths[template];
  const operation = item?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  return isObject(operation) ? { value: operation } : undefined;
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

/** Where an inline response stands in the document. */
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

/** As a JSON pointer in the fragment of a URI. */
function pointerPart(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

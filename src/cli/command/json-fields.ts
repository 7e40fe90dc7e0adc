import { HkctlError } from '../../core/errors.ts';
import { nearest } from '../../core/text/words.ts';

/**
 * The part of a JSON value that `--json FIELD,…` asks for: the fields of an object, or of each object of an array. `key.prefix` is a
 * field inside another one.
 */
export function chosenFields(jsonValue: unknown, fields: readonly string[] | undefined): unknown {
  if (fields === undefined) return jsonValue;
  return partOf(jsonValue, fields, false);
}

/** `isRow`: all elements of a list have the same fields, null if one lacks a field. */
function partOf(jsonValue: unknown, fields: readonly string[], isRow: boolean): unknown {
  if (Array.isArray(jsonValue)) return jsonValue.map((element) => partOf(element, fields, true));
  if (typeof jsonValue !== 'object' || jsonValue === null) return jsonValue;

  const members = new Map<string, unknown>(Object.entries(jsonValue));
  const part = new Map<string, unknown>();
  for (const field of fields) {
    const [name = ''] = field.split('.');
    const member = members.get(name);
    if (part.has(name) || (member === undefined && !isRow)) continue;

    const innerFields = innerFieldsOf(name, fields);
    part.set(
      name,
      fields.includes(name) ? (member ?? null) : partOf(member ?? null, innerFields, isRow),
    );
  }
  return Object.fromEntries(part);
}

function innerFieldsOf(name: string, fields: readonly string[]): string[] {
  const start = `${name}.`;
  return fields
    .filter((field) => field.startsWith(start))
    .map((field) => field.slice(start.length));
}

/** A field whose value is an object, and the fields inside: `key`, `key.id` … */
export function withInner(name: string, innerFields: readonly string[]): string[] {
  return [name, ...innerFields.map((inner) => `${name}.${inner}`)];
}

/** Refuses fields that the JSON of a command does not have: `usage`, with the list of its fields. */
export function requireFields(
  fields: readonly string[],
  knownFields: readonly string[],
  source: string,
): void {
  const unknownFields = fields.filter((field) => !knownFields.includes(field));
  if (unknownFields.length === 0) return;

  if (knownFields.length === 0) {
    throw new HkctlError('usage', `${source}: this command has no fields to choose from.`, {
      hint: 'Give --json alone.',
    });
  }

  const [firstUnknown = ''] = unknownFields;
  const nearestField = nearest(firstUnknown, knownFields);
  const suggestion = nearestField === undefined ? '' : `Did you mean ${nearestField}? `;
  const quotedFields = unknownFields.map((field) => `"${field}"`).join(', ');
  throw new HkctlError('usage', `${source}: unknown field ${quotedFields}.`, {
    hint: `${suggestion}The fields: ${knownFields.join(', ')}.`,
  });
}

function isFieldName(text: string): boolean {
  return /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/.test(text);
}

/** The fields that a word names, in their order; undefined if it is no list of fields at all. */
export function fieldsIn(word: string): string[] | undefined {
  const fields = word.split(',').map((field) => field.trim());
  if (fields.every(isFieldName)) return fields;

  return undefined;
}

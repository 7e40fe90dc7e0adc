import { HkctlError } from '../../core/errors.ts';
import { nearest } from '../../core/text/words.ts';

/** The part of a JSON value that `--json FIELD,…` asks for: the fields of an object, or of each object of an array. */
export function chosenFields(jsonValue: unknown, fields: readonly string[] | undefined): unknown {
  if (fields === undefined) return jsonValue;
  if (Array.isArray(jsonValue)) return jsonValue.map((element) => rowOf(element, fields));
  if (typeof jsonValue !== 'object' || jsonValue === null) return jsonValue;

  const members = new Map<string, unknown>(Object.entries(jsonValue));
  const presentFields = fields.filter((field) => members.has(field));
  const chosenMembers = presentFields.map((field) => [field, members.get(field)]);
  return Object.fromEntries(chosenMembers);
}

/** An element of a list: all elements have the same fields, null if the element lacks one. */
function rowOf(element: unknown, fields: readonly string[]): unknown {
  if (typeof element !== 'object' || element === null) return element;

  const members = new Map<string, unknown>(Object.entries(element));
  const rowMembers = fields.map((field) => [field, members.get(field) ?? null]);
  return Object.fromEntries(rowMembers);
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
  return /^[a-z][a-z0-9_]*$/.test(text);
}

/** The fields that a word names, in their order; undefined if it is no list of fields at all. */
export function fieldsIn(word: string): string[] | undefined {
  const fields = word.split(',').map((field) => field.trim());
  if (fields.every(isFieldName)) return fields;

  return undefined;
}

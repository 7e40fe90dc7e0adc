import { canonicalText } from '../text/canonical.ts';
import { invisibleIn, textOfAny } from '../text/shown-text.ts';
import { canonicalInstant, isDate, isDateShaped } from '../time/instants.ts';
import { meantBoolean, meantDate, meantInstant, orMean } from '../time/meant-values.ts';
import { jsonIn, RoundedNumber } from './exact-numbers.ts';
import {
  type Field,
  type Fields,
  type FieldValidator,
  type ListField,
  type Refuse,
  type TextField,
  textFormats,
  type ValueValidator,
} from './fields.ts';
import { validatorsOfNumber } from './numbers.ts';

/** Builds the validators of a field once; `name` is how they refer to it. */
export function validatorOf(name: string, field: Field): FieldValidator {
  switch (field.kind) {
    case 'text':
      return fromTextOnly(name, 'a text', validateText(name, field));
    case 'enum':
      return fromTextOnly(name, oneOf(field.values), validateEnum(name, field.values));
    case 'date':
      return fromTextOnly(name, dateRule, validateDate(name));
    case 'instant':
      return fromTextOnly(name, instantRule, validateInstant(name));
    case 'integer':
    case 'decimal':
      return validatorsOfNumber(name, field);
    case 'boolean':
      return validatorsOfBoolean(name);
    case 'list':
      return validatorsOfList(name, field);
  }
}

/** Removes blanks at both ends: fixed-width exports and manual edits leave them. */
export function trimmed(text: string): string {
  const { length } = text;
  return length > 0 && (isBlankCode(text.charCodeAt(0)) || isBlankCode(text.charCodeAt(length - 1)))
    ? text.trim()
    : text;
}

export function isBlank(text: string): boolean {
  return trimmed(text) === '';
}

function isBlankCode(code: number): boolean {
  return (
    code <= 32 ||
    code === 0xa0 ||
    code === 0x202f ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x3000
  );
}

function fromTextOnly(
  name: string,
  rule: string,
  validate: FieldValidator['fromText'],
): FieldValidator {
  const fromJson: ValueValidator<unknown> = (input, refuse) =>
    typeof input === 'string' ? validate(input, refuse, false) : refuse(name, input, rule);
  return { fromText: validate, fromJson };
}

// --- text ---------------------------------------------------------------------------------------------------------

/** Fields up to this length are codes and numbers: a line break in one means that the file is broken. */
const shortTextLength = 64;

/** Texts by which records are found and joined: no two may look the same and differ. */
const codeNamePattern = /(?:^|[_.])(?:id|code|number)$/;

function validateText(name: string, field: TextField): FieldValidator['fromText'] {
  const { maxLength } = field;
  const forbidden = maxLength > shortTextLength ? /(?![\t\n\r])[\p{Cc}\p{Cs}]/u : /[\p{Cc}\p{Cs}]/u;
  const format = field.format && textFormats[field.format];
  const isCode = field.references !== undefined || codeNamePattern.test(name);

  return (typedText, refuse, plain) => {
    const text = plain ? typedText : canonicalText(typedText);
    if (text.length > maxLength) {
      return refuse(name, text, `at most ${maxLength} characters, this has ${text.length}`);
    }

    const forbiddenMatch = plain ? null : forbidden.exec(text);
    if (forbiddenMatch) return refuse(name, text, ruleAgainst(forbiddenMatch[0]));

    const invisible = plain || !isCode ? undefined : invisibleIn(text);
    if (invisible !== undefined) {
      return refuse(name, text, `no invisible characters (${invisible})`);
    }

    if (format && !format.pattern.test(text)) return refuse(name, text, format.rule);
    return text;
  };
}

/** The rule against a control character or half of a surrogate pair. */
function ruleAgainst(character: string): string {
  if (/\p{Cs}/u.test(character)) return 'Unicode text without lone surrogates';
  if (/[\t\n\r]/.test(character)) return 'one line without tabs';

  const hexCode = character.charCodeAt(0).toString(16).toUpperCase();
  return `no control characters (U+${hexCode.padStart(4, '0')})`;
}

function validateEnum(name: string, values: readonly string[]): ValueValidator<string> {
  const allowedValues = new Set(values);
  const enumRule = oneOf(values);
  return (text, refuse) => (allowedValues.has(text) ? text : refuse(name, text, enumRule));
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.join(', ')}`;
}

// --- times --------------------------------------------------------------------------------------------------------

const dateRule = 'a date YYYY-MM-DD';
const instantRule = 'an RFC 3339 instant with an offset, such as 2026-11-20T08:15:00Z';

function validateDate(name: string): ValueValidator<string> {
  return (text, refuse) => {
    if (isDate(text)) return text;
    if (isDateShaped(text)) return refuse(name, text, `${dateRule} that exists`);
    return refuse(name, text, dateRule + orMean(meantDate(text)));
  };
}

function validateInstant(name: string): ValueValidator<string> {
  return (text, refuse) =>
    canonicalInstant(text) ?? refuse(name, text, instantRule + orMean(meantInstant(text)));
}

// --- booleans -----------------------------------------------------------------------------------------------------

const booleanTexts: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'True', 'TRUE', '1', 'yes', 'Yes', 'YES'].map((text) => [text, true] as const),
  ...['false', 'False', 'FALSE', '0', 'no', 'No', 'NO'].map((text) => [text, false] as const),
]);

function validatorsOfBoolean(name: string): FieldValidator {
  const refuseBoolean = (input: unknown, refuse: Refuse) =>
    refuse(name, input, `true or false${orMean(meantBoolean(textOfAny(input)))}`);
  return {
    fromText: (text, refuse) => booleanTexts.get(text) ?? refuseBoolean(text, refuse),
    fromJson: (input, refuse) =>
      typeof input === 'boolean' ? input : refuseBoolean(input, refuse),
  };
}

// --- lists --------------------------------------------------------------------------------------------------------

function validatorsOfList(name: string, field: ListField): FieldValidator {
  const validateItem = field.of ? validateObject(field.of) : validateItemText;
  const listRule = field.of ? 'a list of objects' : 'a list of texts';

  const fromJson: ValueValidator<unknown> = (input, refuse) => {
    if (!Array.isArray(input)) return refuse(name, input, listRule);
    const items = input.map((item, index) => validateItem(`${name}[${index}]`, item, refuse));
    if (field.uniqueBy !== undefined) refuseRepeats(name, items, field.uniqueBy, refuse);
    return items;
  };

  const fromText: ValueValidator<string> = (text, refuse) => {
    const parsed = jsonIn(text);
    if (parsed === undefined) return refuse(name, text, `${listRule} as JSON`);
    return fromJson(parsed, refuse);
  };
  return { fromText, fromJson };
}

const itemField: TextField = { kind: 'text', maxLength: 200, doc: '', example: '' };

function validateItemText(path: string, item: unknown, refuse: Refuse): unknown {
  return validatorOf(path, itemField).fromJson(item, refuse);
}

/** Builds the validator of the objects of a list; messages give the path of a field, `services[0].row_id`. */
function validateObject(fields: Fields): (path: string, item: unknown, refuse: Refuse) => unknown {
  const validators = Object.entries(fields).map(([name, field]) => ({
    name,
    field,
    validate: validatorOf(name, field).fromJson,
  }));

  return (path, item, refuse) => {
    if (!isObject(item)) return refuse(path, item, 'an object');

    const refuseInside: Refuse = (name, value, rule) => refuse(`${path}.${name}`, value, rule);
    for (const name of Object.keys(item)) {
      if (!Object.hasOwn(fields, name)) refuseInside(name, item[name], 'an unknown field');
    }

    return Object.fromEntries(
      validators.map(({ name, field, validate }) => {
        const input = item[name] ?? '';
        if (input !== '') {
          const value = typeof input === 'string' ? trimmed(input) : input;
          return [name, validate(value, refuseInside)];
        }

        if (field.required) refuseInside(name, null, 'required');
        return [name, field.kind === 'list' ? [] : null];
      }),
    );
  };
}

function refuseRepeats(
  name: string,
  items: readonly unknown[],
  uniqueKey: string,
  refuse: Refuse,
): void {
  const seenValues = new Set<unknown>();
  items.forEach((item, index) => {
    const value = isObject(item) ? item[uniqueKey] : undefined;
    if (value === undefined) return;

    if (seenValues.has(value)) {
      refuse(`${name}[${index}].${uniqueKey}`, value, 'unique inside its parent');
    }
    seenValues.add(value);
  });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof RoundedNumber)
  );
}

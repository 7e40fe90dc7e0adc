import { invisibleIn, textOfAny } from '../text/shown-text.ts';
import { canonicalText } from '../text/words.ts';
import { canonicalInstant, isDate, isDateShaped } from '../time/instants.ts';
import {
  meantBoolean,
  meantDate,
  meantInstant,
  orMean,
  orSerialDate,
} from '../time/meant-values.ts';
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

/** Builds the validators of a field once; `fieldName` is how they refer to it. */
export function validatorOf(fieldName: string, field: Field): FieldValidator {
  switch (field.kind) {
    case 'text':
      return fromTextOnly(fieldName, 'a text', validateText(fieldName, field));
    case 'enum':
      return fromTextOnly(fieldName, oneOf(field.values), validateEnum(fieldName, field.values));
    case 'date':
      return fromTextOnly(fieldName, dateRule, validateDate(fieldName));
    case 'instant':
      return fromTextOnly(fieldName, instantRule, validateInstant(fieldName));
    case 'integer':
    case 'decimal':
      return validatorsOfNumber(fieldName, field);
    case 'boolean':
      return validatorsOfBoolean(fieldName);
    case 'list':
      return validatorsOfList(fieldName, field);
  }
}

/** Removes blanks at both ends: fixed-width exports and manual edits leave them. */
export function trimmed(text: string): string {
  const { length } = text;
  if (length === 0) return text;

  const hasBlankEnd = isBlankCode(text.charCodeAt(0)) || isBlankCode(text.charCodeAt(length - 1));
  return hasBlankEnd ? text.trim() : text;
}

export function isBlank(text: string): boolean {
  return trimmed(text) === '';
}

function isBlankCode(charCode: number): boolean {
  return (
    charCode <= 32 ||
    charCode === 0xa0 ||
    charCode === 0x202f ||
    (charCode >= 0x2000 && charCode <= 0x200a) ||
    charCode === 0x3000
  );
}

function fromTextOnly(
  fieldName: string,
  rule: string,
  validate: FieldValidator['fromText'],
): FieldValidator {
  const fromJson: ValueValidator<unknown> = (input, refuse) =>
    typeof input === 'string' ? validate(input, refuse, false) : refuse(fieldName, input, rule);
  return { fromText: validate, fromJson };
}

// --- text ---------------------------------------------------------------------------------------------------------

/** Fields up to this length are codes and numbers: a line break in one means that the file is broken. */
const shortTextLength = 64;

/** Texts by which records are found and joined: no two may look the same and differ. */
const codeNamePattern = /(?:^|[_.])(?:id|code|number)$/;

function validateText(fieldName: string, field: TextField): FieldValidator['fromText'] {
  const { maxLength } = field;
  const forbidden = maxLength > shortTextLength ? /(?![\t\n\r])[\p{Cc}\p{Cs}]/u : /[\p{Cc}\p{Cs}]/u;
  const format = field.format && textFormats[field.format];
  const isCode = field.references !== undefined || codeNamePattern.test(fieldName);

  return (typedText, refuse, plain) => {
    const text = plain ? typedText : canonicalText(typedText);
    if (text.length > maxLength) {
      return refuse(fieldName, text, `at most ${maxLength} characters, this has ${text.length}`);
    }

    const forbiddenMatch = plain ? null : forbidden.exec(text);
    if (forbiddenMatch) {
      return refuse(fieldName, text, ruleAgainst(forbiddenMatch[0]));
    }

    const invisible = plain || !isCode ? undefined : invisibleIn(text);
    if (invisible !== undefined) {
      return refuse(fieldName, text, `no invisible characters (${invisible})`);
    }

    if (format && !format.pattern.test(text)) {
      return refuse(fieldName, text, format.rule);
    }
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

function validateEnum(fieldName: string, values: readonly string[]): ValueValidator<string> {
  const allowedValues = new Set(values);
  const enumRule = oneOf(values);
  return (text, refuse) => (allowedValues.has(text) ? text : refuse(fieldName, text, enumRule));
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.join(', ')}`;
}

// --- times --------------------------------------------------------------------------------------------------------

const dateRule = 'a date YYYY-MM-DD';
const instantRule = 'an RFC 3339 instant with an offset, such as 2026-11-20T08:15:00Z';

function validateDate(fieldName: string): ValueValidator<string> {
  return (text, refuse) => {
    if (isDate(text)) return text;
    if (isDateShaped(text)) {
      return refuse(fieldName, text, `${dateRule} that exists`);
    }
    return refuse(fieldName, text, dateRule + orMean(meantDate(text)) + orSerialDate(text));
  };
}

function validateInstant(fieldName: string): ValueValidator<string> {
  return (text, refuse) =>
    canonicalInstant(text) ??
    refuse(fieldName, text, instantRule + orMean(meantInstant(text)) + orSerialDate(text));
}

// --- booleans -----------------------------------------------------------------------------------------------------

const trueTexts = ['true', 'True', 'TRUE', '1', 'yes', 'Yes', 'YES'];
const falseTexts = ['false', 'False', 'FALSE', '0', 'no', 'No', 'NO'];
const booleanTexts: ReadonlyMap<string, boolean> = new Map([
  ...trueTexts.map((text) => [text, true] as const),
  ...falseTexts.map((text) => [text, false] as const),
]);

function validatorsOfBoolean(fieldName: string): FieldValidator {
  const refuseBoolean = (input: unknown, refuse: Refuse) =>
    refuse(fieldName, input, `true or false${orMean(meantBoolean(textOfAny(input)))}`);
  return {
    fromText: (text, refuse) => booleanTexts.get(text) ?? refuseBoolean(text, refuse),
    fromJson: (input, refuse) =>
      typeof input === 'boolean' ? input : refuseBoolean(input, refuse),
  };
}

// --- lists --------------------------------------------------------------------------------------------------------

function validatorsOfList(fieldName: string, field: ListField): FieldValidator {
  const validateItem = field.of ? validateObject(field.of) : validateItemText;
  const listRule = field.of ? 'a list of objects' : 'a list of texts';

  const fromJson: ValueValidator<unknown> = (input, refuse) => {
    if (!Array.isArray(input)) {
      return refuse(fieldName, input, listRule);
    }
    const items = input.map((item, index) => validateItem(`${fieldName}[${index}]`, item, refuse));
    if (field.uniqueBy !== undefined) {
      refuseRepeats(fieldName, items, field.uniqueBy, refuse);
    }
    return items;
  };

  const fromText: ValueValidator<string> = (text, refuse) => {
    const parsed = jsonIn(text);
    if (parsed === undefined) {
      return refuse(fieldName, text, `${listRule} as JSON`);
    }
    return fromJson(parsed, refuse);
  };
  return { fromText, fromJson };
}

const itemField: TextField = { kind: 'text', maxLength: 200, doc: '', example: '' };

function validateItemText(itemPath: string, item: unknown, refuse: Refuse): unknown {
  return validatorOf(itemPath, itemField).fromJson(item, refuse);
}

/** Builds the validator of the objects of a list; messages give the path of a field, `services[0].row_id`. */
function validateObject(fields: Fields): (path: string, item: unknown, refuse: Refuse) => unknown {
  const validators = Object.entries(fields).map(([name, field]) => ({
    name,
    field,
    validate: validatorOf(name, field).fromJson,
  }));

  return (itemPath, item, refuse) => {
    if (!isObject(item)) {
      return refuse(itemPath, item, 'an object');
    }

    const refuseInside: Refuse = (memberName, value, rule) =>
      refuse(`${itemPath}.${memberName}`, value, rule);
    for (const memberName of Object.keys(item)) {
      if (!Object.hasOwn(fields, memberName)) {
        refuseInside(memberName, item[memberName], 'an unknown field');
      }
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
  listName: string,
  items: readonly unknown[],
  uniqueKey: string,
  refuse: Refuse,
): void {
  const seenValues = new Set<unknown>();
  items.forEach((item, index) => {
    const itemKey = isObject(item) ? item[uniqueKey] : undefined;
    if (itemKey === undefined) return;

    if (seenValues.has(itemKey)) {
      refuse(`${listName}[${index}].${uniqueKey}`, itemKey, 'unique inside its parent');
    }
    seenValues.add(itemKey);
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

import { canonicalInstant, isDate, isDateShaped } from '../time/instants.ts';
import { isRounded, parseExactJson, RoundedNumber } from './exact-numbers.ts';
import { type Field, type Fields, type ListField, type NumberField, type TextField, textFormats } from './fields.ts';

/** Takes what a value breaks: the field, the value as it was given and the rule in words. */
export type Refuse = (field: string, value: unknown, rule: string) => void;

/** Validators a value that was given (never null nor empty): its canonical form, or undefined after it was refused. */
export type ValueValidator<Given> = (given: Given, refuse: Refuse) => unknown;

/** The validators of one field: for a cell of text, as CSV has them, and for a value of JSON. */
export interface FieldValidator {
  /** `plain` says that the text is known to be printable ASCII on one line, so that nobody need look again. */
  fromText(text: string, refuse: Refuse, plain?: boolean): unknown;
  fromJson: ValueValidator<unknown>;
}

/** Builds the validators of a field, once; `name` is what they call it. */
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

/** The value without blanks at its ends: files of fixed width and hurried people leave them. */
export function trimmed(text: string): string {
  const { length } = text;
  return length > 0 && (isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(length - 1))) ? text.trim() : text;
}

function isBlank(code: number): boolean {
  return code <= 32 || code === 0xa0;
}

function fromTextOnly(name: string, rule: string, judge: FieldValidator['fromText']): FieldValidator {
  const fromJson: ValueValidator<unknown> = (given, refuse) =>
    typeof given === 'string' ? judge(given, refuse, false) : refuse(name, given, rule);
  return { fromText: judge, fromJson };
}

// --- text ---------------------------------------------------------------------------------------------------------

/** Texts longer than a code or number may have lines; in those a line break is a sign of a broken file. */
const shortLength = 64;

function validateText(name: string, field: TextField): FieldValidator['fromText'] {
  const { maxLength } = field;
  const mayBreak = maxLength > shortLength;
  const format = field.format && { rule: textFormats[field.format].rule, pattern: patternOf(field.format) };
  // Units, currencies, categories: what was let in for one row mostly stands in the next, too.
  let before = '';
  return (text, refuse, plain) => {
    if ((format || !plain) && text === before) return before;
    if (text.length > maxLength) return refuse(name, text, `at most ${maxLength} characters, this has ${text.length}`);
    for (let i = plain ? text.length : 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 32 && code < 127) continue;
      const wrong = wrongCharacter(text, i, code, mayBreak);
      if (wrong !== undefined) return refuse(name, text, wrong);
    }
    if (format && !format.pattern.test(text)) return refuse(name, text, format.rule);
    before = text;
    return text;
  };
}

function patternOf(format: keyof typeof textFormats): RegExp {
  return new RegExp(textFormats[format].pattern);
}

function wrongCharacter(text: string, at: number, code: number, mayBreak: boolean): string | undefined {
  if (code < 32 || (code >= 127 && code < 160)) {
    const isBreak = code === 9 || code === 10 || code === 13;
    if (isBreak && mayBreak) return undefined;
    return isBreak
      ? 'one line without tabs'
      : `no control characters (U+${code.toString(16).toUpperCase().padStart(4, '0')})`;
  }
  if (code < 0xd800 || code > 0xdfff) return undefined;
  const other = text.charCodeAt(code < 0xdc00 ? at + 1 : at - 1);
  const isPair = code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00;
  return isPair ? undefined : 'Unicode text; half of a surrogate pair stands alone';
}

function validateEnum(name: string, values: readonly string[]): ValueValidator<string> {
  const known = new Set(values);
  const rule = oneOf(values);
  return (text, refuse) => (known.has(text) ? text : refuse(name, text, rule));
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.join(', ')}`;
}

// --- times --------------------------------------------------------------------------------------------------------

const dateRule = 'a date YYYY-MM-DD';
const instantRule = 'an RFC 3339 instant with an offset, such as 2026-11-20T08:15:00Z';

function validateDate(name: string): ValueValidator<string> {
  return (text, refuse) =>
    isDate(text) ? text : refuse(name, text, isDateShaped(text) ? `${dateRule}; there is no such day` : dateRule);
}

function validateInstant(name: string): ValueValidator<string> {
  return (text, refuse) => canonicalInstant(text) ?? refuse(name, text, instantRule);
}

// --- numbers ------------------------------------------------------------------------------------------------------

function validatorsOfNumber(name: string, field: NumberField): FieldValidator {
  const whole = field.kind === 'integer';
  const { min = -Infinity, max = Infinity } = field;
  const rule = whole ? 'a whole number' : 'a number with a decimal point';
  const judge = (value: number, given: unknown, refuse: Refuse): unknown => {
    if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) return refuse(name, given, rule);
    if (typeof given === 'string' && isRounded(given, value)) return refuse(name, given, roundedRule(value));
    if (value < min) return refuse(name, given, `at least ${min}`);
    if (value > max) return refuse(name, given, `at most ${max}`);
    return value === 0 ? 0 : value;
  };
  return {
    fromText: (text, refuse) => {
      const value = parseNumeral(text);
      return value === undefined ? refuse(name, text, numeralRule(text, rule)) : judge(value, text, refuse);
    },
    fromJson: (given, refuse) => {
      if (typeof given === 'number') return judge(given, given, refuse);
      return given instanceof RoundedNumber
        ? judge(Number(given.source), given.source, refuse)
        : refuse(name, given, rule);
    },
  };
}

function roundedRule(value: number): string {
  return `a number that a double keeps, as it does any of 15 significant digits; this would become ${value}`;
}

function numeralRule(text: string, rule: string): string {
  if (/^[+-]?[\d.\s']*,\d+$/.test(text)) return `${rule}, not with a decimal comma`;
  if (/^[\d.]+-$/.test(text)) return `${rule}, its minus in front`;
  return rule;
}

/**
 * The number of digits with at most one point, a sign and an exponent, undefined for anything else; Number() alone would
 * take blanks, hexadecimals and Infinity. Few digits are added up here, which takes half as long and is as exact: both
 * sides of the division are.
 */
function parseNumeral(text: string): number | undefined {
  let digits = 0;
  let sum = 0;
  let point = -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) {
      digits++;
      sum = sum * 10 + (code - 48);
    } else if (code === 46 && point === -1) point = digits;
    else if (i === 0 && (code === 45 || code === 43)) continue;
    else return digits > 0 && exponent.test(text.slice(i)) ? Number(text) : undefined;
  }
  if (digits === 0) return undefined;
  if (digits > exactDigits) return Number(text);
  const value = point === -1 ? sum : sum / (powersOfTen[digits - point] as number); // as many as there are digits
  return text.charCodeAt(0) === 45 ? -value : value;
}

const exponent = /^[eE][+-]?\d{1,4}$/;
/** Whole numbers of so many digits are exact, and so are these powers of ten. */
const exactDigits = 15;
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power);

// --- booleans -----------------------------------------------------------------------------------------------------

const booleanTexts: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'True', 'TRUE', '1', 'yes', 'Yes', 'YES'].map((text) => [text, true] as const),
  ...['false', 'False', 'FALSE', '0', 'no', 'No', 'NO'].map((text) => [text, false] as const),
]);

function validatorsOfBoolean(name: string): FieldValidator {
  return {
    fromText: (text, refuse) => booleanTexts.get(text) ?? refuse(name, text, 'true or false'),
    fromJson: (given, refuse) => (typeof given === 'boolean' ? given : refuse(name, given, 'true or false')),
  };
}

// --- lists --------------------------------------------------------------------------------------------------------

function validatorsOfList(name: string, field: ListField): FieldValidator {
  const validateItem = field.of ? validateObject(field.of) : validateItemText;
  const rule = field.of ? 'a list of objects' : 'a list of texts';
  const fromJson: ValueValidator<unknown> = (given, refuse) => {
    if (!Array.isArray(given)) return refuse(name, given, rule);
    const items = given.map((item, index) => validateItem(`${name}[${index}]`, item, refuse));
    if (field.uniqueBy !== undefined) refuseRepeats(name, items, field.uniqueBy, refuse);
    return items;
  };
  const fromText: ValueValidator<string> = (text, refuse) => {
    const given = parseJson(text);
    return given === undefined ? refuse(name, text, `${rule} as JSON`) : fromJson(given, refuse);
  };
  return { fromText, fromJson };
}

const itemField: TextField = { kind: 'text', maxLength: 200, doc: '', example: '' };

function validateItemText(path: string, item: unknown, refuse: Refuse): unknown {
  return validatorOf(path, itemField).fromJson(item, refuse);
}

/** Validators the objects of a list; their fields are called by their path, `services[0].row_id`. */
function validateObject(fields: Fields): (path: string, item: unknown, refuse: Refuse) => unknown {
  const validators = Object.entries(fields).map(([name, field]) => ({
    name,
    field,
    judge: validatorOf(name, field).fromJson,
  }));
  return (path, item, refuse) => {
    if (!isObject(item)) return refuse(path, item, 'an object');
    const refuseInside: Refuse = (name, value, rule) => refuse(`${path}.${name}`, value, rule);
    for (const name of Object.keys(item)) {
      if (!Object.hasOwn(fields, name)) refuseInside(name, item[name], 'no such field');
    }
    return Object.fromEntries(
      validators.map(({ name, field, judge }) => {
        const given = item[name] ?? '';
        if (given !== '') return [name, judge(typeof given === 'string' ? trimmed(given) : given, refuseInside)];
        if (field.required) refuseInside(name, null, 'required');
        return [name, field.kind === 'list' ? [] : null];
      }),
    );
  };
}

function refuseRepeats(name: string, items: readonly unknown[], key: string, refuse: Refuse): void {
  const seen = new Set<unknown>();
  items.forEach((item, index) => {
    const value = isObject(item) ? item[key] : undefined;
    if (value === undefined) return;
    if (seen.has(value)) refuse(`${name}[${index}].${key}`, value, 'unique inside its parent');
    seen.add(value);
  });
}

/** Whether a value is an object with named members. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RoundedNumber);
}

/** JSON holds no undefined, so that it can say: this is none. */
function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

import type { EnumField, NumberField, PlainField, TextField } from '../core/fields/fields.ts';

type Options = Pick<TextField, 'required' | 'filter' | 'detail' | 'unique'>;

/** Declares a text of up to `maxLength` UTF-16 code units. */
export function text<const O extends Options & Pick<TextField, 'format'>>(
  maxLength: number,
  doc: string,
  example: string,
  options?: O,
): TextField & O {
  return { kind: 'text', maxLength, doc, example, ...options } as TextField & O; // a spread loses the type of O
}

/** Declares the `id` of a record of another resource. */
export function reference<const O extends Options>(
  references: string,
  doc: string,
  example: string,
  options?: O,
): TextField & O {
  return { kind: 'text', maxLength: 64, references, doc, example, ...options } as TextField & O; // as in text()
}

export function unit(doc: string, example: string) {
  return text(16, doc, example, { format: 'ucum' });
}

/** Declares a calendar day; its example is `YYYY-MM-DD`. */
export function date<const O extends Options>(doc: string, example: string, options?: O) {
  return plain('date', doc, example, options);
}

/** Declares an instant; its example is RFC 3339 in UTC with six digits of fraction. */
export function instant<const O extends Options>(doc: string, example: string, options?: O) {
  return plain('instant', doc, example, options);
}

export function flag<const O extends Options>(doc: string, options?: O) {
  return plain('boolean', doc, true, options);
}

export function choice<const V extends readonly string[], const O extends Options>(
  values: V,
  doc: string,
  example: V[number],
  options?: O,
): EnumField & { values: V } & O {
  return { kind: 'enum', values, doc, example, ...options } as EnumField & { values: V } & O; // as in text()
}

type NumberOptions = Pick<NumberField, 'required' | 'filter' | 'min' | 'max' | 'unit'>;

export function integer<const O extends NumberOptions>(doc: string, example: number, options?: O) {
  return number('integer', doc, example, options);
}

export function count<const O extends NumberOptions>(doc: string, example: number, options?: O) {
  return number('integer', doc, example, { min: 0, ...options } as O); // as in text()
}

export function decimal<const O extends NumberOptions>(doc: string, example: number, options?: O) {
  return number('decimal', doc, example, options);
}

/** Declares a quantity, a price or a length of time, which is never negative. */
export function amount<const O extends NumberOptions>(doc: string, example: number, options?: O) {
  return number('decimal', doc, example, { min: 0, ...options } as O); // as in text()
}

/** Declares a share of a whole, from 0 to 1. */
export function ratio(doc: string, example: number) {
  return number('decimal', doc, example, { min: 0, max: 1 });
}

/** Declares the currency of an amount; `what` names the amount. */
export function currencyOf(what: string) {
  return text(3, `ISO 4217 code of the currency of the ${what}.`, 'EUR', { format: 'currency' });
}

export const processCarriedOut = reference('processes', 'Process that is carried out.', 'PR-1001');

/** The unit of the quantities in a record. */
export const unitOfQuantities = unit('Unit of the quantities, as a UCUM code.', '{piece}');

function plain<K extends PlainField['kind'], const O extends Options>(
  kind: K,
  doc: string,
  example: unknown,
  options?: O,
): PlainField & { kind: K } & O {
  return { kind, doc, example, ...options } as PlainField & { kind: K } & O; // as in text()
}

function number<K extends NumberField['kind'], const O extends NumberOptions>(
  kind: K,
  doc: string,
  example: number,
  options?: O,
): NumberField & { kind: K } & O {
  return { kind, doc, example, ...options } as NumberField & { kind: K } & O; // as in text()
}

import type { Field, Fields, ListField, NumberField, TextField } from '../core/fields/fields.ts';

type Options = Pick<TextField, 'required' | 'filter' | 'detail' | 'unique'>;
type NumberOptions = Pick<NumberField, 'required' | 'filter' | 'min' | 'max' | 'unit'>;

/** Declares a text of up to `maxLength` UTF-16 code units. */
export function text<const O extends Options & Pick<TextField, 'format'>>(
  maxLength: number,
  doc: string,
  example: string,
  options?: O,
) {
  return field({ kind: 'text', maxLength, doc, example }, options);
}

/** Declares the `id` of a record of another resource. */
export function reference<const O extends Options>(references: string, doc: string, example: string, options?: O) {
  return field({ kind: 'text', maxLength: 64, references, doc, example }, options);
}

export function unit(doc: string, example: string) {
  return text(16, doc, example, { format: 'ucum' });
}

/** Declares a calendar day; its example is `YYYY-MM-DD`. */
export function date<const O extends Options>(doc: string, example: string, options?: O) {
  return field({ kind: 'date', doc, example }, options);
}

/** Declares an instant; its example is RFC 3339 in UTC with six digits of fraction. */
export function instant<const O extends Options>(doc: string, example: string, options?: O) {
  return field({ kind: 'instant', doc, example }, options);
}

export function flag<const O extends Options>(doc: string, options?: O) {
  return field({ kind: 'boolean', doc, example: true }, options);
}

export function choice<const V extends readonly string[], const O extends Options>(
  values: V,
  doc: string,
  example: V[number],
  options?: O,
) {
  return field({ kind: 'enum', values, doc, example }, options);
}

export function integer<const O extends NumberOptions>(doc: string, example: number, options?: O) {
  return field({ kind: 'integer', doc, example }, options);
}

export function count<const O extends NumberOptions>(doc: string, example: number, options?: O) {
  return field({ kind: 'integer', min: 0, doc, example }, options);
}

export function decimal<const O extends NumberOptions>(doc: string, example: number, options?: O) {
  return field({ kind: 'decimal', doc, example }, options);
}

/** Declares a quantity, a price or a length of time, which is never negative. */
export function amount<const O extends NumberOptions>(doc: string, example: number, options?: O) {
  return field({ kind: 'decimal', min: 0, doc, example }, options);
}

export function ratio(doc: string, example: number) {
  return amount(doc, example, { max: 1 });
}

/** Declares the currency of an amount; `what` names the amount. */
export function currencyOf(what: string) {
  return text(3, `ISO 4217 code of the currency of the ${what}.`, 'EUR', { format: 'currency' });
}

export const processCarriedOut = reference('processes', 'Process that is carried out.', 'PR-1001');

/** The unit of the quantities in a record. */
export const unitOfQuantities = unit('Unit of the quantities, as a UCUM code.', '{piece}');

/** Declares a list of objects; its example is one with the examples of all its fields. */
export function list<const O extends Fields, const M extends Partial<ListField>>(of: O, doc: string, more?: M) {
  const example = [Object.fromEntries(Object.entries(of).map(([name, { example }]) => [name, example]))];
  return field({ kind: 'list', of, doc, example }, more);
}

function field<const F extends Field, const O>(declared: F, options?: O): F & O {
  return { ...declared, ...options } as F & O; // a spread loses the type of O
}

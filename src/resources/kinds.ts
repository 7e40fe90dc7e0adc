import type { PlainField, TextField } from '../core/records/fields.ts';

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

/** Declares a UCUM code of a unit. */
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

/** Declares a boolean whose example is true. */
export function flag<const O extends Options>(doc: string, options?: O) {
  return plain('boolean', doc, true, options);
}

/** Declares the currency of an amount; `what` names the amount. */
export function currencyOf(what: string) {
  return text(3, `ISO 4217 code of the currency of the ${what}.`, 'EUR', { format: 'currency' });
}

/** The process that an operation or service carries out. */
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

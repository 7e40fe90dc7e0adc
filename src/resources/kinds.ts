import type { Field, Fields, ListField, NumberField, TextField } from '../core/fields/fields.ts';

type Options = Pick<TextField, 'required' | 'filter' | 'detail' | 'unique'>;
type NumberOptions = Pick<NumberField, 'required' | 'filter' | 'min' | 'max' | 'unit'>;

/** Declares a text of up to `maxLength` UTF-16 code units. */
export function text(
  maxLength: number,
  doc: string,
  example: string,
  options?: Options & Pick<TextField, 'format'>,
): Field {
  return { kind: 'text', maxLength, doc, example, ...options };
}

/** Declares the `id` of a record of another resource. */
export function reference(
  references: string,
  doc: string,
  example: string,
  options?: Options,
): Field {
  return { kind: 'text', maxLength: 64, references, doc, example, ...options };
}

export function unit(doc: string, example: string): Field {
  return text(16, doc, example, { format: 'ucum' });
}

/** Declares a span of time such as `15m`. */
export function span(doc: string, example: string): Field {
  return text(8, doc, example, { format: 'span' });
}

/** Declares a calendar day; its example is `YYYY-MM-DD`. */
export function date(doc: string, example: string, options?: Options): Field {
  return { kind: 'date', doc, example, ...options };
}

/** Declares an instant; its example is RFC 3339 in UTC with six digits of fraction. */
export function instant(doc: string, example: string, options?: Options): Field {
  return { kind: 'instant', doc, example, ...options };
}

export function flag(doc: string, options?: Options): Field {
  return { kind: 'boolean', doc, example: true, ...options };
}

export function choice<const V extends readonly string[]>(
  values: V,
  doc: string,
  example: V[number],
  options?: Options,
): Field {
  return { kind: 'enum', values, doc, example, ...options };
}

export function integer(doc: string, example: number, options?: NumberOptions): Field {
  return { kind: 'integer', doc, example, ...options };
}

export function count(doc: string, example: number, options?: NumberOptions): Field {
  return integer(doc, example, { min: 0, ...options });
}

export function decimal(doc: string, example: number, options?: NumberOptions): Field {
  return { kind: 'decimal', doc, example, ...options };
}

/** Declares a quantity, a price or a length of time, which is never negative. */
export function amount(doc: string, example: number, options?: NumberOptions): Field {
  return decimal(doc, example, { min: 0, ...options });
}

export function ratio(doc: string, example: number): Field {
  return amount(doc, example, { max: 1 });
}

/** Declares the currency of an amount; `what` names the amount. */
export function currencyOf(subject: string): Field {
  return text(3, `ISO 4217 code of the currency of the ${subject}.`, 'EUR', { format: 'currency' });
}

export const processCarriedOut = reference('processes', 'Process that is carried out.', 'PR-1001');

/** The unit of the quantities in a record. */
export const unitOfQuantities = unit('Unit of the quantities, as a UCUM code.', '{piece}');

/** Declares a list of objects; its example is one with the examples of all its fields. */
export function list(itemFields: Fields, doc: string, options?: Partial<ListField>): Field {
  const example = [
    Object.fromEntries(Object.entries(itemFields).map(([name, { example }]) => [name, example])),
  ];
  return { kind: 'list', of: itemFields, doc, example, ...options };
}

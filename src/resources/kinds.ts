import type { TextField } from '../core/records/fields.ts';

/** Fields that several resources have in the same words. */

/** The currency of an amount; `what` names the amount. */
export function currencyOf(what: string) {
  return {
    kind: 'text',
    maxLength: 3,
    format: 'currency',
    doc: `ISO 4217 code of the currency of the ${what}.`,
    example: 'EUR',
  } as const satisfies TextField;
}

/** The process that an operation or service carries out. */
export const processCarriedOut = {
  kind: 'text',
  maxLength: 64,
  references: 'processes',
  doc: 'Process that is carried out.',
  example: 'PR-1001',
} as const satisfies TextField;

/** What the quantities of a report count. */
export const unitOfQuantities = {
  kind: 'text',
  maxLength: 16,
  format: 'ucum',
  doc: 'Unit of the quantities, as a UCUM code.',
  example: '{piece}',
} as const satisfies TextField;

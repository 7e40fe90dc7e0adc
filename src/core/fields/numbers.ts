import { isRounded, RoundedNumber } from './exact-numbers.ts';
import type { FieldValidator, NumberField, Refuse } from './fields.ts';

export function validatorsOfNumber(name: string, field: NumberField): FieldValidator {
  const whole = field.kind === 'integer';
  const { min = -Infinity, max = Infinity } = field;
  const rule = whole ? 'a whole number' : 'a number with a decimal point';
  const validate = (value: number, input: unknown, refuse: Refuse): unknown => {
    if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value)))
      return refuse(name, input, rule);
    if (typeof input === 'string' && isRounded(input, value))
      return refuse(name, input, roundedRule(value));
    if (value < min) return refuse(name, input, `at least ${min}`);
    if (value > max) return refuse(name, input, `at most ${max}`);
    return value === 0 ? 0 : value;
  };
  return {
    fromText: (text, refuse) => {
      const value = parseNumeral(text);
      return value === undefined
        ? refuse(name, text, numeralRule(text, rule))
        : validate(value, text, refuse);
    },
    fromJson: (input, refuse) => {
      if (typeof input === 'number') return validate(input, input, refuse);
      return input instanceof RoundedNumber
        ? validate(Number(input.source), input.source, refuse)
        : refuse(name, input, rule);
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

/** Digits with at most one point, a sign and an exponent: Number() alone would accept blanks, hexadecimal and Infinity. */
function parseNumeral(text: string): number | undefined {
  return numeral.test(text) ? Number(text) : undefined;
}

const numeral = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?$/;

import { isRounded, RoundedNumber } from './exact-numbers.ts';
import type { FieldValidator, NumberField, Refuse } from './fields.ts';

export function validatorsOfNumber(fieldName: string, field: NumberField): FieldValidator {
  const isWhole = field.kind === 'integer';
  const { min = -Infinity, max = Infinity } = field;
  const numberRule = isWhole ? 'a whole number' : 'a number with a decimal point';

  const validate = (value: number, input: unknown, refuse: Refuse): unknown => {
    if (!Number.isFinite(value)) return refuse(fieldName, input, roundedRule(value));
    if (isWhole && !Number.isSafeInteger(value)) {
      return refuse(fieldName, input, numberRule);
    }

    if (typeof input === 'string' && isRounded(input, value)) {
      return refuse(fieldName, input, roundedRule(value));
    }

    if (value < min) return refuse(fieldName, input, `at least ${min}`);
    if (value > max) return refuse(fieldName, input, `at most ${max}`);
    return value === 0 ? 0 : value;
  };

  return {
    fromText: (text, refuse) => {
      const value = parseNumeral(text);
      return value === undefined
        ? refuse(fieldName, text, numeralRule(text, numberRule))
        : validate(value, text, refuse);
    },
    fromJson: (input, refuse) => {
      if (typeof input === 'number') {
        return validate(input, input, refuse);
      }
      return input instanceof RoundedNumber
        ? validate(Number(input.source), input.source, refuse)
        : refuse(fieldName, input, numberRule);
    },
  };
}

function roundedRule(value: number): string {
  return `a number that a double keeps, as it does any of 15 significant digits; this would become ${value}`;
}

function numeralRule(numeralText: string, rule: string): string {
  if (/^[+-]?\d*,\d+$/.test(numeralText)) return `${rule}, not with a decimal comma`;
  if (/^[+-]?\d{1,3}(?:[.,\s']\d{3})+(?:[.,]\d+)?$/.test(numeralText))
    return `${rule}, not with separators of thousands`;
  if (/^[\d.]+-$/.test(numeralText)) return `${rule}, its minus in front`;
  return rule;
}

/** A number with a decimal comma, as tables have it whose columns semicolons separate, with a point; other texts as they are. */
export function withDecimalPoint(numeralText: string): string {
  return /^[+-]?\d*,\d+(?:e[+-]?\d+)?$/i.test(numeralText)
    ? numeralText.replace(',', '.')
    : numeralText;
}

/** Digits with at most one point, a sign and an exponent: Number() alone would accept blanks, hexadecimal and Infinity. */
function parseNumeral(numeralText: string): number | undefined {
  return numeralPattern.test(numeralText) ? Number(numeralText) : undefined;
}

const numeralPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?$/;

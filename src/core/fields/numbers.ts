import { exactDigits, isRounded, RoundedNumber } from './exact-numbers.ts';
import type { FieldValidator, NumberField, Refuse } from './fields.ts';

export function validatorsOfNumber(name: string, field: NumberField): FieldValidator {
  const whole = field.kind === 'integer';
  const { min = -Infinity, max = Infinity } = field;
  const rule = whole ? 'a whole number' : 'a number with a decimal point';
  const validate = (value: number, given: unknown, refuse: Refuse): unknown => {
    if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) return refuse(name, given, rule);
    if (typeof given === 'string' && isRounded(given, value)) return refuse(name, given, roundedRule(value));
    if (value < min) return refuse(name, given, `at least ${min}`);
    if (value > max) return refuse(name, given, `at most ${max}`);
    return value === 0 ? 0 : value;
  };
  return {
    fromText: (text, refuse) => {
      const value = parseNumeral(text);
      return value === undefined ? refuse(name, text, numeralRule(text, rule)) : validate(value, text, refuse);
    },
    fromJson: (given, refuse) => {
      if (typeof given === 'number') return validate(given, given, refuse);
      return given instanceof RoundedNumber
        ? validate(Number(given.source), given.source, refuse)
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
 * Parses digits with at most one point, a sign and an exponent; undefined for anything else. Number() alone would accept
 * blanks, hexadecimal and Infinity. Up to 15 digits are summed here, in half the time of Number() and as exactly: dividend
 * and divisor are exact, and division rounds correctly.
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
  const value = point === -1 ? sum : sum / (powersOfTen[digits - point] as number); // one for each number of digits
  return text.charCodeAt(0) === 45 ? -value : value;
}

const exponent = /^[eE][+-]?\d{1,4}$/;
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power);

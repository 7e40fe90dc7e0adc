import { endOfJsonString } from '../text/quoting.ts';

/** Holds the text of a JSON number that JSON.parse would round, so that a validator can refuse it and name its field. */
export class RoundedNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toJSON(): string {
    return this.source;
  }
}

/**
 * Whether a decimal numeral differs from the double that it is read as. Any text that programs write for that double is equal to it:
 * the shortest one, or with more digits, such as 1.1000000000000001 for 1.1 (`%.17g`). Zeros at either end do not count.
 */
export function isRounded(numeral: string, value: number): boolean {
  if (!Number.isFinite(value)) return true;
  // A double keeps any 15 digits (DBL_DIG), except in subnormal numbers, which have fewer.
  if (
    numeral.length <= exactDigits &&
    (Math.abs(value) >= smallestNormal || !exponentMark.test(numeral))
  ) {
    return false;
  }

  const writtenDecimal = decimalOf(numeral);
  if (isSameDecimal(writtenDecimal, decimalOf(String(value)))) {
    return false;
  }

  const { length } = writtenDecimal.digits;
  return (
    length > precisionLimit ||
    !isSameDecimal(writtenDecimal, decimalOf(value.toPrecision(length || 1)))
  );
}

/** The most digits that `toPrecision` writes. */
const precisionLimit = 100;

function isSameDecimal(left: Decimal, right: Decimal): boolean {
  if (left.digits !== right.digits) return false;
  return left.digits === '' || left.point === right.point;
}

/**
 * Parses JSON, with a {@link RoundedNumber} for each number that JSON.parse would round; throws its SyntaxError. Costs one
 * more search if no number is long enough for that. (JSON.parse gives the source text of a number only from Node 22 on.)
 */
export function parseExactJson(jsonText: string): unknown {
  const parsed: unknown = JSON.parse(jsonText);
  if (!mayBeRounded.test(jsonText)) return parsed;

  const markedText = withMarks(jsonText);
  return markedText === jsonText ? parsed : unmarked(JSON.parse(markedText));
}

/** Parses JSON; undefined, which JSON cannot express, for text that is not JSON. */
export function jsonIn(
  jsonText: string,
  parse: (text: string) => unknown = parseExactJson,
): unknown {
  try {
    return parse(jsonText);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

const exactDigits = 15;
const smallestNormal = 2 ** -1022;
const exponentMark = /[eE]/;
/** Finds numbers of 16 digits and points, and those that may be subnormal or infinite; strings may match, too. */
const mayBeRounded = /[\d.]{16}|\d[eE][-+]?\d{3}/;
/** No declared field accepts this character, so that no valid text begins with it. */
const roundedMark = '\\u0000';

function withMarks(jsonText: string): string {
  const parts: string[] = [];
  let partStart = 0;
  // A number, or the quote that opens a string, whose digits are skipped.
  const tokenPattern = /"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;
  for (let match = tokenPattern.exec(jsonText); match; match = tokenPattern.exec(jsonText)) {
    const [numeral] = match;
    if (numeral === '"') {
      tokenPattern.lastIndex = endOfJsonString(jsonText, match.index) + 1;
    } else if (isRounded(numeral, Number(numeral))) {
      parts.push(jsonText.slice(partStart, match.index), `"${roundedMark}${numeral}"`);
      partStart = tokenPattern.lastIndex;
    }
  }
  return parts.join('') + jsonText.slice(partStart);
}

/** Replaces marked strings by {@link RoundedNumber}s; with its own stack, since a value may be nested deeply. */
function unmarked(root: unknown): unknown {
  const rootHolder = { root };
  const containers: object[] = [rootHolder];
  for (let container = containers.pop(); container; container = containers.pop()) {
    for (const [key, value] of Object.entries(container)) {
      if (typeof value === 'object' && value !== null) containers.push(value);
      else if (typeof value === 'string' && value.startsWith('\0')) {
        Reflect.set(container, key, new RoundedNumber(value.slice(1)));
      }
    }
  }
  return rootHolder.root;
}

interface Decimal {
  /** Without zeros at either end; empty for zero. */
  digits: string;
  point: number;
}

/** Reads digits with at most one point, a sign and an exponent; without a regular expression, since it may be very long. */
function decimalOf(numeral: string): Decimal {
  const exponentAt = numeral.search(exponentMark);
  const signedMantissa = exponentAt === -1 ? numeral : numeral.slice(0, exponentAt);
  const mantissa = signedMantissa.replace(/^[+-]/, '');
  const [wholeDigits = '', fractionDigits = ''] = mantissa.split('.');
  const allDigits = wholeDigits + fractionDigits;

  let digitsStart = 0;
  while (allDigits[digitsStart] === '0') digitsStart++;
  let digitsEnd = allDigits.length;
  while (digitsEnd > digitsStart && allDigits[digitsEnd - 1] === '0') digitsEnd--;

  const pointShift = exponentAt === -1 ? 0 : Number(numeral.slice(exponentAt + 1));
  return {
    digits: allDigits.slice(digitsStart, digitsEnd),
    point: wholeDigits.length - digitsStart + pointShift,
  };
}

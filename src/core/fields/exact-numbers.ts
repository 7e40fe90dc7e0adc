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
 * Whether a decimal numeral says something else than the double that it is read as. It may be any text that programs write of
 * that double: the shortest one, or with more digits, such as 1.1000000000000001 of 1.1 (`%.17g`). Zeros at either end do not count.
 */
export function isRounded(numeral: string, value: number): boolean {
  // A double keeps any 15 digits (DBL_DIG), except in subnormal numbers, which have fewer.
  if (
    numeral.length <= exactDigits &&
    (Math.abs(value) >= smallestNormal || !exponent.test(numeral))
  )
    return false;
  const written = decimalOf(numeral);
  if (isSame(written, decimalOf(String(value)))) return false;
  const { length } = written.digits;
  return length > mostPrecision || !isSame(written, decimalOf(value.toPrecision(length || 1)));
}

/** The most digits that `toPrecision` writes. */
const mostPrecision = 100;

function isSame(one: Decimal, other: Decimal): boolean {
  return one.digits === other.digits && (one.digits === '' || one.point === other.point);
}

/**
 * Parses JSON, with a {@link RoundedNumber} for each number that JSON.parse would round; throws its SyntaxError. Costs one
 * more search if no number is long enough for that. (JSON.parse gives the source text of a number only from Node 22 on.)
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayBeRounded.test(text)) return value;
  const marked = withMarks(text);
  return marked === text ? value : unmarked(JSON.parse(marked));
}

/** Parses JSON; undefined, which JSON cannot express, for text that is not JSON. */
export function jsonIn(text: string, parse: (text: string) => unknown = parseExactJson): unknown {
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

const exactDigits = 15;
const smallestNormal = 2 ** -1022;
const exponent = /[eE]/;
/** Finds numbers of 16 digits and points, or that may be subnormal; strings may match, too. */
const mayBeRounded = /[\d.]{16}|\d[eE]-\d{3}/;
/** No declared field accepts this character, so that no valid text begins with it. */
const mark = '\\u0000';

function withMarks(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  // A number, or the quote that opens a string, whose digits are skipped.
  const token = /"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [numeral] = match;
    if (numeral === '"') {
      token.lastIndex = endOfJsonString(text, match.index) + 1;
    } else if (isRounded(numeral, Number(numeral))) {
      pieces.push(text.slice(from, match.index), `"${mark}${numeral}"`);
      from = token.lastIndex;
    }
  }
  return pieces.join('') + text.slice(from);
}

/** Replaces marked strings by {@link RoundedNumber}s; with its own stack, since a value may be nested deeply. */
function unmarked(root: unknown): unknown {
  const holder = { root };
  const stack: object[] = [holder];
  for (let container = stack.pop(); container; container = stack.pop()) {
    for (const [key, value] of Object.entries(container)) {
      if (typeof value === 'object' && value !== null) stack.push(value);
      else if (typeof value === 'string' && value.startsWith('\0')) {
        Reflect.set(container, key, new RoundedNumber(value.slice(1)));
      }
    }
  }
  return holder.root;
}

interface Decimal {
  /** Without zeros at either end; empty for zero. */
  digits: string;
  point: number;
}

/** Reads digits with at most one point, a sign and an exponent; without a regular expression, since it may be very long. */
function decimalOf(numeral: string): Decimal {
  const exponentAt = numeral.search(exponent);
  const mantissa = (exponentAt === -1 ? numeral : numeral.slice(0, exponentAt)).replace(
    /^[+-]/,
    '',
  );
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  let from = 0;
  while (all[from] === '0') from++;
  let to = all.length;
  while (to > from && all[to - 1] === '0') to--;
  const shift = exponentAt === -1 ? 0 : Number(numeral.slice(exponentAt + 1));
  return { digits: all.slice(from, to), point: whole.length - from + shift };
}

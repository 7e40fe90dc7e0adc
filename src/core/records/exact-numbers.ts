/**
 * A number of a JSON text that JSON.parse would round: its text stands in the place of its value, so that whoever validates
 * the value can refuse it by name.
 */
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
 * Whether a decimal numeral says something else than the double that it is read as, which is what the shortest text of that
 * says. Zeros at either end change nothing.
 */
export function isRounded(numeral: string, value: number): boolean {
  // Any 15 digits come back from a double as they were (DBL_DIG), but for numbers so small that it keeps fewer.
  if (numeral.length <= exactDigits && (Math.abs(value) >= smallestNormal || !exponent.test(numeral))) return false;
  const given = decimalOf(numeral);
  const kept = decimalOf(String(value));
  return given.digits !== kept.digits || (given.digits !== '' && given.point !== kept.point);
}

/**
 * JSON.parse with a {@link RoundedNumber} for each number that it would round; throws its SyntaxError. Costs one search
 * more where no number is long enough for that. (JSON.parse gives the source text of a number only from Node 22 on.)
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasLongNumeral(text) && !smallNumeral.test(text)) return value;
  const marked = withMarks(text);
  return marked === text ? value : unmarked(JSON.parse(marked));
}

const exactDigits = 15;
const smallestNormal = 2 ** -1022;
const exponent = /[eE]/;
/** What may be too small for all of its digits; what stands within a text may match, too. */
const smallNumeral = /\d[eE]-\d{3}/;
/** No declared field takes this character, so that no text that begins with it was good before. */
const mark = '\\u0000';

/**
 * Whether 16 digits and points stand side by side anywhere, as in no number that is short enough to be exact. Of as many
 * characters one is the last of a stride, so that only those are read: a seventh of what a regular expression takes.
 */
function hasLongNumeral(text: string): boolean {
  for (let at = longLength - 1; at < text.length; at += longLength) {
    if (!isOfNumeral(text.charCodeAt(at))) continue;
    let from = at;
    while (from > 0 && isOfNumeral(text.charCodeAt(from - 1))) from--;
    let to = at + 1;
    while (to < text.length && isOfNumeral(text.charCodeAt(to))) to++;
    if (to - from >= longLength) return true;
  }
  return false;
}

const longLength = exactDigits + 1;

function isOfNumeral(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

/** The text of a JSON value with each number that would be rounded as a text that begins with the mark. */
function withMarks(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  // A number, or the quote before a text, whose digits are none.
  const token = /"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [numeral] = found;
    if (numeral === '"') {
      token.lastIndex = endOfText(text, found.index) + 1;
    } else if (isRounded(numeral, Number(numeral))) {
      pieces.push(text.slice(from, found.index), `"${mark}${numeral}"`);
      from = token.lastIndex;
    }
  }
  return pieces.join('') + text.slice(from);
}

/** The quote that closes the text opened at `start`; a regular expression would run out of stack in a long one. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  for (; text[at] !== '"'; at++) if (text[at] === '\\') at++;
  return at;
}

/** Puts the marked texts of a parsed value right; with a stack of its own, since a value may be nested very deeply. */
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
  /** How many digits stand before the decimal point. */
  point: number;
}

/** Reads a numeral of digits with at most one point, a sign and an exponent; no regular expression, since it may be very long. */
function decimalOf(numeral: string): Decimal {
  const end = numeral.search(exponent);
  const mantissa = (end === -1 ? numeral : numeral.slice(0, end)).replace(/^[+-]/, '');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  let from = 0;
  while (all[from] === '0') from++;
  let to = all.length;
  while (to > from && all[to - 1] === '0') to--;
  const shift = end === -1 ? 0 : Number(numeral.slice(end + 1));
  return { digits: all.slice(from, to), point: whole.length - from + shift };
}

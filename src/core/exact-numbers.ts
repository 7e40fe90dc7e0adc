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
 * Whether a decimal numeral says something else than the double that it is read as. The double is what its shortest text
 * says. Where that needs more than 15 digits, its 17 digits are accepted, too, since the API writes those; SQLite, which
 * makes them, may be one off in the last. Zeros at either end change nothing.
 */
export function isRounded(numeral: string, value: number): boolean {
  // Any 15 digits come back from a double as they were (DBL_DIG), but for numbers so small that it keeps fewer.
  if (numeral.length <= exactDigits && (Math.abs(value) >= smallestNormal || !exponent.test(numeral))) return false;
  const given = decimalOf(numeral);
  const shortest = decimalOf(String(value));
  if (given.digits === shortest.digits && (given.digits === '' || given.point === shortest.point)) return false;
  if (shortest.digits.length <= exactDigits || given.digits.length > allDigits) return true;
  const full = decimalOf(value.toPrecision(allDigits));
  const difference = seventeen(given) - seventeen(full);
  return given.point !== full.point || difference > 1n || difference < -1n;
}

/**
 * JSON.parse with a {@link RoundedNumber} for each number that it would round; throws its SyntaxError. Costs one search
 * more where no number is long enough for that. (JSON.parse gives the source text of a number only from Node 22 on.)
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!longNumeral.test(text) && !smallNumeral.test(text)) return value;
  const marked = withMarks(text);
  return marked === text ? value : unmarked(JSON.parse(marked));
}

const exactDigits = 15;
const allDigits = 17;
const smallestNormal = 2 ** -1022;
const exponent = /[eE]/;
/** What has 16 digits, or 15 and a point; and what may be too small for all of its digits. Texts of other kinds may match, too. */
const longNumeral = /[\d.]{16}/;
const smallNumeral = /\d[eE]-\d{3}/;
/** No declared field takes this character, so that no text that begins with it was good before. */
const mark = '\\u0000';

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

function seventeen({ digits }: Decimal): bigint {
  return BigInt(digits.padEnd(allDigits, '0'));
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

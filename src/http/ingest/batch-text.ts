import { longestItem, maxBatch, tooLong } from '../../core/readings/rejections.ts';
import type { Steps } from '../fairness/slices.ts';
import { ApiError } from '../request/problem.ts';
import { ItemScan, tooMany } from './item-scan.ts';
import { faultOf, JsonFault, notJson, parseJson } from './json-faults.ts';

/** The shape of a body: `{"readings":[…]}`, or only a list where there is no name. */
interface Wrapping {
  name: string | undefined;
  /** The message for a body of another shape. */
  expected: string;
}

/** Shorter texts are parsed as a whole, because that never takes long. */
const shortLength = 32 * 1024;
/** Characters that one step scans or parses. */
const scannedAtOnce = 256 * 1024;
const parsedAtOnce = 64 * 1024;
const itemsAtOnce = 500;

/**
 * Parses the items of a JSON body, which may be any values. A long text is first scanned for the end of each item, so that
 * too many items are refused before any is parsed, and then parsed piece by piece. Throws `bad_json`, `invalid_body` or
 * `too_large`.
 */
export function* itemsOfJson(whole: string, wrapping: Wrapping): Steps<unknown[]> {
  const isShort = whole.length <= shortLength;
  const start = isShort ? 0 : yield* afterBlanks(whole, 0);
  try {
    if (isShort) return requireFew(unwrap(parseJson(whole), wrapping));
    yield;
    return yield* itemsOfLongJson(whole.slice(start), wrapping);
  } catch (thrown) {
    if (!(thrown instanceof JsonFault)) throw thrown;
    throw yield* notJson(whole, start + thrown.offset);
  }
}

function* itemsOfLongJson(text: string, wrapping: Wrapping): Steps<unknown[]> {
  const head = (wrapping.name === undefined ? listHead : mapHead).exec(text);
  if (head === null) return yield* refuseShape(text, wrapping);
  if (wrapping.name !== undefined && head[1] !== wrapping.name) throw wrongShape(wrapping);
  const from = head[0].length;
  const scan = new ItemScan(text, from, maxBatch);
  while (scan.end === undefined) {
    try {
      scan.go(scannedAtOnce);
    } catch (thrown) {
      if (thrown instanceof JsonFault) yield* findFault(text, from, scan.commas);
      throw thrown;
    }
    yield;
  }
  if (!(yield* isEnd(text, scan.end + 1, wrapping.name === undefined ? '' : '}'))) {
    // After the list comes a second member, or the text is not JSON.
    const tail = text.slice(scan.end + 1);
    if (tail.length <= shortLength) parseShifted(`${head[0]}]${tail}`, scan.end - from);
    throw wrongShape(wrapping);
  }
  return yield* parseItems(text, from, scan.end, scan.commas);
}

/** Parses the items of an NDJSON body, one on each line; blank lines are skipped. Throws `bad_json` or `too_large`. */
export function* itemsOfLines(text: string): Steps<unknown[]> {
  try {
    return yield* parseLines(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonFault)) throw thrown;
    throw yield* notJson(text, thrown.offset);
  }
}

function* parseLines(text: string): Steps<unknown[]> {
  const items: unknown[] = [];
  let parsed = 0;
  let start = yield* afterBlanks(text, 0);
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (items.length === maxBatch) throw tooMany();
    if (end - start > longestItem) items.push(oversized(text, start));
    else {
      items.push(parseShifted(text.slice(start, end), start));
      parsed += end - start;
    }
    if (parsed > parsedAtOnce || items.length % itemsAtOnce === 0) {
      parsed = 0;
      yield;
    }
    // Usually the next line begins at once, and a generator costs more than its first character.
    start = text[end + 1] === '{' ? end + 1 : yield* afterBlanks(text, end);
  }
  return items;
}

/** The position of the first character that is no blank; a body may consist of megabytes of them. */
function* afterBlanks(text: string, from: number): Steps<number> {
  let at = from;
  for (;;) {
    blanks.lastIndex = at;
    blanks.test(text);
    const end = blanks.lastIndex;
    if (end - at < blanksAtOnce) return end;
    at = end;
    yield;
  }
}

/** Whether nothing but `last` and blanks is left of a text. */
function* isEnd(text: string, from: number, last: '' | '}'): Steps<boolean> {
  const at = yield* afterBlanks(text, from);
  if (!text.startsWith(last, at)) return false;
  return (yield* afterBlanks(text, at + last.length)) === text.length;
}

/** Matches at every place, up to as many blanks as one step passes. */
const blanks = /\s{0,65536}/y;
const blanksAtOnce = 64 * 1024;

/** The list of a parsed body. */
function unwrap(value: unknown, wrapping: Wrapping): unknown[] {
  if (wrapping.name === undefined) {
    if (!Array.isArray(value)) throw wrongShape(wrapping);
    return value;
  }
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const [key, list] = (isMap ? Object.entries(value) : [])[0] ?? [];
  if (!isMap || Object.keys(value).length !== 1 || key !== wrapping.name || !Array.isArray(list)) {
    throw wrongShape(wrapping);
  }
  return list;
}

const listHead = /^\[/;
const mapHead = /^\{[ \t\n\r]{0,99}"([^"\\]{0,64})"[ \t\n\r]{0,99}:[ \t\n\r]{0,99}\[/;

/** Refuses a long text that does not begin like a batch: `invalid_body` if its brackets match, else `bad_json`. */
function* refuseShape(text: string, wrapping: Wrapping): Steps<never> {
  const bracket = text[0] ?? '';
  if (bracket === '[' || bracket === '{') {
    const scan = new ItemScan(text, 1, Number.POSITIVE_INFINITY, bracket === '[' ? 93 : 125);
    while (scan.end === undefined) {
      scan.go(scannedAtOnce);
      yield;
    }
    if (yield* isEnd(text, scan.end + 1, '')) throw wrongShape(wrapping);
  } else if (/["\d-]/.test(bracket)) throw wrongShape(wrapping);
  throw new JsonFault(0);
}

/** Parses the items between the commas in groups, and does not parse one that is longer than any valid item. */
function* parseItems(text: string, from: number, end: number, commas: readonly number[]): Steps<unknown[]> {
  if (commas.length === 0 && (yield* afterBlanks(text, from)) === end) return [];
  const items: unknown[] = [];
  let start = from;
  let gathered = 0;
  const flush = (to: number): void => {
    if (gathered === 0) return;
    const parsed = parseShifted(`[${text.slice(start, to)}]`, start - 1);
    // An item is missing between two commas.
    if (!Array.isArray(parsed) || parsed.length !== gathered) throw new JsonFault(start);
    for (const item of parsed) items.push(item);
    gathered = 0;
  };
  let itemStart = from;
  for (let index = 0; index <= commas.length; index++) {
    const itemEnd = commas[index] ?? end;
    if (itemEnd - itemStart > longestItem) {
      flush(itemStart - 1);
      items.push(oversized(text, yield* afterBlanks(text, itemStart)));
      start = itemEnd + 1;
      yield;
    } else if (++gathered === itemsAtOnce || itemEnd - start > parsedAtOnce) {
      flush(itemEnd);
      start = itemEnd + 1;
      yield;
    }
    itemStart = itemEnd + 1;
  }
  flush(end);
  return items;
}

/**
 * Throws the first fault of a list of which the scan did not find the end: a quote or bracket that is missing in one item
 * shows only where the text ends. Returns where the text is JSON as far as it was parsed.
 */
function* findFault(text: string, from: number, commas: readonly number[]): Steps<void> {
  const last = commas.at(-1);
  if (last !== undefined) yield* parseItems(text, from, last, commas.slice(0, -1));
  const start = last === undefined ? from : last + 1;
  const head = last === undefined ? '[' : '[0,';
  const part = head + text.slice(start, start + parsedAtOnce);
  const offset = faultOf(part);
  // Where the part ends early, an escape in its last characters may be cut.
  if (offset < part.length - longestEscape) throw new JsonFault(start + offset - head.length);
}

const longestEscape = '\\u0000'.length;

/** The placeholder of an item that is too long; null where it is not an object, which is refused as such. */
function oversized(text: string, start: number): unknown {
  return text[start] === '{' ? tooLong : null;
}

/** Parses a part of a text that starts `shift` characters after it. */
function parseShifted(part: string, shift: number): unknown {
  try {
    return parseJson(part);
  } catch (thrown) {
    if (!(thrown instanceof JsonFault)) throw thrown;
    throw new JsonFault(shift + thrown.offset);
  }
}

function requireFew(items: unknown[]): unknown[] {
  if (items.length > maxBatch) throw tooMany();
  return items;
}

function wrongShape({ expected }: Wrapping): ApiError {
  return new ApiError('invalid_body', expected);
}

import { longestItem, maxBatch, tooLong } from '../../core/readings/rejections.ts';
import { ApiError } from '../answers/problem.ts';
import type { Steps } from '../fairness/slices.ts';
import { faultOf, JsonFault, notJson, parseJson } from './json-faults.ts';

/** The shape of a JSON body: `{"readings":[…]}`, or only a list if there is no name. */
export interface Wrapping {
  name: string | undefined;
  /** The message for a body of another shape. */
  expected: string;
}

/** What takes the items of a body, which may be any values. */
export interface ItemTaker {
  /**
   * Takes the usual items from an offset on that follow one another, up to one that begins behind `to`, and counts them in
   * `added`. Returns the offset behind the last; 0 leaves the first to {@link add}.
   */
  addUsual?(from: number, index: number, to: number): number;
  added?: number;
  add(item: unknown, index: number): void;
}

/**
 * Parses the items of a UTF-8 body one after the other: a list of JSON or, without a wrapping, lines (NDJSON). An item that is
 * longer than any valid one is not parsed. Throws `bad_json`, `invalid_body` or `too_large`.
 */
export function* takeItems(body: Buffer, wrapping: Wrapping | undefined, taker: ItemTaker): Steps<void> {
  const reader = new ItemReader(body, taker);
  try {
    yield* wrapping === undefined ? reader.lines() : reader.list(wrapping);
  } catch (thrown) {
    if (!(thrown instanceof JsonFault)) throw thrown;
    throw yield* notJson(body, thrown.offset);
  }
}

/** Bytes that one step takes: far less than a millisecond, except in the first bodies, before the code is compiled. */
const scannedAtOnce = 32 * 1024;
/** Bytes that are parsed at once to find a fault. */
const parsedAtOnce = 32 * 1024;

class ItemReader {
  readonly #body: Buffer;
  readonly #taker: ItemTaker;
  #pauseAt = scannedAtOnce;
  #deep = 0;

  constructor(body: Buffer, taker: ItemTaker) {
    this.#body = body;
    this.#taker = taker;
  }

  *list({ name, expected }: Wrapping): Steps<void> {
    const body = this.#body;
    // How nearly every body begins.
    const head = `{"${name}":[{`;
    let at = head.length - 1;
    if (body.toString('latin1', 0, head.length) !== head) {
      const start = yield* this.#afterBlanks(0);
      at = yield* this.#intoList(start, name);
      if (at === -1) return yield* this.#refuse(start, '', expected);
    }
    for (let index = 0; index > 0 || body[at] !== closingBracket; index++) {
      if (index === maxBatch) throw tooMany();
      const behind = this.#taker.addUsual?.(at, index, this.#pauseAt);
      if (behind) index += (this.#taker.added ?? 1) - 1;
      at = behind || (yield* this.#addUnusual(at, index));
      if (isBlank(body[at]) || at > this.#pauseAt) at = yield* this.#afterBlanks(at);
      if (body[at] === closingBracket) break;
      if (body[at] !== comma) throw new JsonFault(at);
      at++;
      if (isBlank(body[at])) at = yield* this.#afterBlanks(at);
    }
    if (name !== undefined && body[at + 1] === closingBrace && at + 2 === body.length) return;
    at = yield* this.#afterBlanks(at + 1);
    if (name === undefined) return yield* this.#requireEnd(at);
    if (body[at] === closingBrace) return yield* this.#requireEnd(at + 1);
    return yield* this.#refuse(at, '{"":""', expected);
  }

  *lines(): Steps<void> {
    const body = this.#body;
    let at = yield* this.#afterBlanks(0);
    for (let index = 0; at < body.length; index++) {
      if (index === maxBatch) throw tooMany();
      const newline = body.indexOf(10, at);
      const end = newline === -1 ? body.length : newline;
      const isTooLong = end - at > longestItem;
      const behind = isTooLong ? 0 : this.#taker.addUsual?.(at, index, at);
      if (behind) {
        const rest = skipBlanks(body, Math.min(behind, end), end);
        if (behind > end || rest < end) throw new JsonFault(rest);
      } else {
        this.#taker.add(isTooLong ? this.#tooLong(at) : parseJson(body, at, end), index);
        yield;
      }
      at = yield* this.#afterBlanks(end);
    }
  }

  /** The offset of the first item or of the closing bracket; -1 if the body does not begin as it should. */
  *#intoList(start: number, name: string | undefined): Steps<number> {
    const body = this.#body;
    let at = start;
    if (name !== undefined) {
      if (body[at] !== openingBrace) return -1;
      at = yield* this.#afterBlanks(at + 1);
      if (body[at] !== quote) return -1;
      const end = yield* this.#endOfValue(at);
      if (end - at > parsedAtOnce || parseJson(body, at, end) !== name) return -1;
      at = yield* this.#afterBlanks(end);
      if (body[at] !== colon) return -1;
      at = yield* this.#afterBlanks(at + 1);
    }
    return body[at] === openingBracket ? yield* this.#afterBlanks(at + 1) : -1;
  }

  /** Parses an item of any kind, and returns the offset behind it. */
  *#addUnusual(at: number, index: number): Steps<number> {
    const end = yield* this.#endOfValue(at);
    this.#taker.add(end - at > longestItem ? this.#tooLong(at) : parseJson(this.#body, at, end), index);
    yield;
    return end;
  }

  /** The placeholder of an item that is too long; null if it is not an object, which is refused as such. */
  #tooLong(at: number): unknown {
    return this.#body[at] === openingBrace ? tooLong : null;
  }

  /** Refuses a body of another shape: `invalid_body` if it is JSON, as far as that is found in a short time, else `bad_json`. */
  *#refuse(from: number, head: string, expected: string): Steps<never> {
    this.#pauseAt = from + scannedAtOnce;
    const end = yield* this.#endOfValue(from, head);
    if (end - from <= parsedAtOnce) parseJson(this.#body, from, end, head);
    yield* this.#requireEnd(end);
    throw new ApiError('invalid_body', expected);
  }

  /**
   * The offset behind the value that starts at one, or behind the object of which it continues `head`. The value is not
   * parsed: what may be no JSON ends at a comma, blank or bracket. Throws {@link JsonFault} if the body ends before.
   */
  *#endOfValue(from: number, head = ''): Steps<number> {
    const body = this.#body;
    let depth = head === '' ? 0 : 1;
    let isInString = false;
    for (let at = from; at < body.length; at++) {
      if (at > this.#pauseAt) yield* this.#pause(at);
      const byte = body[at];
      if (isInString) {
        if (byte === backslash) at++;
        else if (byte === quote) {
          isInString = false;
          if (depth === 0) return at + 1;
        }
      } else if (byte === quote) isInString = true;
      else if (byte === openingBrace || byte === openingBracket) {
        if (depth++ === maxDepth && ++this.#deep > maxBatch) throw tooDeep();
      } else if (byte === closingBrace || byte === closingBracket) {
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
      } else if (depth === 0 && (byte === comma || isBlank(byte))) return at;
    }
    // A scalar may be the whole body.
    if (depth === 0 && !isInString) return body.length;
    const text = head + body.toString('utf8', from, from + parsedAtOnce);
    const fault = faultOf(text);
    // If only a part was parsed, an escape at its end may be cut.
    const isFound = body.length - from <= parsedAtOnce || fault < text.length - longestEscape;
    throw new JsonFault(isFound ? from + Buffer.byteLength(text.slice(0, fault)) - head.length : body.length);
  }

  *#requireEnd(from: number): Steps<void> {
    const at = yield* this.#afterBlanks(from);
    if (at < this.#body.length) throw new JsonFault(at);
  }

  /** The offset of the first byte that is no blank; a body may consist of megabytes of them. */
  *#afterBlanks(from: number): Steps<number> {
    let at = from;
    for (;;) {
      at = skipBlanks(this.#body, at, Math.min(this.#pauseAt + 1, this.#body.length));
      if (at <= this.#pauseAt) return at;
      yield* this.#pause(at);
    }
  }

  *#pause(at: number): Steps<void> {
    this.#pauseAt = at + scannedAtOnce;
    yield;
  }
}

/** The offset of the first byte that is no blank of JSON, at most `to`. */
export function skipBlanks(body: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(body[at])) at++;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte !== undefined && byte <= 32 && (byte === 32 || byte === 10 || byte === 13 || byte === 9);
}

const [quote, comma, colon, backslash] = [34, 44, 58, 92];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [91, 93, 123, 125];
/** The deepest nesting within an item, which is itself two levels below the body. */
const maxDepth = 30;
const longestEscape = '\\u0000'.length;

/** The error for a body with more items than {@link maxBatch}. */
function tooMany(): ApiError {
  return new ApiError('too_large', `A body may hold at most ${maxBatch} items; this one holds more.`);
}

/** The error for a body that would take three times as long to parse as others. */
function tooDeep(): ApiError {
  return new ApiError('invalid_body', `The body is nested deeper than ${maxDepth + 2} levels.`);
}

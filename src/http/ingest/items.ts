import {
  type Fault,
  fault,
  isJsonObject,
  longestItem,
  maxBatch,
  tooLong,
} from '../../core/readings/rejections.ts';
import { ApiError } from '../answers/problem.ts';
import type { SliceSteps } from '../fairness/slices.ts';
import { formatHint, notInFormat } from './body-formats.ts';
import { faultIn, notJson } from './json-faults.ts';

/** The shape of a JSON body: `{"readings":[…]}`, or only a list if there is no name. */
export interface Wrapping {
  name: string | undefined;
  /** The message for a body of another shape. */
  expected: string;
}

/** Receives the items of a body, which may be any values. */
export interface ItemTaker {
  /**
   * Takes the usual items from an offset on that follow one another, up to one that begins behind `to`, and counts them in
   * `added`. Returns the offset behind the last; 0 leaves the first to {@link add}.
   */
  addUsual?(from: number, index: number, to: number): number;
  added?: number;
  /** Forgets the last item that {@link addUsual} took: what follows it on its line is wrong. */
  takeBack?(): void;
  add(item: unknown, index: number): void;
  /** Takes the fault of an item that is not in its format; `item` is what is known of it. */
  refuse(index: number, fault: Fault, item?: unknown): void;
}

/**
 * Parses the items of a UTF-8 body one after the other: a list of JSON or, without a wrapping, lines (NDJSON). An item that is
 * longer than any valid one is not parsed. A line that is no JSON is refused by itself if another one is JSON. Throws `bad_json`,
 * `invalid_body` or `too_large`.
 */
export function* takeItems(
  body: Buffer,
  wrapping: Wrapping | undefined,
  taker: ItemTaker,
): SliceSteps<void> {
  const reader = new ItemReader(body, taker);
  try {
    yield* wrapping === undefined ? reader.lines() : reader.list(wrapping);
  } catch (thrown) {
    if (!(thrown instanceof WrongText)) throw thrown;
    const offset = yield* faultIn(body, reader.from, reader.to);
    if (offset === undefined && wrapping) throw new ApiError('invalid_body', wrapping.expected);
    const format = wrapping === undefined ? 'NDJSON' : 'JSON';
    const hint = formatHint(body, format);
    throw hint === undefined
      ? yield* notJson(body, offset ?? reader.to, format)
      : notInFormat(format, hint);
  }
}

/** The text is no JSON, or not of the expected shape. */
class WrongText extends Error {}

/** In place of the value of a text that is no JSON. */
const notParsed = Symbol('not parsed');

/** Bytes that one step takes: far less than a millisecond, except in the first bodies, before the code is compiled. */
const scannedAtOnce = 32 * 1024;

class ItemReader {
  /** The text that is read: the whole body or a line of it. */
  from = 0;
  to: number;
  readonly #body: Buffer;
  readonly #taker: ItemTaker;
  #pauseAt = scannedAtOnce;
  #deep = 0;

  constructor(body: Buffer, taker: ItemTaker) {
    this.#body = body;
    this.to = body.length;
    this.#taker = taker;
  }

  *list({ name }: Wrapping): SliceSteps<void> {
    const body = this.#body;
    // How nearly every body begins.
    const head = `{"${name}":[{`;
    let at = head.length - 1;
    if (body.toString('latin1', 0, head.length) !== head) {
      at = yield* this.#intoList(name);
    }
    for (let index = 0; index > 0 || body[at] !== closingBracket; index++) {
      if (index === maxBatch) throw tooMany();
      const behind = this.#taker.addUsual?.(at, index, this.#pauseAt);
      if (behind) index += (this.#taker.added ?? 1) - 1;
      at = behind || (yield* this.#addUnusual(at, index));
      if (isBlank(body[at]) || at > this.#pauseAt) at = yield* this.#afterBlanks(at);
      if (body[at] === closingBracket) break;
      if (body[at] !== comma) throw new WrongText();
      at++;
      if (isBlank(body[at])) at = yield* this.#afterBlanks(at);
    }
    if (name !== undefined && body[at + 1] === closingBrace && at + 2 === body.length) return;
    at = yield* this.#afterBlanks(at + 1);
    if (name !== undefined) {
      if (body[at] !== closingBrace) throw new WrongText();
      at = yield* this.#afterBlanks(at + 1);
    }
    if (at < body.length) throw new WrongText();
  }

  *lines(): SliceSteps<void> {
    const body = this.#body;
    let at = yield* this.#afterBlanks(0);
    let hasJson = false;
    let torn: { from: number; to: number } | undefined;
    for (let index = 0; at < body.length; index++) {
      if (index === maxBatch) throw tooMany();
      const newline = body.indexOf(10, at);
      const lineEnd = newline === -1 ? body.length : newline;
      if (yield* this.#line(at, lineEnd, index)) hasJson = true;
      else torn ??= { from: at, to: lineEnd };
      at = yield* this.#afterBlanks(lineEnd);
    }
    if (hasJson) return;
    this.from = torn?.from ?? 0;
    this.to = torn?.to ?? 0;
    throw new WrongText();
  }

  /** Takes one line; returns whether it is JSON. */
  *#line(from: number, to: number, index: number): SliceSteps<boolean> {
    const body = this.#body;
    if (to - from > longestItem) {
      this.#taker.add(this.#tooLong(from), index);
      return body[from] === openingBrace;
    }
    const behind = this.#taker.addUsual?.(from, index, from);
    if (behind) {
      if (behind <= to && skipBlanks(body, behind, to) === to) return true;
      this.#taker.takeBack?.();
    }
    const item = this.#parsed(from, to);
    if (item === notParsed) {
      const offset = (yield* faultIn(body, from, to)) ?? to;
      const column = body.toString('utf8', from, offset).length + 1;
      this.#taker.refuse(index, fault('bad_json', `The line is not JSON: column ${column}.`));
    } else if (isJsonObject(item)) this.#taker.add(item, index);
    else
      this.#taker.refuse(
        index,
        fault('bad_json', 'The line is not one object: send one per line.'),
      );
    yield;
    return item !== notParsed;
  }

  /** The offset of the first item or of the closing bracket. */
  *#intoList(name: string | undefined): SliceSteps<number> {
    const body = this.#body;
    let at = yield* this.#afterBlanks(0);
    if (name !== undefined) {
      if (body[at] !== openingBrace) throw new WrongText();
      at = yield* this.#afterBlanks(at + 1);
      const nameEnd = yield* this.#endOfValue(at);
      if (nameEnd - at > longestItem || this.#parse(at, nameEnd) !== name) throw new WrongText();
      at = yield* this.#afterBlanks(nameEnd);
      if (body[at] !== colon) throw new WrongText();
      at = yield* this.#afterBlanks(at + 1);
    }
    if (body[at] !== openingBracket) throw new WrongText();
    return yield* this.#afterBlanks(at + 1);
  }

  /** Parses an item of any kind, and returns the offset behind it. */
  *#addUnusual(at: number, index: number): SliceSteps<number> {
    const valueEnd = yield* this.#endOfValue(at);
    this.#taker.add(
      valueEnd - at > longestItem ? this.#tooLong(at) : this.#parse(at, valueEnd),
      index,
    );
    yield;
    return valueEnd;
  }

  /** The placeholder of an item that is too long; null if it is not an object, which is refused as such. */
  #tooLong(at: number): unknown {
    return this.#body[at] === openingBrace ? tooLong : null;
  }

  #parse(from: number, to: number): unknown {
    const item = this.#parsed(from, to);
    if (item === notParsed) throw new WrongText();
    return item;
  }

  #parsed(from: number, to: number): unknown {
    try {
      return JSON.parse(this.#body.toString('utf8', from, to));
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return notParsed;
      throw thrown;
    }
  }

  /**
   * The offset behind the value that starts at one. The value is not parsed: what may be no JSON ends at a comma, blank or
   * bracket.
   */
  *#endOfValue(from: number): SliceSteps<number> {
    const body = this.#body;
    let depth = 0;
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
    throw new WrongText();
  }

  /** The offset of the first byte that is no blank; a body may consist of megabytes of them. */
  *#afterBlanks(from: number): SliceSteps<number> {
    let at = from;
    for (;;) {
      at = skipBlanks(this.#body, at, Math.min(this.#pauseAt + 1, this.#body.length));
      if (at <= this.#pauseAt) return at;
      yield* this.#pause(at);
    }
  }

  *#pause(at: number): SliceSteps<void> {
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
  return (
    byte !== undefined && byte <= 32 && (byte === 32 || byte === 10 || byte === 13 || byte === 9)
  );
}

const [quote, comma, colon, backslash] = [34, 44, 58, 92];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [91, 93, 123, 125];
/** The deepest nesting within an item, which is itself two levels below the body. */
const maxDepth = 30;

/** The error for a body with more items than {@link maxBatch}. */
function tooMany(): ApiError {
  return new ApiError(
    'too_large',
    `A body may hold at most ${maxBatch} items; this one holds more.`,
  );
}

/** The error for a body that would take three times as long to parse as others. */
function tooDeep(): ApiError {
  return new ApiError('invalid_body', `The body is nested deeper than ${maxDepth + 2} levels.`);
}

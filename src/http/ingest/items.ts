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
   * Takes the usual items that follow one another from an offset on, up to an item that begins behind `lastOffset`, and counts
   * them in `added`. Returns the offset behind the last one; 0 leaves the first to {@link add}.
   */
  addUsual?(firstOffset: number, firstIndex: number, lastOffset: number): number;
  added?: number;
  /** Forgets the last item that {@link addUsual} took: what follows it on its line is wrong. */
  takeBack?(): void;
  add(item: unknown, index: number): void;
  /** Takes the fault of an item that is not in its format; `item` holds the members that could be read. */
  refuse(index: number, fault: Fault, item?: unknown): void;
}

/**
 * Parses the items of a UTF-8 body one after the other: a list of JSON or, without a wrapping, lines (NDJSON). An item that is
 * longer than any valid one is not parsed. A line that is no JSON is refused by itself if another line is JSON. Throws `bad_json`,
 * `invalid_body` or `too_large`.
 */
export function* takeItems(
  body: Buffer,
  wrapping: Wrapping | undefined,
  taker: ItemTaker,
): SliceSteps<void> {
  const reader = new ItemReader(body, taker);
  try {
    yield* wrapping === undefined ? reader.readLines() : reader.readList(wrapping);
  } catch (thrown) {
    if (!(thrown instanceof WrongText)) throw thrown;
    const faultOffset = yield* faultIn(body, reader.textStart, reader.textEnd);
    if (faultOffset === undefined && wrapping)
      throw new ApiError('invalid_body', wrapping.expected);
    const format = wrapping === undefined ? 'NDJSON' : 'JSON';
    const hint = formatHint(body, format);
    throw hint === undefined
      ? yield* notJson(body, faultOffset ?? reader.textEnd, format)
      : notInFormat(format, hint);
  }
}

/** The text is no JSON, or not of the expected shape. */
class WrongText extends Error {}

/** In place of the value of a text that is no JSON. */
const notParsed = Symbol('not parsed');

/** Bytes that one step takes: far less than a millisecond, except in the first bodies, before the code is compiled. */
const bytesPerStep = 32 * 1024;

class ItemReader {
  /** The text that is read: the whole body or a line of it. */
  textStart = 0;
  textEnd: number;
  readonly #body: Buffer;
  readonly #taker: ItemTaker;
  #pauseAt = bytesPerStep;
  #tooDeepCount = 0;

  constructor(body: Buffer, taker: ItemTaker) {
    this.#body = body;
    this.textEnd = body.length;
    this.#taker = taker;
  }

  *readList({ name }: Wrapping): SliceSteps<void> {
    const body = this.#body;
    // Nearly every body begins like this.
    const usualHead = `{"${name}":[{`;
    let offset = usualHead.length - 1;
    if (body.toString('latin1', 0, usualHead.length) !== usualHead) {
      offset = yield* this.#findListStart(name);
    }
    for (let index = 0; index > 0 || body[offset] !== closingBracket; index++) {
      if (index === maxBatch) throw tooMany();
      const itemsEnd = this.#taker.addUsual?.(offset, index, this.#pauseAt);
      if (itemsEnd) index += (this.#taker.added ?? 1) - 1;
      offset = itemsEnd || (yield* this.#addUnusual(offset, index));
      if (isBlank(body[offset]) || offset > this.#pauseAt)
        offset = yield* this.#afterBlanks(offset);
      if (body[offset] === closingBracket) break;
      if (body[offset] !== comma) throw new WrongText();
      offset++;
      if (isBlank(body[offset])) offset = yield* this.#afterBlanks(offset);
    }
    if (name !== undefined && body[offset + 1] === closingBrace && offset + 2 === body.length)
      return;
    offset = yield* this.#afterBlanks(offset + 1);
    if (name !== undefined) {
      if (body[offset] !== closingBrace) throw new WrongText();
      offset = yield* this.#afterBlanks(offset + 1);
    }
    if (offset < body.length) throw new WrongText();
  }

  *readLines(): SliceSteps<void> {
    const body = this.#body;
    let lineStart = yield* this.#afterBlanks(0);
    let hasJson = false;
    let firstTorn: { from: number; to: number } | undefined;
    for (let index = 0; lineStart < body.length; index++) {
      if (index === maxBatch) throw tooMany();
      const newlineOffset = body.indexOf(10, lineStart);
      const lineEnd = newlineOffset === -1 ? body.length : newlineOffset;
      if (yield* this.#takeLine(lineStart, lineEnd, index)) hasJson = true;
      else firstTorn ??= { from: lineStart, to: lineEnd };
      lineStart = yield* this.#afterBlanks(lineEnd);
    }
    if (hasJson) return;

    this.textStart = firstTorn?.from ?? 0;
    this.textEnd = firstTorn?.to ?? 0;
    throw new WrongText();
  }

  /** Takes one line; returns whether it is JSON. */
  *#takeLine(lineStart: number, lineEnd: number, index: number): SliceSteps<boolean> {
    const body = this.#body;
    if (lineEnd - lineStart > longestItem) {
      this.#taker.add(this.#tooLong(lineStart), index);
      return body[lineStart] === openingBrace;
    }
    const itemEnd = this.#taker.addUsual?.(lineStart, index, lineStart);
    if (itemEnd) {
      if (itemEnd <= lineEnd && skipBlanks(body, itemEnd, lineEnd) === lineEnd) return true;
      this.#taker.takeBack?.();
    }

    const item = this.#tryParse(lineStart, lineEnd);
    if (item === notParsed) {
      const faultOffset = (yield* faultIn(body, lineStart, lineEnd)) ?? lineEnd;
      const column = body.toString('utf8', lineStart, faultOffset).length + 1;
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
  *#findListStart(name: string | undefined): SliceSteps<number> {
    const body = this.#body;
    let offset = yield* this.#afterBlanks(0);
    if (name !== undefined) {
      if (body[offset] !== openingBrace) throw new WrongText();
      offset = yield* this.#afterBlanks(offset + 1);
      const nameEnd = yield* this.#endOfValue(offset);
      if (nameEnd - offset > longestItem || this.#parse(offset, nameEnd) !== name)
        throw new WrongText();
      offset = yield* this.#afterBlanks(nameEnd);
      if (body[offset] !== colon) throw new WrongText();
      offset = yield* this.#afterBlanks(offset + 1);
    }
    if (body[offset] !== openingBracket) throw new WrongText();
    return yield* this.#afterBlanks(offset + 1);
  }

  /** Parses an item of any kind, and returns the offset behind it. */
  *#addUnusual(itemStart: number, index: number): SliceSteps<number> {
    const itemEnd = yield* this.#endOfValue(itemStart);
    this.#taker.add(
      itemEnd - itemStart > longestItem
        ? this.#tooLong(itemStart)
        : this.#parse(itemStart, itemEnd),
      index,
    );
    yield;
    return itemEnd;
  }

  /** The placeholder of an item that is too long; null if it is not an object, which is refused as such. */
  #tooLong(itemStart: number): unknown {
    return this.#body[itemStart] === openingBrace ? tooLong : null;
  }

  #parse(valueStart: number, valueEnd: number): unknown {
    const item = this.#tryParse(valueStart, valueEnd);
    if (item === notParsed) throw new WrongText();
    return item;
  }

  #tryParse(valueStart: number, valueEnd: number): unknown {
    try {
      return JSON.parse(this.#body.toString('utf8', valueStart, valueEnd));
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return notParsed;
      throw thrown;
    }
  }

  /**
   * The offset behind a value, which is not parsed: text that may be no JSON ends at a comma, blank or bracket.
   */
  *#endOfValue(valueStart: number): SliceSteps<number> {
    const body = this.#body;
    let depth = 0;
    let isInString = false;
    for (let offset = valueStart; offset < body.length; offset++) {
      if (offset > this.#pauseAt) yield* this.#pause(offset);
      const byte = body[offset];
      if (isInString) {
        if (byte === backslash) offset++;
        else if (byte === quote) {
          isInString = false;
          if (depth === 0) return offset + 1;
        }
      } else if (byte === quote) isInString = true;
      else if (byte === openingBrace || byte === openingBracket) {
        if (depth++ === maxDepth && ++this.#tooDeepCount > maxBatch) throw tooDeep();
      } else if (byte === closingBrace || byte === closingBracket) {
        if (depth === 0) return offset;
        if (--depth === 0) return offset + 1;
      } else if (depth === 0 && (byte === comma || isBlank(byte))) return offset;
    }
    // A scalar may be the whole body.
    if (depth === 0 && !isInString) return body.length;
    throw new WrongText();
  }

  /** The offset of the first byte that is no blank; a body may consist of megabytes of them. */
  *#afterBlanks(blanksStart: number): SliceSteps<number> {
    let offset = blanksStart;
    for (;;) {
      offset = skipBlanks(this.#body, offset, Math.min(this.#pauseAt + 1, this.#body.length));
      if (offset <= this.#pauseAt) return offset;
      yield* this.#pause(offset);
    }
  }

  *#pause(offset: number): SliceSteps<void> {
    this.#pauseAt = offset + bytesPerStep;
    yield;
  }
}

/** The offset of the first byte that is no blank of JSON, at most `scanLimit`. */
export function skipBlanks(body: Buffer, blanksStart: number, scanLimit: number): number {
  let offset = blanksStart;
  while (offset < scanLimit && isBlank(body[offset])) offset++;
  return offset;
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

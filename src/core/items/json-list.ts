import { jsonIn } from '../fields/exact-numbers.ts';
import { carriageReturn, lineFeed } from './lines.ts';
import { type Found, ItemReader, type ReaderOptions } from './reader.ts';

/** The next thing that may come: a part of the document around the list, a value or what separates two. */
export type Expected =
  | 'document'
  | 'name'
  | 'colon'
  | 'list'
  | 'first'
  | 'value'
  | 'separator'
  | 'member'
  | 'member colon'
  | 'member value'
  | 'member separator'
  | 'end';

const [quote, comma, colon, backslash] = [34, 44, 58, 92];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [91, 93, 123, 125];

/**
 * Finds the elements of a JSON list, which may be the first member of a document, without parsing them. Text that may be no
 * JSON ends at a comma, blank or bracket.
 */
export class JsonListReader extends ItemReader {
  expected: Expected = 'document';
  readonly #listName: string | undefined;
  readonly #isListAlone: boolean;
  #isWrapped = false;
  #isInValue = false;
  #isInText = false;
  #isEscaped = false;
  #isTooLong = false;
  #depth = 0;
  #breaks = 0;
  /** How many CR stood in a row last, and the position behind them. */
  #returns = 0;
  #returnsEnd = 0;

  /** `shape` says whether the list may stand alone, and the name of the member in which it may stand. */
  constructor(
    shape: { listName: string | undefined; isListAlone: boolean },
    options: ReaderOptions,
  ) {
    super(options);
    this.#listName = shape.listName;
    this.#isListAlone = shape.isListAlone;
  }

  get lineReached(): number {
    return this.line + this.#breaks;
  }

  next(): Found {
    for (;;) {
      if (this.at >= this.stepEnd) return this.beginStep();
      const limit = Math.min(this.bytes.length, this.stepEnd);
      if (this.#isInValue) {
        if (this.#readValue(limit)) {
          const found = this.#endValue();
          if (found !== undefined) return found;
          continue;
        }
        if (this.at - this.start > this.options.longest && !this.#isTooLong) {
          this.#isTooLong = true;
          const isElement = this.expected === 'first' || this.expected === 'value';
          return isElement ? 'too long' : 'wrong';
        }
      } else {
        this.#skipBlanks(limit);
        if (this.at < limit) {
          if (!this.#takeToken(this.bytes[this.at] ?? 0)) return 'wrong';
          continue;
        }
      }
      if (this.at < this.bytes.length) continue;
      if (!this.hasAll) return 'more';
      return this.expected === 'end' ? 'end' : 'cut off';
    }
  }

  /** Takes the byte behind the blanks between values; returns whether it can stand there. */
  #takeToken(byte: number): boolean {
    switch (this.expected) {
      case 'document':
        if (byte === openingBracket && this.#isListAlone) return this.#pass('first');
        this.#isWrapped = true;
        return byte === openingBrace && this.#listName !== undefined && this.#pass('name');
      case 'name':
      case 'member':
        this.start = this.at;
        this.#isInValue = byte === quote;
        return this.#isInValue;
      case 'colon':
        return byte === colon && this.#pass('list');
      case 'member colon':
        return byte === colon && this.#pass('member value');
      case 'list':
        return byte === openingBracket && this.#pass('first');
      case 'first':
      case 'value':
        if (byte === closingBracket && this.expected === 'first') return this.#closeList();
        return byte !== comma && byte !== closingBracket && this.#beginElement();
      case 'separator':
        if (byte === closingBracket) return this.#closeList();
        return byte === comma && this.#pass('value');
      case 'member value':
        this.#isInValue = true;
        return byte !== comma && byte !== closingBrace;
      case 'member separator':
        if (byte === closingBrace) return this.#pass('end');
        return byte === comma && this.#pass('member');
      case 'end':
        return false;
    }
  }

  #pass(expected: Expected): true {
    this.at++;
    this.expected = expected;
    return true;
  }

  #closeList(): true {
    return this.#pass(this.#isWrapped ? 'member separator' : 'end');
  }

  #beginElement(): true {
    this.line += this.#breaks;
    this.#breaks = 0;
    this.start = this.at;
    const usualEnd = this.options.takeUsual?.(this.at, this.stepEnd);
    if (usualEnd) {
      this.at = usualEnd;
      this.start = usualEnd;
      this.expected = 'separator';
    } else this.#isInValue = true;
    return true;
  }

  /** Ends a value; gives an item or member, or undefined if it is neither. */
  #endValue(): Found | undefined {
    this.end = this.at;
    this.#isInValue = false;
    const isPassedOver = this.#isTooLong;
    const found = this.end - this.start > this.options.longest ? 'too long' : 'item';
    this.#isTooLong = false;
    switch (this.expected) {
      case 'name':
        this.expected = 'colon';
        return jsonIn(this.text(), JSON.parse) === this.#listName ? undefined : 'wrong';
      case 'member':
        this.expected = 'member colon';
        return undefined;
      case 'member value':
        this.expected = 'member separator';
        return found === 'item' ? 'member' : 'wrong';
      default:
        this.expected = 'separator';
        this.countItem();
        return isPassedOver ? undefined : found;
    }
  }

  /** Reads a value on, at most to a limit; returns whether it ends before that. */
  #readValue(limit: number): boolean {
    const { bytes } = this;
    let at = this.at;
    let depth = this.#depth;
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    let isEnded = false;
    for (; at < limit && !isEnded; at++) {
      const byte = bytes[at] ?? 0;
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) {
          isInText = false;
          isEnded = depth === 0;
        }
      } else if (byte === quote) isInText = true;
      else if (byte === openingBrace || byte === openingBracket) depth++;
      else if (byte === closingBrace || byte === closingBracket) {
        // The bracket of the list ends a number or word before it.
        if (depth === 0) return this.#endBefore(at);
        isEnded = --depth === 0;
      } else if (depth === 0 && (byte === comma || isBlank(byte))) return this.#endBefore(at);
      else if (byte === lineFeed || byte === carriageReturn) this.#countBreak(byte, at);
    }
    this.at = at;
    this.#depth = depth;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
    return isEnded;
  }

  /** Counts a line break; CR LF and CR CR LF are one. */
  #countBreak(byte: number, offset: number): void {
    const position = this.dropped + offset;
    const returns = position === this.#returnsEnd ? this.#returns : 0;
    if (byte === lineFeed) this.#breaks += 1 - Math.min(returns, 2);
    else {
      this.#breaks++;
      this.#returns = returns + 1;
      this.#returnsEnd = position + 1;
    }
  }

  #endBefore(offset: number): true {
    this.at = offset;
    return true;
  }

  #skipBlanks(limit: number): void {
    const { bytes } = this;
    let at = this.at;
    for (; at < limit; at++) {
      const byte = bytes[at];
      if (!isBlank(byte)) break;
      if (byte === lineFeed || byte === carriageReturn) this.#countBreak(byte, at);
    }
    this.at = at;
    const isInMember = this.expected === 'member colon' || this.expected === 'member value';
    if (!isInMember) this.start = at;
  }
}

/** Whether a byte is a blank of JSON. */
function isBlank(byte: number | undefined): boolean {
  return byte === 32 || byte === lineFeed || byte === carriageReturn || byte === 9;
}

import { type Found, ItemReader, type ReaderOptions } from './reader.ts';

export const [lineFeed, carriageReturn] = [10, 13];
const [quote, backslash, space, tab, hash] = [34, 92, 32, 9, 35];

/** The form of lines: whether a line break belongs to a text of theirs, which the next quote ends. */
interface LineSyntax {
  /** Whether a line break at the offset that was read last belongs to a text. */
  readonly isInText: boolean;
  /** Counts texts, if a line that is torn in one ends at the first line break in this text, and not in any. */
  readonly textCount: number;
  /** Begins a line, of which the first byte is given. */
  begin(firstByte: number | undefined): void;
  /** Reads on up to the next line break, whatever it belongs to, at most to a limit; returns its offset. */
  read(bytes: Buffer, offset: number, limit: number): number;
  /** Goes on behind a line break that belongs to a text. */
  passBreak(): void;
}

/**
 * Finds the lines of a text, which end with LF, CR LF, CR CR LF (a file that was converted twice) or CR; those without a byte
 * are left out and counted. A text that no quote ends within the longest line, or before the end, is none: its line ends at its
 * first line break.
 */
export class LineReader extends ItemReader {
  #syntax: LineSyntax;
  #isFound = false;
  #isTooLong = false;
  /** The line break behind which the next line begins. */
  #breakEnd = 0;
  #breaks = 0;
  /** The first line break in the text that was begun last, from the start of the line, and the breaks up to it. */
  #breakInText = 0;
  #breaksToIt = 0;
  #brokenText = 0;
  /** Lines that begin before this position have no line breaks in texts. */
  #plainUntil = 0;

  constructor(syntax: LineSyntax, options: ReaderOptions) {
    super(options);
    this.#syntax = syntax;
  }

  get lineReached(): number {
    return this.line + this.#breaks;
  }

  /** Reads the line that was found again, and all after it, in another syntax. */
  readAgain(syntax: LineSyntax): void {
    this.#syntax = syntax;
    this.#isFound = false;
    this.#breaks = 0;
    this.at = this.start;
  }

  next(): Found {
    if (this.#isFound) this.#goOn();
    for (;;) {
      if (this.at >= this.stepEnd) return this.beginStep();
      if (this.at === this.start && !this.#begin()) return 'more';

      const { bytes, start } = this;
      const limit = Math.min(bytes.length, this.stepEnd);
      const isPlain = this.#isTooLong || this.dropped + start < this.#plainUntil;
      const syntax = isPlain ? plainLines : this.#syntax;
      this.at = syntax.read(bytes, this.at, limit);
      if (this.at - start > this.options.longest && !this.#isTooLong) {
        if (this.#endAtBreakInText(syntax)) return 'item';
        this.#isTooLong = true;
        return 'too long';
      }

      if (this.at < limit) {
        const length = breakLength(bytes, this.at, this.hasAll);
        if (length === 0) return 'more';
        if (syntax.isInText) this.#passBreak(syntax, length);
        else if (this.#find(this.at, length)) return 'item';
      } else if (limit === bytes.length) {
        if (!this.hasAll) return 'more';
        if (this.#endAtBreakInText(syntax)) return 'item';
        if (start === bytes.length) return 'end';
        if (this.#find(this.at, 0)) return 'item';
      }
    }
  }

  /** Begins a line behind line breaks and usual items; returns whether there are enough bytes for that. */
  #begin(): boolean {
    const { bytes } = this;
    const limit = Math.min(bytes.length, this.stepEnd);
    while (this.at < limit) {
      const length = breakLength(bytes, this.at, this.hasAll);
      if (length > 0) this.at += length;
      else if (bytes[this.at] === carriageReturn) return false;
      else {
        const usualEnd = this.options.takeUsual?.(this.at, this.at);
        if (!usualEnd) break;
        this.at = usualEnd + breakLength(bytes, usualEnd, true);
      }
      this.line++;
      this.start = this.at;
    }
    this.#syntax.begin(bytes[this.at]);
    this.#brokenText = 0;
    return true;
  }

  #goOn(): void {
    this.line += this.#breaks;
    this.#breaks = 0;
    this.#isFound = false;
    this.start = this.#breakEnd;
    this.at = this.#breakEnd;
  }

  /** Ends the line at an offset; returns whether it is an item, and not the rest of one that was too long. */
  #find(end: number, length: number): boolean {
    this.end = end;
    this.#breakEnd = end + length;
    if (length > 0) this.#breaks++;
    if (this.#isTooLong) {
      this.#isTooLong = false;
      this.#goOn();
      return false;
    }
    this.#isFound = true;
    this.countItem();
    return true;
  }

  #passBreak(syntax: LineSyntax, length: number): void {
    if (this.#brokenText !== syntax.textCount) {
      this.#brokenText = syntax.textCount;
      this.#breakInText = this.at - this.start;
      this.#breaksToIt = this.#breaks;
    }
    this.#breaks++;
    this.at += length;
    syntax.passBreak();
  }

  /** Ends the line at the first line break of the text in which it is, if there is one. */
  #endAtBreakInText({ isInText, textCount }: LineSyntax): boolean {
    if (!isInText || this.#brokenText !== textCount) return false;
    this.#plainUntil = this.dropped + this.at;
    this.#breaks = this.#breaksToIt;
    const end = this.start + this.#breakInText;
    return this.#find(end, breakLength(this.bytes, end, true));
  }
}

/** The bytes of the line break at an offset; 0 if there is none, or if more bytes have to show where it ends. */
function breakLength(bytes: Buffer, offset: number, hasAll: boolean): number {
  if (bytes[offset] === lineFeed) return 1;
  if (bytes[offset] !== carriageReturn) return 0;
  const [second, third] = [bytes[offset + 1], bytes[offset + 2]];
  if (second === lineFeed) return 2;
  if (second === carriageReturn && third === lineFeed) return 3;
  const isKnown =
    hasAll || (second !== undefined && (second !== carriageReturn || third !== undefined));
  return isKnown ? 1 : 0;
}

/** Lines without texts that could hold a line break, as of NDJSON. */
export const plainLines: LineSyntax = {
  isInText: false,
  textCount: 0,
  begin() {},
  read(bytes, offset, limit) {
    let at = offset;
    while (at < limit && bytes[at] !== lineFeed && bytes[at] !== carriageReturn) at++;
    return at;
  },
  passBreak() {},
};

/** Lines of line protocol: texts stand in the fields, behind the first space, and a backslash belongs to what follows it. */
export class LineProtocolLines implements LineSyntax {
  /** A quote that is missing turns all quotes behind it round, so that no text is known to be whole. */
  readonly textCount = 1;
  #isQuoted = false;
  #isEscaped = false;
  #part: 'indent' | 'comment' | 'names' | 'fields' = 'indent';

  get isInText(): boolean {
    return this.#isQuoted || this.#isEscaped;
  }

  begin(): void {
    this.#isQuoted = false;
    this.#isEscaped = false;
    this.#part = 'indent';
  }

  passBreak(): void {
    this.#isEscaped = false;
  }

  read(bytes: Buffer, offset: number, limit: number): number {
    let at = offset;
    for (; at < limit; at++) {
      const byte = bytes[at];
      if (byte === lineFeed || byte === carriageReturn) return at;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#part === 'comment') return plainLines.read(bytes, at, limit);
      else if (byte === backslash) this.#escape();
      else if (byte === quote && this.#part === 'fields') this.#isQuoted = !this.#isQuoted;
      else if (this.#part === 'indent') {
        if (byte === hash) this.#part = 'comment';
        else if (byte !== space && byte !== tab) this.#part = 'names';
      } else if (byte === space) this.#part = 'fields';
    }
    return at;
  }

  #escape(): void {
    this.#isEscaped = true;
    if (this.#part === 'indent') this.#part = 'names';
  }
}

/** Lines of CSV: a text is a cell that begins with a quote, behind blanks perhaps, and two quotes in it are one. */
export class CsvLines implements LineSyntax {
  textCount = 0;
  /** Whether lines may be comments, which begin with a hash. */
  hasComments = false;
  readonly #separator: number;
  #state: number = cellStart;

  constructor(separator: string) {
    this.#separator = separator.charCodeAt(0);
  }

  get isInText(): boolean {
    return this.#state === inText;
  }

  begin(firstByte: number | undefined): void {
    this.textCount = 0;
    this.#state = this.hasComments && firstByte === hash ? restOfLine : cellStart;
  }

  passBreak(): void {}

  read(bytes: Buffer, offset: number, limit: number): number {
    const separator = this.#separator;
    let state = this.#state;
    let at = offset;
    for (; at < limit; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === lineFeed || byte === carriageReturn) break;
      if (state === inText) {
        if (byte === quote) state = afterText;
      } else if (state === restOfLine) continue;
      else if (byte === separator) state = cellStart;
      else if (byte === quote) {
        if (state === cellStart) this.textCount++;
        state = state === cellStart || state === afterText ? inText : restOfLine;
      } else if (state === cellStart) {
        if (byte > space && byte !== 0xc2 && byte !== 0xa0) state = inCell;
      } else if (state !== inCell) {
        const isPadding = byte === space || byte === tab || byte === 0xc2 || byte === 0xa0;
        state = isPadding ? padding : restOfLine;
      }
    }
    this.#state = state;
    return at;
  }
}

/** The states of a line of CSV. In the last one a quote stood where none can, or something behind a text. */
const [cellStart, inCell, inText, afterText, padding, restOfLine] = [0, 1, 2, 3, 4, 5];

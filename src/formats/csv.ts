import { isBlank } from '../core/fields/values.ts';
import { csvComment } from '../core/records/columns.ts';
import {
  countBreaks,
  endOfBreak,
  endOfLine,
  indexOrEnd,
  lineCode,
  maxRowLength,
  returnCode,
  type TextEvents,
  type TextFault,
  type TextReader,
  tooLongRule,
} from './reader.ts';

const quoteCode = 34;
const endCode = -1;

/**
 * Creates a streaming reader of CSV (RFC 4180; also separated by `;` or tabs, as the header or Excel's `sep=` line shows).
 * Lines between the header and the first record that begin with `# ` are comments, as in the template of a resource. Rows
 * without content are left out, and blanks around quotes are padding.
 *
 * Our own, because no library is both strict and fast: csv-parse and csv-parser report faults but take 5 µs for a row of
 * parts, of 8 µs for the whole import; uDSV and Papa Parse are fast, but join or split ragged rows silently or do not count
 * lines. A test compares the rows with those of csv-parse.
 */
export function createCsvReader(events: Omit<TextEvents, 'value' | 'listName'>): TextReader {
  let remainder = '';
  let nextLine = 1;
  let separatorCode: number | undefined;
  /** Rows read so far, up to two: between the first, which is the header, and the second there may be comments. */
  let rowCount = 0;
  return {
    get line() {
      return nextLine + countBreaks(remainder);
    },
    push(text, last) {
      const bufferedText = remainder + text;
      let rowStart = 0;
      if (separatorCode === undefined) {
        const tableStart = readStart(bufferedText, last);
        if (tableStart === undefined) {
          remainder = bufferedText;
          return;
        }
        ({ separator: separatorCode, at: rowStart } = tableStart);
        events.separator?.(String.fromCharCode(separatorCode));
        nextLine += tableStart.lines;
      }

      while (rowStart < bufferedText.length) {
        const isComment = rowCount === 1 && mayBeComment(bufferedText, rowStart);
        const nextStart = isComment
          ? skipComment(bufferedText, rowStart, last)
          : readRow(bufferedText, rowStart, separatorCode, last);
        if (nextStart === -1) break;
        rowStart = nextStart;
      }
      remainder = bufferedText.slice(rowStart);
      if (remainder.length > maxRowLength) events.fatal(nextLine, tooLongRule);
    },
  };

  /**
   * Reads the row that starts at a position and returns the start of the next one, -1 if the row is incomplete. Visits each
   * character of unquoted values once: they are short, and a search for each, or split(), takes twice as long.
   */
  function readRow(text: string, rowStart: number, separatorCode: number, isLast: boolean): number {
    const cells: string[] = [];
    let breaks = 0;
    let isPlain = true;
    let cellStart = rowStart;
    let at = rowStart;
    for (;;) {
      const code = codeAt(text, at);
      if (code > 44 && code < 127 && code !== separatorCode) {
        // Letters and digits, the common case, in one comparison.
        at++;
      } else if (code === separatorCode) {
        cells.push(text.slice(cellStart, at));
        cellStart = ++at;
      } else if (code === lineCode || code === returnCode || code === endCode) {
        if (code === endCode && !isLast) return -1;

        const nextRow = code === endCode ? at + 1 : endOfBreak(text, at, isLast);
        if (nextRow === -1) return -1;

        cells.push(text.slice(cellStart, at));
        return endRow(cells, breaks, isPlain, nextRow);
      } else if (code !== quoteCode) {
        if (code < 32 || code > 126) isPlain = false;
        at++;
      } else if (at > cellStart && !isBlank(text.slice(cellStart, at))) {
        const faultEnd = Math.min(
          indexOrEnd(text, String.fromCharCode(separatorCode), cellStart),
          endOfLine(text, cellStart),
        );
        return skipLine(
          text,
          cellStart,
          isLast,
          faultIn(cells, breaks, text.slice(cellStart, faultEnd), wholeQuotesRule),
        );
      } else {
        const closingAt = closingQuote(text, at + 1);
        // At the very end a quote may be the first of two.
        if (!isLast && (closingAt === -1 || closingAt + 1 >= text.length)) {
          return -1;
        }
        if (closingAt === -1) {
          return skipLine(text, at, isLast, faultIn(cells, breaks, null, unclosedRule));
        }

        const quotedValue = text.slice(at + 1, closingAt);
        const cellEnd = skipPadding(text, closingAt + 1, separatorCode);
        if (cellEnd === text.length && !isLast) return -1;

        if (!plainText.test(quotedValue)) {
          isPlain = false;
          breaks += countBreaks(quotedValue);
        }
        const code = codeAt(text, cellEnd);
        const nextStart =
          isEnd(code) && code !== endCode ? endOfBreak(text, cellEnd, isLast) : cellEnd + 1;
        if (nextStart === -1) return -1;
        if (code !== separatorCode && !isEnd(code)) {
          return skipLine(
            text,
            cellEnd,
            isLast,
            faultIn(cells, breaks, quotedValue, afterQuoteRule),
          );
        }
        cells.push(quotedValue.includes('"') ? quotedValue.replaceAll('""', '"') : quotedValue);
        cellStart = at = nextStart;
        if (code !== separatorCode) {
          return endRow(cells, breaks, isPlain, at);
        }
      }
    }
  }

  /** Skips a line that begins like a comment, or reads it as a row if it is none; -1 if it is incomplete. */
  function skipComment(text: string, at: number, isLast: boolean): number {
    if (!text.startsWith(csvComment, at)) {
      return !isLast && text.length === at + 1
        ? -1
        : readRow(text, at, separatorCode ?? endCode, isLast);
    }

    const nextLineStart = startOfNextLine(text, at, isLast);
    if (nextLineStart !== -1) nextLine++;
    return nextLineStart;
  }

  function endRow(cells: string[], breaks: number, isPlain: boolean, nextRow: number): number {
    if (!cells.every(isBlank)) {
      if (rowCount < 2) rowCount++;
      events.row(cells, nextLine, isPlain);
    }
    nextLine += breaks + 1;
    return nextRow;
  }

  function faultIn(
    cells: readonly string[],
    breaks: number,
    value: string | null,
    rule: string,
  ): TextFault {
    return {
      line: nextLine + breaks,
      column: cells.length + 1,
      value,
      rule,
    };
  }

  /** Reports a fault and returns the start of the next line; -1 if the line is incomplete. */
  function skipLine(text: string, lineStart: number, isLast: boolean, fault: TextFault): number {
    const nextLineStart = startOfNextLine(text, lineStart, isLast);
    if (nextLineStart === -1) return -1;
    events.fault(fault);
    nextLine = fault.line + 1;
    return nextLineStart;
  }
}

const wholeQuotesRule = 'quotes around the whole value, and those inside it doubled';
const unclosedRule = 'a closing quote before the end of the file';
const afterQuoteRule = 'nothing between a closing quote and the next column';

function mayBeComment(text: string, at: number): boolean {
  return text.charCodeAt(at) === csvComment.charCodeAt(0);
}

const plainText = /^[ -~]*$/;

/** The quote that ends a quoted value: the first one that is not doubled; -1 if there is none. */
function closingQuote(text: string, searchStart: number): number {
  for (let at = text.indexOf('"', searchStart); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== quoteCode) return at;
  }
  return -1;
}

function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : endCode;
}

function isEnd(code: number): boolean {
  return code === lineCode || code === returnCode || code === endCode;
}

/** The start of the next line; -1 if this one is incomplete. */
function startOfNextLine(text: string, lineStart: number, isLast: boolean): number {
  const lineEnd = endOfLine(text, lineStart);
  if (lineEnd === text.length) return isLast ? lineEnd : -1;
  return endOfBreak(text, lineEnd, isLast);
}

/** The position after the blanks behind a closing quote. */
function skipPadding(text: string, paddingStart: number, separatorCode: number): number {
  let at = paddingStart;
  while (codeAt(text, at) !== separatorCode && /[ \t\u00a0]/.test(text[at] ?? '')) {
    at++;
  }
  return at;
}

interface TableStart {
  separator: number;
  /** The start of the header. */
  at: number;
  /** The lines before it. */
  lines: number;
}

/** Finds the header and its separator; undefined if the line of the header is incomplete. */
function readStart(text: string, isLast: boolean): TableStart | undefined {
  let at = 0;
  let lines = 0;
  let declaredSeparator: string | undefined;
  for (;;) {
    const headerEnd = endOfLine(text, at);
    const header = text.slice(at, headerEnd);
    const isLastLine = headerEnd === text.length;
    if (isLastLine && !isLast && text.length <= maxRowLength) return undefined;

    declaredSeparator ??= /^"?sep=([^"\r\n])"?[\s,;]*$/i.exec(header)?.[1];
    const isDeclaration = declaredSeparator !== undefined && /^"?sep=/i.test(header);
    const isHeader = !isDeclaration && !/^[\s,;]*$/.test(header);
    if (isLastLine || isHeader) {
      const separator = declaredSeparator ?? separatorOf(header);
      return { separator: separator.charCodeAt(0), at, lines };
    }
    const nextLineStart = endOfBreak(text, headerEnd, isLast);
    if (nextLineStart === -1) return undefined;
    at = nextLineStart;
    lines++;
  }
}

/** The most frequent separator in the header outside quotes; a comma if there is none. */
function separatorOf(header: string): string {
  const unquotedHeader = header.replace(/"(?:[^"]|"")*"?/g, '');
  const counts = [',', ';', '\t'].map((candidate) => {
    return { candidate, count: unquotedHeader.split(candidate).length - 1 };
  });
  const mostFrequent = counts.reduce((best, next) => (next.count > best.count ? next : best));
  return mostFrequent.candidate;
}

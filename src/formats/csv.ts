import { csvComment } from '../core/records/columns.ts';
import {
  countBreaks,
  indexOrEnd,
  maxRowLength,
  type TextEvents,
  type TextFault,
  type TextReader,
  tooLongRule,
} from './reader.ts';

const quoteCode = 34;
const returnCode = 13;
const lineCode = 10;
const endCode = -1;

/**
 * Creates a streaming reader of CSV (RFC 4180; also separated by `;` or tabs, as the header or Excel's `sep=` line shows).
 * Lines between the header and the first record that begin with `# ` are comments, as in the template of a resource.
 *
 * Our own, because no library is both strict and fast: csv-parse and csv-parser report faults but take 5 µs for a row of
 * parts, of 8 µs for the whole import; uDSV and Papa Parse are fast, but join or split ragged rows silently or do not count
 * lines. A test compares the rows with those of csv-parse.
 */
export function createCsvReader(events: Omit<TextEvents, 'value'>): TextReader {
  let rest = '';
  let line = 1;
  let separator: number | undefined;
  /** Rows read so far, up to two: between the first, which is the header, and the second there may be comments. */
  let rows = 0;
  return {
    get line() {
      return line + countBreaks(rest, 0, rest.length);
    },
    push(text, last) {
      let all = rest + text;
      if (separator === undefined) {
        const blank = /^[\r\n]*/.exec(all)?.[0].length ?? 0;
        line += countBreaks(all, 0, blank);
        all = all.slice(blank);
        const header = headerLine(all, last);
        if (header === undefined) {
          rest = all;
          return;
        }
        const declared = /^sep=(.)\r?$/.exec(header)?.[1];
        if (declared !== undefined) {
          all = all.slice(header.length + 1);
          line++;
        }
        separator = (declared ?? separatorOf(header)).charCodeAt(0);
      }
      let at = 0;
      while (at < all.length) {
        const next =
          rows === 1 && mayBeComment(all, at)
            ? skipComment(all, at, last)
            : readRow(all, at, separator, last);
        if (next === -1) break;
        at = next;
      }
      rest = all.slice(at);
      if (rest.length > maxRowLength) events.fatal(line, tooLongRule);
    },
  };

  /**
   * Reads the row that starts at a position and returns the start of the next one, -1 if the row is incomplete. Visits each
   * character of unquoted values once: they are short, and a search for each, or split(), takes twice as long.
   */
  function readRow(text: string, start: number, between: number, last: boolean): number {
    const cells: string[] = [];
    let breaks = 0;
    let plain = true;
    let from = start;
    let at = start;
    for (;;) {
      const code = codeAt(text, at);
      if (code > 44 && code < 127 && code !== between) {
        // Letters and digits, the common case, in one comparison.
        at++;
      } else if (code === between) {
        cells.push(text.slice(from, at));
        from = ++at;
      } else if (code === lineCode || code === endCode) {
        if (code === endCode && !last) return -1;
        const end = at > from && text.charCodeAt(at - 1) === returnCode ? at - 1 : at;
        if (end === start) {
          line++;
          return at + 1;
        }
        cells.push(text.slice(from, end));
        return endRow(cells, breaks, plain, at + 1);
      } else if (code !== quoteCode) {
        if (code < 32 || code > 126)
          plain &&= code === returnCode && codeAt(text, at + 1) === lineCode;
        at++;
      } else if (at > from) {
        const end = Math.min(
          indexOrEnd(text, String.fromCharCode(between), from),
          indexOrEnd(text, '\n', from),
        );
        return skipLine(
          text,
          from,
          last,
          faultIn(cells, breaks, text.slice(from, end), quotesRule),
        );
      } else {
        const close = closingQuote(text, at + 1);
        // At the very end a quote may be the first of two, and a return the first half of a line break.
        if (!last && (close === -1 || close + 2 >= text.length)) return -1;
        if (close === -1)
          return skipLine(text, at, last, faultIn(cells, breaks, null, unclosedRule));
        const value = text.slice(at + 1, close);
        const isReturn =
          text.charCodeAt(close + 1) === returnCode && isEnd(codeAt(text, close + 2));
        const end = isReturn ? close + 2 : close + 1;
        const next = codeAt(text, end);
        if (!plainText.test(value)) {
          plain = false;
          breaks += countBreaks(value, 0, value.length);
        }
        if (next !== between && !isEnd(next)) {
          return skipLine(text, end, last, faultIn(cells, breaks, value, afterQuoteRule));
        }
        cells.push(value.includes('"') ? value.replaceAll('""', '"') : value);
        from = at = end + 1;
        if (next !== between) return endRow(cells, breaks, plain, at);
      }
    }
  }

  /** Skips a line that begins like a comment, or reads it as a row if it is none; -1 if it is incomplete. */
  function skipComment(text: string, at: number, last: boolean): number {
    if (!text.startsWith(csvComment, at)) {
      return !last && text.length === at + 1 ? -1 : readRow(text, at, separator ?? endCode, last);
    }
    const end = indexOrEnd(text, '\n', at);
    if (end === text.length && !last) return -1;
    line++;
    return end + 1;
  }

  function endRow(cells: string[], breaks: number, plain: boolean, next: number): number {
    if (rows < 2) rows++;
    events.row(cells, line, plain);
    line += breaks + 1;
    return next;
  }

  function faultIn(
    cells: readonly string[],
    breaks: number,
    value: string | null,
    rule: string,
  ): TextFault {
    return { line: line + breaks, column: cells.length + 1, value, rule };
  }

  /** Reports a fault and returns the start of the next line; -1 if the line is incomplete. */
  function skipLine(text: string, from: number, last: boolean, fault: TextFault): number {
    const end = indexOrEnd(text, '\n', from);
    if (end === text.length && !last) return -1;
    events.fault(fault);
    line = fault.line + 1;
    return end + 1;
  }
}

const quotesRule = 'quotes around the whole value, and those inside it doubled';
const unclosedRule = 'a closing quote before the end of the file';
const afterQuoteRule = 'nothing between a closing quote and the next column';

function mayBeComment(text: string, at: number): boolean {
  return text.charCodeAt(at) === csvComment.charCodeAt(0);
}

const plainText = /^[ -~]*$/;

/** The quote that ends a quoted value: the first one that is not doubled; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== quoteCode) return at;
  }
  return -1;
}

function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : endCode;
}

function isEnd(code: number): boolean {
  return code === lineCode || code === endCode;
}

function headerLine(text: string, last: boolean): string | undefined {
  const end = text.indexOf('\n');
  if (end === -1) return last || text.length > maxRowLength ? text : undefined;
  return text.slice(0, end);
}

/** The most frequent separator in the header outside quotes; a comma if there is none. */
function separatorOf(header: string): string {
  const bare = header.replace(/"(?:[^"]|"")*"?/g, '');
  const counts = [',', ';', '\t'].map((candidate) => ({
    candidate,
    count: bare.split(candidate).length - 1,
  }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).candidate;
}

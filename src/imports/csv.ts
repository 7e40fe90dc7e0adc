import { countBreaks, indexOrEnd, maxRowLength, type TextReader, tooLongRule } from './reader.ts';

export interface CsvEvents {
  /** A row: its values and the line it starts on; `plain` where all are printable ASCII without breaks. The first is the header. */
  row(cells: string[], line: number, plain: boolean): void;
  /** A row that is no CSV: the line and the column, from 1, where it goes wrong. Reading goes on with the next line. */
  fault(line: number, column: number, value: string | null, rule: string): void;
  /** Nothing after this line can be read; throws. */
  fatal(line: number, rule: string): never;
}

const quote = '"';
const quoteCode = 34;
const returnCode = 13;
const lineCode = 10;
const plainText = /^[ -~\r\n]*$/;
const loneReturn = /\r(?!\n)/;

/**
 * A streaming reader of CSV (RFC 4180, also with `;` or tab, told from the header line, or by Excel's `sep=` line).
 *
 * Written here because no library does both: csv-parse and csv-parser, which notice faults, take 5 µs for a row of parts,
 * where all of an import may take 8; uDSV and Papa Parse are quick enough but join or split ragged rows without a word, or
 * know no lines. A test reads the same texts with csv-parse and finds the same rows.
 */
export function createCsvReader(events: CsvEvents): TextReader {
  let rest = '';
  let line = 1;
  let delimiter: string | undefined;
  let plain = false;
  return {
    get line() {
      return line + countBreaks(rest, 0, rest.length);
    },
    push(text, last) {
      let all = rest + text;
      if (delimiter === undefined) {
        const blank = /^[\r\n]*/.exec(all)?.[0].length ?? 0;
        line += countBreaks(all, 0, blank);
        all = all.slice(blank);
        const header = headerLine(all, last);
        if (header === undefined) {
          rest = all;
          return;
        }
        const told = /^sep=(.)\r?$/.exec(header)?.[1];
        if (told !== undefined) {
          all = all.slice(header.length + 1);
          line++;
        }
        delimiter = told ?? delimiterOf(header);
      }
      // A look at the whole is much quicker than one at each value.
      plain = plainText.test(all) && !(all.includes('\r') && loneReturn.test(all));
      const read = readRows(all, delimiter, last);
      rest = all.slice(read);
      if (rest.length > maxRowLength) events.fatal(line, tooLongRule);
    },
  };

  /** Reads all rows that are complete; gives where the first that is not begins. */
  function readRows(text: string, separator: string, last: boolean): number {
    let at = 0;
    let nextQuote = indexOrEnd(text, quote, 0);
    while (at < text.length) {
      const lineEnd = indexOrEnd(text, '\n', at);
      if (lineEnd === text.length && !last) break;
      if (nextQuote < at) nextQuote = indexOrEnd(text, quote, at);
      if (nextQuote < lineEnd) {
        const next = readQuotedRow(text, at, separator, last);
        if (next === -1) break;
        at = next;
      } else {
        const end = withoutReturn(text, at, lineEnd);
        if (end > at) events.row(text.slice(at, end).split(separator), line, plain);
        line++;
        at = lineEnd + 1;
      }
    }
    return Math.min(at, text.length);
  }

  /** Reads a row that holds a quote; gives the position after it, -1 where the text ends before the row does. */
  function readQuotedRow(text: string, start: number, separator: string, last: boolean): number {
    const cells: string[] = [];
    let breaks = 0;
    let at = start;
    let lineEnd = -1;
    let nextQuote = -1;
    for (;;) {
      let end: number;
      if (text.charCodeAt(at) === quoteCode) {
        const close = closingQuote(text, at);
        // A quote, or a return after it, at the very end may be the first half of something.
        if (!last && (close === -1 || close + 2 >= text.length)) return -1;
        if (close === -1) return skipLine(at, 'a closing quote before the end of the file', null);
        const value = text.slice(at + 1, close);
        cells.push(value.includes(quote) ? value.replaceAll('""', quote) : value);
        breaks += countBreaks(value, 0, value.length);
        end = close + 1;
        if (text.charCodeAt(end) === returnCode && isEnd(text, end + 1)) end++;
        if (!isEnd(text, end) && !text.startsWith(separator, end)) {
          cells.pop();
          return skipLine(end, 'nothing between a closing quote and the next column', value);
        }
      } else {
        if (lineEnd < at) lineEnd = indexOrEnd(text, '\n', at);
        if (nextQuote < at) nextQuote = indexOrEnd(text, quote, at);
        if (lineEnd === text.length && !last) return -1;
        if (nextQuote >= lineEnd) {
          const values = text.slice(at, withoutReturn(text, at, lineEnd)).split(separator);
          for (let i = 0; i < values.length; i++) cells.push(values[i] ?? '');
          end = lineEnd;
        } else {
          end = indexOrEnd(text, separator, at);
          if (nextQuote < end) {
            const value = text.slice(at, Math.min(end, lineEnd));
            return skipLine(at, 'quotes around the whole value, and those inside it doubled', value);
          }
          cells.push(text.slice(at, end));
        }
      }
      if (isEnd(text, end)) {
        events.row(cells, line, plain && breaks === 0);
        line += breaks + 1;
        return end + 1;
      }
      at = end + 1;
    }

    function skipLine(from: number, rule: string, value: string | null): number {
      const end = indexOrEnd(text, '\n', from);
      if (end === text.length && !last) return -1;
      events.fault(line + breaks, cells.length + 1, value, rule);
      line += breaks + 1;
      return end + 1;
    }
  }
}

/** Where the value that opens with the quote at `at` closes; -1 where it does not. */
function closingQuote(text: string, at: number): number {
  let end = text.indexOf(quote, at + 1);
  while (end !== -1 && text.charCodeAt(end + 1) === quoteCode) end = text.indexOf(quote, end + 2);
  return end;
}

function isEnd(text: string, at: number): boolean {
  return at >= text.length || text.charCodeAt(at) === lineCode;
}

function withoutReturn(text: string, start: number, end: number): number {
  return end > start && text.charCodeAt(end - 1) === returnCode ? end - 1 : end;
}

/** The first line without its break, once it is there. */
function headerLine(text: string, last: boolean): string | undefined {
  const end = text.indexOf('\n');
  if (end === -1) return last || text.length > maxRowLength ? text : undefined;
  return text.slice(0, end);
}

/** The separator that stands most often in the header outside quotes; a comma where none does. */
function delimiterOf(header: string): string {
  const bare = header.replace(/"(?:[^"]|"")*"?/g, '');
  const counts = [',', ';', '\t'].map((candidate) => ({ candidate, count: bare.split(candidate).length - 1 }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).candidate;
}

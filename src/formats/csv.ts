import { countBreaks, indexOrEnd, maxRowLength, type TextReader, tooLongRule } from './reader.ts';

/** Where a row goes wrong, line and column from 1, and which rule it breaks. */
export interface CsvFault {
  line: number;
  column: number;
  value: string | null;
  rule: string;
}

export interface CsvEvents {
  /** A row: its values and the line it starts on; `plain` where all are printable ASCII without breaks. The first is the header. */
  row(cells: string[], line: number, plain: boolean): void;
  /** A row that is no CSV. Reading goes on with the next line. */
  fault(fault: CsvFault): void;
  /** Nothing after this line can be read; throws. */
  fatal(line: number, rule: string): never;
}

const quoteCode = 34;
const returnCode = 13;
const lineCode = 10;
/** Stands for the character behind the last one. */
const endCode = -1;

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
  /** Code of the character between two values. */
  let separator: number | undefined;
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
        const told = /^sep=(.)\r?$/.exec(header)?.[1];
        if (told !== undefined) {
          all = all.slice(header.length + 1);
          line++;
        }
        separator = (told ?? separatorOf(header)).charCodeAt(0);
      }
      let at = 0;
      while (at < all.length) {
        const next = readRow(all, at, separator, last);
        if (next === -1) break;
        at = next;
      }
      rest = all.slice(at);
      if (rest.length > maxRowLength) events.fatal(line, tooLongRule);
    },
  };

  /**
   * Reads the row that starts at a position; gives where the next one does, -1 where the text ends before the row. Looks at
   * each character once: values are short, and a search for each, or split(), takes twice as long.
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
        // A letter or a digit, as most are.
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
        return give(cells, breaks, plain, at + 1);
      } else if (code !== quoteCode) {
        if (code < 32 || code > 126) plain &&= code === returnCode && codeAt(text, at + 1) === lineCode;
        at++;
      } else if (at > from) {
        const end = Math.min(indexOrEnd(text, String.fromCharCode(between), from), indexOrEnd(text, '\n', from));
        return skipLine(text, from, last, faultIn(cells, breaks, text.slice(from, end), quotesRule));
      } else {
        look(text, at + 1);
        const { close } = quoted;
        // A quote, or a return after it, at the very end may be the first half of something.
        if (!last && (close === -1 || close + 2 >= text.length)) return -1;
        if (close === -1) return skipLine(text, at, last, faultIn(cells, breaks, null, unclosedRule));
        const value = text.slice(at + 1, close);
        const isReturn = text.charCodeAt(close + 1) === returnCode && isEnd(codeAt(text, close + 2));
        const end = isReturn ? close + 2 : close + 1;
        const next = codeAt(text, end);
        if (next !== between && !isEnd(next)) {
          return skipLine(text, end, last, faultIn(cells, breaks + quoted.breaks, value, afterQuoteRule));
        }
        cells.push(quoted.isDoubled ? value.replaceAll('""', '"') : value);
        breaks += quoted.breaks;
        plain &&= quoted.isPlain;
        from = at = end + 1;
        if (next !== between) return give(cells, breaks, plain, at);
      }
    }
  }

  /** Gives a row that ends before a position, where the next one starts. */
  function give(cells: string[], breaks: number, plain: boolean, next: number): number {
    events.row(cells, line, plain);
    line += breaks + 1;
    return next;
  }

  /** What is wrong with the value that would come next in a row. */
  function faultIn(cells: readonly string[], breaks: number, value: string | null, rule: string): CsvFault {
    return { line: line + breaks, column: cells.length + 1, value, rule };
  }

  /** Tells a fault, and gives where the line after it starts; -1 where its own end is not there yet. */
  function skipLine(text: string, from: number, last: boolean, fault: CsvFault): number {
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

/** What a look at a quoted value found: its closing quote, -1 where there is none, and what it holds. One for all values. */
const quoted = { close: -1, isDoubled: false, breaks: 0, isPlain: true };

/** Looks through a quoted value from the position after its quote. */
function look(text: string, from: number): void {
  quoted.isDoubled = false;
  quoted.breaks = 0;
  quoted.isPlain = true;
  for (let at = from; ; at++) {
    const code = codeAt(text, at);
    if (code >= 35 && code <= 126) continue;
    if (code === quoteCode) {
      quoted.close = at;
      if (codeAt(text, at + 1) !== quoteCode) return;
      quoted.isDoubled = true;
      at++;
    } else if (code === endCode) {
      quoted.close = -1;
      return;
    } else if (code < 32 || code > 126) {
      quoted.isPlain = false;
      if (code === lineCode) quoted.breaks++;
    }
  }
}

function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : endCode;
}

function isEnd(code: number): boolean {
  return code === lineCode || code === endCode;
}

/** The first line without its break, once it is there. */
function headerLine(text: string, last: boolean): string | undefined {
  const end = text.indexOf('\n');
  if (end === -1) return last || text.length > maxRowLength ? text : undefined;
  return text.slice(0, end);
}

/** The separator that stands most often in the header outside quotes; a comma where none does. */
function separatorOf(header: string): string {
  const bare = header.replace(/"(?:[^"]|"")*"?/g, '');
  const counts = [',', ';', '\t'].map((candidate) => ({ candidate, count: bare.split(candidate).length - 1 }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).candidate;
}

import { isBlank } from '../core/fields/values.ts';
import { CsvLines, LineReader, plainLines } from '../core/items/lines.ts';
import { csvComment } from '../core/records/columns.ts';
import { type FileReader, recordOptions, type TextEvents } from './reader.ts';
import { formulaRule, isFormula } from './spreadsheet-habits.ts';

const quoteCode = 34;
const endCode = -1;

/**
 * Creates a reader of CSV (RFC 4180; also separated by `;` or tabs, as the header or Excel's `sep=` line shows).
 * Lines between the header and the first record that begin with `# ` are comments, as in the template of a resource. Rows
 * without content are left out, and blanks around quotes are padding.
 */
export function createCsvReader(
  events: Pick<TextEvents, 'separator' | 'row' | 'fault'>,
): FileReader {
  const items = new LineReader(plainLines, recordOptions);
  let declaredSeparator: string | undefined;
  let separatorCode = endCode;
  let syntax: CsvLines | undefined;
  /** Rows read so far, up to two: between the first, which is the header, and the second there may be comments. */
  let rowCount = 0;
  return {
    items,
    take(found) {
      if (found === 'end') return;
      const rowText = items.text();
      if (syntax === undefined) beginTable(rowText);
      else if (!syntax.hasComments || !rowText.startsWith('#')) readRow(rowText, items.line);
      else if (!rowText.startsWith(csvComment)) {
        syntax.hasComments = false;
        items.readAgain(syntax);
      }
    },
  };

  /** Takes a line before the table, and finds the separator in its header, which is then read again. */
  function beginTable(lineText: string): void {
    declaredSeparator ??= /^"?sep=([^"])"?[\s,;]*$/i.exec(lineText)?.[1];
    const isDeclaration = declaredSeparator !== undefined && /^"?sep=/i.test(lineText);
    if (isDeclaration || /^[\s,;]*$/.test(lineText)) return;

    const separator = declaredSeparator ?? separatorOf(lineText);
    events.separator?.(separator);
    separatorCode = separator.charCodeAt(0);
    syntax = new CsvLines(separator);
    items.readAgain(syntax);
  }

  /**
   * Reads a row. Visits each character of unquoted values once.
   */
  function readRow(text: string, line: number): void {
    const cells: string[] = [];
    let breaks = 0;
    let isPlain = true;
    let cellStart = 0;
    let at = 0;
    const refuse = (value: string | null, rule: string): void => {
      events.fault({ line: line + breaks, column: cells.length + 1, value, rule });
    };
    for (;;) {
      const code = at < text.length ? text.charCodeAt(at) : endCode;
      if (code > 44 && code < 127 && code !== separatorCode) {
        // Letters and digits, the common case, in one comparison.
        at++;
      } else if (code === separatorCode || code === endCode) {
        cells.push(text.slice(cellStart, at));
        if (code === endCode) break;
        cellStart = ++at;
      } else if (code !== quoteCode) {
        if (code < 32 || code > 126) isPlain = false;
        at++;
      } else if (at > cellStart && !isBlank(text.slice(cellStart, at))) {
        const nextSeparator = text.indexOf(String.fromCharCode(separatorCode), cellStart);
        const faultEnd = nextSeparator === -1 ? text.length : nextSeparator;
        const cell = text.slice(cellStart, faultEnd);
        refuse(cell, isFormula(cell.trim()) ? formulaRule : wholeQuotesRule);
        return;
      } else {
        const closingAt = closingQuote(text, at + 1);
        if (closingAt === -1) {
          refuse(null, unclosedRule);
          return;
        }

        const quotedValue = text.slice(at + 1, closingAt);
        if (!plainText.test(quotedValue)) {
          isPlain = false;
          breaks += countBreaks(quotedValue);
        }
        const cellEnd = skipPadding(text, closingAt + 1, separatorCode);
        const isLast = cellEnd === text.length;
        if (!isLast && text.charCodeAt(cellEnd) !== separatorCode) {
          refuse(quotedValue, afterQuoteRule);
          return;
        }
        cells.push(quotedValue.includes('"') ? quotedValue.replaceAll('""', '"') : quotedValue);
        if (isLast) break;
        cellStart = at = cellEnd + 1;
      }
    }
    endRow(cells, line, isPlain);
  }

  function endRow(cells: string[], line: number, isPlain: boolean): void {
    if (cells.every(isBlank)) return;
    if (rowCount < 2) rowCount++;
    if (syntax) syntax.hasComments = rowCount === 1;
    events.row(cells, line, isPlain);
  }
}

const wholeQuotesRule = 'quotes around the whole value, and those inside it doubled';
const unclosedRule = 'a closing quote before the end of the file';
const afterQuoteRule = 'nothing between a closing quote and the next column';

const plainText = /^[ -~]*$/;

/** The line breaks in a quoted value. */
function countBreaks(text: string): number {
  return text.match(/\r{0,2}\n|\r/g)?.length ?? 0;
}

/** The quote that ends a quoted value: the first one that is not doubled; -1 if there is none. */
function closingQuote(text: string, searchStart: number): number {
  for (let at = text.indexOf('"', searchStart); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== quoteCode) return at;
  }
  return -1;
}

/** The position after the blanks behind a closing quote. */
function skipPadding(text: string, paddingStart: number, separatorCode: number): number {
  let at = paddingStart;
  while (text.charCodeAt(at) !== separatorCode && /[ \t\u00a0]/.test(text[at] ?? '')) {
    at++;
  }
  return at;
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

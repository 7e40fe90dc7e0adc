import { HkctlError } from '../errors.ts';
import { csvValue } from './quoting.ts';

/** The mark by which spreadsheet programs recognize UTF-8. */
export const byteOrderMark = '\ufeff';

/** The writing of a CSV in a language: the separator of its cells, and the sign before decimals. */
export interface CsvLanguage {
  separator: ',' | ';';
  decimalSign: string;
}

export const plainCsv: CsvLanguage = { separator: ',', decimalSign: '.' };

/** The CSV that spreadsheet programs in a language (BCP 47) read: semicolons where the decimal sign is a comma. Throws `usage`. */
export function csvLanguageOf(language: string): CsvLanguage {
  if (!isLanguage(language)) {
    throw new HkctlError(
      'usage',
      `"${language}" is not a language: give a tag such as de or fr-CA.`,
    );
  }
  const parts = new Intl.NumberFormat(language, { numberingSystem: 'latn' }).formatToParts(1.5);
  const decimalSign = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  return { separator: decimalSign === ',' ? ';' : ',', decimalSign };
}

function isLanguage(language: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language).length > 0;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

/** A text as a cell that no spreadsheet program runs as a formula, by an apostrophe before it (OWASP, "CSV Injection"). */
export function spreadsheetCell(text: string, { separator }: CsvLanguage): string {
  return csvValue(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text, separator);
}

/** The text of a cell without the apostrophe of {@link spreadsheetCell}. */
export function withoutApostrophe(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** Rows `at,value,quality` below their header in a language, each with a text before it. */
export function rowsInLanguage(
  rows: string,
  rowStart: string,
  { separator, decimalSign }: CsvLanguage,
): string {
  return rows.replace(/^(.*),(.*),(.*)$/gm, (_, at: string, value: string, quality: string) =>
    [rowStart, at, value.replace('.', decimalSign), quality].join(separator),
  );
}

import { csvValue } from './quoting.ts';

/** The mark by which spreadsheet programs recognize UTF-8. */
export const byteOrderMark = '\ufeff';

/** The writing of a CSV in a language: the separator of its cells, and the sign before decimals. */
export interface CsvLanguage {
  separator: ',' | ';';
  decimalSign: '.' | ',';
}

export const plainCsv: CsvLanguage = { separator: ',', decimalSign: '.' };
const commaCsv: CsvLanguage = { separator: ';', decimalSign: ',' };
const swissCsv: CsvLanguage = { separator: ';', decimalSign: '.' };
export const csvLanguages = [plainCsv, commaCsv, swissCsv];

/**
 * The CSV that spreadsheet programs in a language (BCP 47) read: semicolons where the decimal sign is a comma. Switzerland and
 * Liechtenstein have them, too, in the list separator of Windows, which Intl does not know.
 */
export function csvLanguageOf(language: string): CsvLanguage {
  const locale = new Intl.Locale(language);
  // Intl has no numbers of a region with a usual script, such as de-Latn-CH.
  const format = new Intl.NumberFormat(locale.minimize(), { numberingSystem: 'latn' });
  const parts = format.formatToParts(1.5);
  if (parts.some(({ type, value }) => type === 'decimal' && value === ',')) return commaCsv;
  return /^(CH|LI)$/.test(locale.maximize().region ?? '') ? swissCsv : plainCsv;
}

/** A value as a cell; a text that a spreadsheet program would run as a formula gets an apostrophe (OWASP, "CSV Injection"). */
export function spreadsheetCell(
  value: string | number | null | undefined,
  { separator, decimalSign }: CsvLanguage,
): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value).replace('.', decimalSign);
  return csvValue(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value, separator);
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

/**
 * CSV (RFC 4180) of a plot: it begins with `at` (RFC 3339, UTC) and `value`. People
 * open it in a spreadsheet, so a text that it would take for a formula gets an apostrophe.
 */

export interface CsvRow {
  at: string;
  value: number | null;
  /** Further cells by the name of their column, such as `min` and `sensor`. */
  extra: Readonly<Record<string, string | number | null | undefined>>;
}

/** The decimal sign of a file; spreadsheets with a decimal comma take semicolons between cells. */
export type DecimalSign = '.' | ',';

/** The decimal sign that a spreadsheet in a language reads (BCP 47, such as `de-AT`). */
export function decimalSignOf(language: string): DecimalSign {
  const parts = new Intl.NumberFormat(language).formatToParts(1.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.';
}

export function toCsv(
  rows: readonly CsvRow[],
  extraColumns: readonly string[],
  decimalSign: DecimalSign,
): string {
  const separator = decimalSign === ',' ? ';' : ',';
  const header = ['at', 'value', ...extraColumns].join(separator);
  const lines = rows.map(({ at, value, extra }) => {
    const cells = [at, value, ...extraColumns.map((name) => extra[name])];
    return cells.map((cell) => toCell(cell, decimalSign)).join(separator);
  });
  const csvText = [header, ...lines].join('\r\n');
  return `${csvText}\r\n`;
}

function toCell(value: string | number | null | undefined, decimalSign: DecimalSign): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value).replace('.', decimalSign);

  const isFormula = /^[=+\-@\t\r]/.test(value);
  const safeText = isFormula ? `'${value}` : value;
  const needsQuotes = /[",;\r\n]/.test(safeText);
  return needsQuotes ? `"${safeText.replaceAll('"', '""')}"` : safeText;
}

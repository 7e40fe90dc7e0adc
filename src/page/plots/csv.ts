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

export function toCsv(rows: readonly CsvRow[], extraColumns: readonly string[]): string {
  const header = ['at', 'value', ...extraColumns].join(',');
  const lines = rows.map(({ at, value, extra }) => {
    const extraCells = extraColumns.map((name) => extra[name]);
    return [at, value, ...extraCells].map(toCell).join(',');
  });
  const csvText = [header, ...lines].join('\r\n');
  return `${csvText}\r\n`;
}

function toCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);

  const isFormula = /^[=+\-@\t\r]/.test(value);
  const safeText = isFormula ? `'${value}` : value;
  const needsQuotes = /[",\r\n]/.test(safeText);
  return needsQuotes ? `"${safeText.replaceAll('"', '""')}"` : safeText;
}

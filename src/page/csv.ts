/**
 * CSV (RFC 4180) of what a plot shows: it begins with `at` (RFC 3339, UTC) and `value`. People
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
  const lines = rows.map(({ at, value, extra }) =>
    [at, value, ...extraColumns.map((name) => extra[name])].map(toCell).join(','),
  );
  return `${[header, ...lines].join('\r\n')}\r\n`;
}

function toCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);

  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

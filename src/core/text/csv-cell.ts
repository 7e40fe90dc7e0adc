/** A cell of CSV (RFC 4180), in quotes if its text needs them: if it has a separator, a quote or a line break, or as `also` says. */
export function csvCell(text: string, also?: RegExp): string {
  return /[",\r\n]/.test(text) || also?.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

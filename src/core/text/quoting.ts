/** A text as one word of a command that a person pastes into a shell, in quotes if a character in it has a meaning there. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A cell of CSV (RFC 4180), in quotes if its text needs them: if it has a separator, a quote or a line break, or as `also` says. */
export function csvCell(text: string, also?: RegExp): string {
  return /[",\r\n]/.test(text) || also?.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A value as a cell that an import reads back unchanged: also in quotes if it is empty or has blanks at an end, which some
 * readers lose, or begins like a comment.
 */
export function csvValue(text: string): string {
  return csvCell(text, /^$|^\s|\s$|^#/);
}

/** The quote that closes the JSON string opened at `start`: the first with an even number of backslashes before it; -1 without one. */
export function endOfJsonString(text: string, start: number): number {
  for (
    let quoteAt = text.indexOf('"', start + 1);
    quoteAt !== -1;
    quoteAt = text.indexOf('"', quoteAt + 1)
  ) {
    if (!isEscaped(text, quoteAt)) return quoteAt;
  }
  return -1;
}

/** Whether a quote within a JSON string belongs to it: an odd number of backslashes precedes it. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === 92) before--;
  return (quote - before) % 2 === 0;
}

/** A text as one word of a command that a person pastes into a shell, in quotes if a character in it has a meaning there. */
export function shellWord(text: string): string {
  const isPlain = /^[\w@%+=:,./-]+$/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A cell of CSV (RFC 4180), in quotes if its text has a separator, a quote or a line break, or matches `alsoQuoted`. */
export function csvCell(text: string, alsoQuoted?: RegExp): string {
  const needsQuotes = /[",\r\n]/.test(text) || alsoQuoted?.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A value as a cell that an import reads back unchanged. It is quoted also if it is empty, begins like a comment, or has blanks
 * at an end, which some readers lose.
 */
export function csvValue(text: string, separator: ',' | ';' = ','): string {
  return csvCell(text, separator === ',' ? /^$|^\s|\s$|^#/ : /^$|^\s|\s$|^#|;/);
}

/** The position of the quote that closes a JSON string: the first with an even number of backslashes before it; -1 without one. */
export function endOfJsonString(jsonText: string, openingQuote: number): number {
  for (
    let quoteAt = jsonText.indexOf('"', openingQuote + 1);
    quoteAt !== -1;
    quoteAt = jsonText.indexOf('"', quoteAt + 1)
  ) {
    if (!isEscaped(jsonText, quoteAt)) return quoteAt;
  }
  return -1;
}

/** Whether a quote within a JSON string belongs to it: an odd number of backslashes precedes it. */
function isEscaped(jsonText: string, quoteAt: number): boolean {
  let backslashAt = quoteAt - 1;
  while (jsonText.charCodeAt(backslashAt) === 92) backslashAt--;
  return (quoteAt - backslashAt) % 2 === 0;
}

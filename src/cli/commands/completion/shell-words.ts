/** A command line as bash has it up to the cursor, read into words. */
interface ShellLine {
  /** The whole words, without their quotes. */
  words: string[];
  /** The word at the cursor, which may be empty. */
  current: string;
  /** The part of it that readline replaces: behind the last character at which readline breaks words. */
  replaced: string;
  /** The quote that is still open at the cursor. */
  openQuote: string;
}

/** The characters at which readline breaks words, as bash sets them (`COMP_WORDBREAKS`), without blanks and quotes. */
const wordBreaks = /[@><=;|&(:]/;

/** Reads a line as a shell does: quotes and backslashes, but no variables and no commands, which completion must not run. */
export function readShellLine(line: string): ShellLine {
  const words: string[] = [];
  let current = '';
  let replaced = '';
  let openQuote = '';
  let isBegun = false;
  for (let position = 0; position < line.length; position++) {
    let character = line[position] ?? '';
    if (openQuote !== '' && character === openQuote) {
      openQuote = '';
      continue;
    }
    if (openQuote === '' && /\s/.test(character)) {
      if (isBegun) words.push(current);
      current = replaced = '';
      isBegun = false;
      continue;
    }
    isBegun = true;
    if (openQuote === '' && (character === '"' || character === "'")) {
      openQuote = character;
      replaced = '';
      continue;
    }
    const isEscape = character === '\\' && openQuote !== "'" && position + 1 < line.length;
    if (isEscape) character = line[++position] ?? '';
    current += character;
    const isBreak = openQuote === '' && !isEscape && wordBreaks.test(character);
    replaced = isBreak ? '' : replaced + character;
  }
  return { words, current, replaced, openQuote };
}

/** A value as a shell reads it back, inside the quote that is open: `printf %q` of bash would end that. */
export function quotedForShell(value: string, openQuote: string): string {
  if (openQuote === "'") return value.replaceAll("'", "'\\''");
  if (openQuote === '"') return value.replace(/["\\$`]/g, '\\$&');
  return value.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}

import type { Io } from '../terminal/io.ts';
import { terminalLine } from '../terminal/style.ts';
import { wrapWhole } from '../terminal/wrap.ts';

/** Writes lines to standard error, where questions are. */
export function writeLines(io: Io, lines: readonly string[]): void {
  const shownLines = lines.map((line) => `${terminalLine(line)}\n`);
  io.stderr.write(shownLines.join(''));
}

/**
 * A question for the width of the terminal, which itself would break it inside a word: if it is too long for one line, each
 * sentence begins a line of its own.
 */
export function fitting(io: Io, message: string): string {
  // The mark before the question and a blank.
  const questionWidth = terminalWidthOf(io) - 2;
  const [firstLine, ...moreLines] = wrapWhole(terminalLine(message), questionWidth);
  if (firstLine !== undefined && moreLines.length === 0) return firstLine;

  const sentences = message.split(/(?<=[.?!]) (?=\p{Lu})/u);
  const questionLines = sentences.flatMap((sentence) =>
    wrapWhole(terminalLine(sentence), questionWidth),
  );
  return questionLines.join('\n');
}

/** The width of the terminal; the usual width if it is unknown. */
export function terminalWidthOf({ stderr }: Io): number {
  return stderr.columns() ?? 80;
}

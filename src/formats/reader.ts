export interface TextReader {
  /** Takes the next chunk; `last` ends the text. */
  push(text: string, last: boolean): void;
  /** The number, from 1, of the line that comes next. */
  readonly line: number;
}

/** The most characters of one record; in a longer one a quote or a bracket was left open. */
export const maxRowLength = 8 * 1024 * 1024;

/** The rule that a record beyond {@link maxRowLength} breaks. */
export const tooLongRule = `at most ${maxRowLength >> 20} MiB for one record; is a quote or a bracket left open?`;

export function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The position of the wanted text, or the end of the searched text. */
export function indexOrEnd(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found;
}

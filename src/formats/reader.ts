/** One step of reading: takes text as it comes, `last` with the end of it. */
export interface TextReader {
  push(text: string, last: boolean): void;
  /** The line, from 1, of what would come next. */
  readonly line: number;
}

/** No record is that long: a quote or a bracket was left open. */
export const maxRowLength = 8 * 1024 * 1024;

export const tooLongRule = `at most ${maxRowLength >> 20} MiB for one record; is a quote or a bracket left open?`;

/** How many lines end in a part of a text. */
export function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Where a text is found, or where the text that is searched ends. */
export function indexOrEnd(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found;
}

export interface TextReader {
  push(text: string, last: boolean): void;
  /** The number, from 1, of the line that comes next. */
  readonly line: number;
}

/** A fault of a text: its place, line and column from 1, the text, and the rule that it breaks; null for what it has not. */
export interface TextFault {
  line: number;
  column: number | null;
  value: string | null;
  rule: string;
}

/** What readers report: those of CSV rows, those of JSON values. */
export interface TextEvents {
  /** A row, first the header: its values and its first line; `plain` if all are printable ASCII without line breaks. */
  row(cells: string[], line: number, plain: boolean): void;
  value(value: unknown, line: number): void;
  /** Parses a value; by default numbers that a double would round keep their text. */
  parse?(text: string): unknown;
  /** A malformed row or value; reading continues with the next line. */
  fault(fault: TextFault): void;
  /** A fault after which nothing more can be read; throws. */
  fatal(line: number, rule: string): never;
}

/** The most characters of one record; in a longer one a quote or a bracket was left open. */
export const maxRowLength = 8 * 1024 * 1024;

export const tooLongRule = `at most ${maxRowLength >> 20} MiB for one record; is a quote or a bracket left open?`;

export function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1))
    count++;
  return count;
}

export function indexOrEnd(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found;
}

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

/** The results of reading, and faults: those of CSV rows, and those of JSON values. */
export interface TextEvents {
  /** The member of a JSON document that holds the list, as the API sends or takes it: `{"readings":[…]}`. */
  listName: string;
  /** The separator of a CSV's columns; called before its first row. */
  separator?(separator: string): void;
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

export const tooLongRule = `at most ${maxRowLength >> 20} MiB for one record; perhaps a quote or a bracket was left open`;

export const lineCode = 10;
export const returnCode = 13;

/**
 * The end of the line break at a position: LF, CR LF, CR CR LF (a file that was converted twice) or CR. Gives the position itself
 * if no break is there, and -1 if only the text after this part can show where it ends.
 */
export function endOfBreak(text: string, at: number, last: boolean): number {
  if (text.charCodeAt(at) === lineCode) return at + 1;
  let lineFeedAt = at;
  while (text.charCodeAt(lineFeedAt) === returnCode) {
    lineFeedAt++;
  }

  if (lineFeedAt === at) return at;
  if (text.charCodeAt(lineFeedAt) === lineCode) return lineFeedAt + 1;
  return lineFeedAt === text.length && !last ? -1 : at + 1;
}

/** The position of the next LF or CR; the length of the text if there is none. */
export function endOfLine(text: string, searchStart: number): number {
  let at = searchStart;
  while (
    at < text.length &&
    text.charCodeAt(at) !== lineCode &&
    text.charCodeAt(at) !== returnCode
  ) {
    at++;
  }
  return at;
}

export function countBreaks(text: string): number {
  return text.match(/\r*\n|\r/g)?.length ?? 0;
}

export function indexOrEnd(text: string, searched: string, searchStart: number): number {
  const index = text.indexOf(searched, searchStart);
  return index === -1 ? text.length : index;
}

import type { Found, ItemReader, ReaderOptions } from '../core/items/reader.ts';

/** The reader of a file in one format: where its items are, and what happens with each. */
export interface FileReader {
  readonly items: ItemReader;
  take(found: Exclude<Found, 'step' | 'more' | 'too long'>): void;
}

/** A fault of a text: its place, line and column from 1, the text, and the rule that it breaks; null for what it has not. */
interface TextFault {
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

/** In a record longer than this a quote or a bracket was left open. */
export const recordOptions: ReaderOptions = { longest: 1024 * 1024, stepBytes: 64 * 1024 };

export const tooLongRule = `at most ${recordOptions.longest >> 20} MiB for one record; perhaps a quote or a bracket was left open`;

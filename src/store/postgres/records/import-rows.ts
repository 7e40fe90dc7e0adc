import { type Field, importFields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import { type ImportBatch, valueAt } from '../../../core/fields/import-batch.ts';
import { createDecimalWriter } from './decimal-text.ts';

type BatchWriter = (batch: ImportBatch) => string;

/** Creates the writer of the fields of new records, with the same values before and after them in each row. */
export function createRecordWriter(
  resource: ResourceDefinition,
  before: string,
  after: string,
): BatchWriter {
  const write = createFieldsWriter(resource, '[]');
  return (batch) => write(batch, () => before, `\t${after}\n`);
}

/** Creates the writer of rows for the temporary table of an import: number of the row in the file, line, then the fields. */
export function createIncomingWriter(resource: ResourceDefinition): BatchWriter {
  const write = createFieldsWriter(resource, absent);
  let number = 0;
  return (batch) => write(batch, (line) => `${number++}\t${line}`, '\n');
}

/** Creates the writer of rows of which only the number in the file, the line and the id are kept. */
export function createIdWriter(): BatchWriter {
  let number = 0;
  return ({ lines, columns: [ids = []] }) => {
    let text = '';
    lines.forEach((line, row) => {
      text += `${number++}\t${line}\t${escaped(valueAt(ids, row))}\n`;
    });
    return text;
  };
}

/** `absentList` is the value of a list that the file does not have. */
function createFieldsWriter(resource: ResourceDefinition, absentList: string) {
  const writeDecimal = createDecimalWriter();
  const toWriter = ({ kind }: Field): WriteValue => {
    if (kind === 'list')
      return (value) => (value === undefined ? absentList : escaped(JSON.stringify(value ?? [])));
    const write =
      kind === 'decimal'
        ? (value: unknown) => writeDecimal(Number(value))
        : (writeKind[kind] ?? escaped);
    return (value) => (value === null ? absent : write(value));
  };
  const writers = Object.values(importFields(resource)).map(toWriter);
  return (
    { lines, columns }: ImportBatch,
    before: (line: number) => string,
    terminator: string,
  ): string => {
    const written = columns.map((column, i) => column.map(writers[i] ?? escaped));
    let text = '';
    lines.forEach((line, row) => {
      text += before(line);
      for (const column of written) text += `\t${valueAt(column, row)}`;
      text += terminator;
    });
    return text;
  };
}

type WriteValue = (value: unknown) => string;

const absent = '\\N';

const writeKind: Readonly<Partial<Record<Field['kind'], WriteValue>>> = {
  integer: String,
  boolean: (value) => (value === true ? 't' : 'f'),
};

const special = /[\\\t\n\r\b\f\v]/g;
const isSpecial = /[\\\t\n\r\b\f\v]/;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};

export function escaped(value: unknown): string {
  const text = String(value);
  return isSpecial.test(text)
    ? text.replace(special, (character) => escapes[character] ?? character)
    : text;
}

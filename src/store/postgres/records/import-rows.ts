import { type Field, importFields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import { type ImportBatch, valueAt } from '../../../core/fields/import-batch.ts';
import { createDecimalWriter } from './decimal-text.ts';

type BatchWriter = (batch: ImportBatch) => string;

/** Creates the writer of the fields of new records, with the same values before and after them in each row. */
export function createRecordWriter(
  resource: ResourceDefinition,
  prefix: string,
  lastField: string,
): BatchWriter {
  const writeFields = createFieldsWriter(resource, '[]');
  return (batch) => writeFields(batch, () => prefix, `\t${lastField}\n`);
}

/** Creates the writer of rows for the temporary table of an import: number of the row in the file, line, then the fields. */
export function createIncomingWriter(resource: ResourceDefinition): BatchWriter {
  const writeFields = createFieldsWriter(resource, nullText);
  let rowNumber = 0;
  return (batch) => writeFields(batch, (line) => `${rowNumber++}\t${line}`, '\n');
}

/** Creates the writer of rows of which only the number in the file, the line and the id are kept. */
export function createIdWriter(): BatchWriter {
  let rowNumber = 0;
  return ({ lines, columns: [ids = []] }) => {
    let copyText = '';
    lines.forEach((line, row) => {
      copyText += `${rowNumber++}\t${line}\t${escaped(valueAt(ids, row))}\n`;
    });
    return copyText;
  };
}

/** `absentList` is the value of a list that the file does not have. */
function createFieldsWriter(resource: ResourceDefinition, absentList: string) {
  const writeDecimal = createDecimalWriter();
  const toWriter = ({ kind }: Field): WriteValue => {
    if (kind === 'list') {
      return (value) => (value === undefined ? absentList : escaped(JSON.stringify(value ?? [])));
    }
    const writeValue =
      kind === 'decimal'
        ? (value: unknown) => writeDecimal(Number(value))
        : (writeKind[kind] ?? escaped);
    return (value) => (value === null ? nullText : writeValue(value));
  };

  const writers = Object.values(importFields(resource)).map(toWriter);
  return (
    { lines, columns }: ImportBatch,
    prefixOf: (line: number) => string,
    terminator: string,
  ): string => {
    const writtenColumns = columns.map((column, index) => column.map(writers[index] ?? escaped));

    let copyText = '';
    lines.forEach((line, row) => {
      copyText += prefixOf(line);
      for (const writtenColumn of writtenColumns) copyText += `\t${valueAt(writtenColumn, row)}`;
      copyText += terminator;
    });
    return copyText;
  };
}

type WriteValue = (value: unknown) => string;

const nullText = '\\N';

const writeKind: Readonly<Partial<Record<Field['kind'], WriteValue>>> = {
  integer: String,
  boolean: (value) => (value === true ? 't' : 'f'),
};

const specialCharacters = /[\\\t\n\r\b\f\v]/g;
const hasSpecial = /[\\\t\n\r\b\f\v]/;
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
  const valueText = String(value);
  return hasSpecial.test(valueText)
    ? valueText.replace(specialCharacters, (character) => escapes[character] ?? character)
    : valueText;
}

import { type Field, importFields, type ResourceDefinition } from '../../../core/records/fields.ts';
import { type ImportBatch, valueAt } from '../../../core/records/import-batch.ts';
import { decimalText } from './decimal-text.ts';

/** Creates the writer of batches as rows in the text format of COPY: number of the row in the file, line, then the fields. */
export function createRowWriter(resource: ResourceDefinition): (batch: ImportBatch) => string {
  const writers = Object.values(importFields(resource)).map(toWriter);
  let number = 0;
  return ({ lines, columns }) => {
    const written = columns.map((column, i) => column.map(writers[i] ?? escaped));
    let text = '';
    lines.forEach((line, row) => {
      text += `${number++}\t${line}`;
      for (const column of written) text += `\t${valueAt(column, row)}`;
      text += '\n';
    });
    return text;
  };
}

type WriteValue = (value: unknown) => string;

const absent = '\\N';

function toWriter({ kind }: Field): WriteValue {
  if (kind === 'list') return (value) => (value === undefined ? absent : escaped(JSON.stringify(value ?? [])));
  const write = writePresent(kind);
  return (value) => (value === null ? absent : write(value));
}

function writePresent(kind: Field['kind']): WriteValue {
  if (kind === 'decimal') return (value) => decimalText(Number(value));
  if (kind === 'integer') return String;
  if (kind === 'boolean') return (value) => (value === true ? 't' : 'f');
  return escaped;
}

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

/** A value as the text format of COPY has it. */
export function escaped(value: unknown): string {
  const text = String(value);
  return isSpecial.test(text) ? text.replace(special, (character) => escapes[character] ?? character) : text;
}

import type { ResourceDefinition } from '../core/fields/fields.ts';
import { isObject } from '../core/fields/values.ts';
import { columnsOf, createFieldOfColumn, unknownFieldRule } from '../core/records/columns.ts';
import { ImportError, type ImportFormat, type ReadOptions, type RowReader } from '../core/records/imports.ts';
import { createRecordValidator, type RecordValidator } from '../core/records/validator.ts';
import { jsonText } from '../core/text/shown-text.ts';
import { createCsvReader } from './csv.ts';
import { createJsonReader, createNdjsonReader } from './json.ts';
import { readPieces } from './pieces.ts';
import type { TextReader } from './reader.ts';
import type { EncodingFault } from './text.ts';

/**
 * Reads and validates a file of records (CSV, JSON or NDJSON, each also gzipped) in batches and constant memory. After an
 * invalid row it yields no more batches, but reads on to count all violations, and then throws `ImportError`.
 */
export const readRows: RowReader = async function* (resource, source, options) {
  const validator = createRecordValidator(resource);
  const { violations } = validator;
  const fatal = (line: number | null, rule: string): never => {
    violations.add({ line, column: null, field: null, value: null, rule });
    throw new ImportError(violations.first, violations.count);
  };
  let isEmpty = true;
  const found = () => {
    isEmpty = false;
  };
  const target: Target = { resource, map: options.map, validator, fatal, found };
  const open = (format: ImportFormat) =>
    format === 'csv' ? createCellReader(target) : createValueReader(format, target);
  const refuse = (line: number, thrown: EncodingFault) => fatal(line, encodingRule(thrown));
  for await (const _ of readPieces(source, options, open, refuse)) {
    const batch = validator.take();
    if (batch.lines.length > 0 && violations.count === 0) yield batch;
  }
  violations.refuse();
  // The trace of a failed job: --replace would remove all records. JSON can say `[]` instead.
  if (isEmpty) fatal(null, 'at least a header or one record; the file is empty');
  const batch = validator.take();
  if (batch.lines.length > 0) yield batch;
};

interface Target {
  resource: ResourceDefinition;
  map: ReadOptions['map'];
  validator: RecordValidator;
  /** Ends the file with a fault behind which nothing can be read. */
  fatal(line: number | null, rule: string): never;
  /** Notes that the file has a header or a record. */
  found(): void;
}

/** Reads CSV, whose first row names the columns. */
function createCellReader(target: Target): TextReader {
  const { resource, map, validator, fatal, found } = target;
  const { violations } = validator;
  let columns: Int32Array | undefined;
  let header: string[] = [];
  return createCsvReader({
    row(cells, line, plain) {
      if (!columns) {
        found();
        header = cells.map((cell) => cell.trim());
        columns = columnsOf(resource, header, line, map);
      } else if (cells.length === header.length) {
        validator.validateCells(cells, columns, line, plain);
      } else {
        const column = Math.min(cells.length, header.length);
        const rule = `${header.length} columns as in the header; this row has ${cells.length}`;
        const value = cells[column] ?? null;
        violations.add({ line, column: column + 1, field: header[column] ?? null, value, rule });
      }
    },
    fault: (fault) => violations.add({ ...fault, field: header[fault.column - 1] ?? null }),
    fatal,
  });
}

function createValueReader(format: 'json' | 'ndjson', target: Target): TextReader {
  const { resource, map, validator, fatal, found } = target;
  const { violations } = validator;
  const fieldOf = createFieldOfColumn(resource, map);
  let hasUnknown = false;
  const validateMembers = (members: Readonly<Record<string, unknown>>, line: number): void => {
    const values: Record<string, unknown> = {};
    for (const name of Object.keys(members)) {
      const field = fieldOf(name);
      if (field === null) continue;
      const given = members[name];
      const problem =
        field === undefined
          ? unknownFieldRule(resource, name, !hasUnknown)
          : Object.hasOwn(values, field)
            ? `means ${field}, as does an earlier member`
            : undefined;
      hasUnknown ||= field === undefined;
      if (problem !== undefined) {
        const value = typeof given === 'string' ? given : jsonText(given);
        violations.add({ line, column: null, field: name, value, rule: problem });
      } else if (field !== undefined) values[field] = given;
    }
    validator.validateObject(values, line);
  };
  if (format === 'json') found();
  const createJson = format === 'json' ? createJsonReader : createNdjsonReader;
  return createJson({
    value(value, line) {
      found();
      if (isObject(value)) validateMembers(value, line);
      else violations.add({ line, column: null, field: null, value: jsonText(value), rule: 'an object' });
    },
    fault: (line, value, rule) => violations.add({ line, column: null, field: null, value, rule }),
    fatal,
  });
}

function encodingRule({ position, byte }: EncodingFault): string {
  const hex = byte.toString(16).toUpperCase().padStart(2, '0');
  const rule = `UTF-8 text; byte ${position} (0x${hex}) is not UTF-8`;
  return position === 0 && byte >= 0xfe
    ? `${rule}. It looks like UTF-16: save it as UTF-8`
    : `${rule}. Save the file as UTF-8 (in Excel: "CSV UTF-8")`;
}

import type { ResourceDefinition } from '../core/fields/fields.ts';
import { isObject } from '../core/fields/values.ts';
import { createFieldOfColumn, importTableOf, unknownFieldRule } from '../core/records/columns.ts';
import { ImportError, type ReadOptions, type RowReader } from '../core/records/imports.ts';
import { createRecordValidator, type RecordValidator } from '../core/records/validator.ts';
import { jsonText, textOfAny } from '../core/text/shown-text.ts';
import { readPieces } from './pieces.ts';
import type { TextEvents } from './reader.ts';
import { createTableReader } from './table.ts';

/** Reads records in constant memory; after an invalid row it only counts violations, and then throws `ImportError`. */
export const readRows: RowReader = async function* (resource, source, options) {
  const validator = createRecordValidator(resource);
  const { violations } = validator;
  const fatal = (line: number | null, rule: string): never => {
    violations.add({
      line,
      column: null,
      field: null,
      value: null,
      rule,
    });
    throw new ImportError(violations.first, violations.count);
  };

  const { events, isEmpty } = eventsOf(resource, options.map, validator, fatal);
  let isJson = false;

  for await (const format of readPieces(source, options, events)) {
    isJson = format === 'json';
    const batch = validator.take();
    if (batch.lines.length > 0 && violations.count === 0) {
      yield batch;
    }
  }
  violations.refuse();

  // The trace of a failed job: --replace would remove all records. JSON can say `[]` instead.
  if (isEmpty() && !isJson) fatal(null, 'at least a header or one record; the file is empty');
  const batch = validator.take();
  if (batch.lines.length > 0) yield batch;
};

function eventsOf(
  resource: ResourceDefinition,
  map: ReadOptions['map'],
  validator: RecordValidator,
  fatal: TextEvents['fatal'],
): { events: TextEvents; isEmpty(): boolean } {
  const { violations } = validator;
  const importTable = importTableOf(resource);
  const fieldOf = createFieldOfColumn(importTable, map);
  let hasValues = false;
  let hasUnknown = false;

  const fault: TextEvents['fault'] = (textFault) => {
    violations.add({
      ...textFault,
      field: table.nameOf(textFault.column ?? 0) ?? null,
    });
  };
  const table = createTableReader(importTable, map, { row: validator.validateCells, fault });

  const events: TextEvents = {
    listName: 'data',
    separator(separator) {
      if (separator === ';') validator.takeDecimalCommas();
    },
    row: table.row,
    value(value, line) {
      hasValues = true;
      if (isObject(value)) {
        validator.validateObject(fieldsOf(value, line), line);
      } else {
        fault({
          line,
          column: null,
          value: jsonText(value),
          rule: 'an object',
        });
      }
    },
    fault,
    fatal,
  };
  return { events, isEmpty: () => !hasValues && !table.hasHeader };

  /** The members of a value by the fields that they mean; any other is refused. */
  function fieldsOf(
    members: Readonly<Record<string, unknown>>,
    line: number,
  ): Record<string, unknown> {
    const fieldValues: Record<string, unknown> = {};
    for (const name of Object.keys(members)) {
      const field = fieldOf(name);
      if (field === null) continue;

      const member = members[name];
      if (field !== undefined && !Object.hasOwn(fieldValues, field)) {
        fieldValues[field] = member;
        continue;
      }

      const memberText = textOfAny(member);
      const rule = field
        ? `means ${field}, as does an earlier member`
        : unknownFieldRule(importTable, name, !hasUnknown);
      hasUnknown ||= field === undefined;
      violations.add({
        line,
        column: null,
        field: name,
        value: memberText,
        rule,
      });
    }
    return fieldValues;
  }
}

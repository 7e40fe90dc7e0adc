import { RoundedNumber } from '../fields/exact-numbers.ts';
import {
  type FieldValidator,
  importFields,
  keptLists,
  type Refuse,
  type ResourceDefinition,
} from '../fields/fields.ts';
import { folded, type ImportBatch } from '../fields/import-batch.ts';
import { withDecimalPoint } from '../fields/numbers.ts';
import { trimmed, validatorOf } from '../fields/values.ts';
import { textOfAny } from '../text/shown-text.ts';
import { withoutApostrophe } from '../text/spreadsheets.ts';
import { ViolationList } from './imports.ts';

/** Validates the rows of one import: valid rows gather in a batch, violations in `violations`. */
export interface RecordValidator {
  readonly violations: ViolationList;
  /** Field names in the order in which rows have them: `id`, then as declared. */
  readonly fields: readonly string[];
  /** `columns[i]` is the position in `cells` of field `i`, or -1; `plain` if all is printable ASCII on one line. */
  validateCells(cells: readonly string[], columns: Int32Array, line: number, plain: boolean): void;
  /** Numbers in the cells that follow may have decimal commas. */
  takeDecimalCommas(): void;
  /** A row of JSON values keyed by field names; a missing value becomes null, or undefined for `keptLists`. */
  validateObject(values: Readonly<Record<string, unknown>>, line: number): void;
  /** Returns the valid rows since the last call. */
  take(): ImportBatch;
}

/** Builds the validator of an import from the declaration. */
export function createRecordValidator(resource: ResourceDefinition): RecordValidator {
  const fields = Object.entries(importFields(resource));
  const fieldNames = fields.map(([name]) => name);
  const validators = fields.map(([name, field]) => validatorOf(name, field));
  const textValidators = validators.map((validator) => validator.fromText);
  const jsonValidators = validators.map((validator) => validator.fromJson);
  const fieldCount = fieldNames.length;
  const required = fields.map(([, field]) => field.required === true);
  const isList = fields.map(([, field]) => field.kind === 'list');
  const isNumber = fields.map(([, { kind }]) => kind === 'integer' || kind === 'decimal');
  const keptNames = new Set(keptLists(resource));
  const isKept = fieldNames.map((name) => keptNames.has(name));
  const reserved = resource.reservedIds && new Set<unknown>(resource.reservedIds);
  const listedBy = (resource.listedBy ?? []).map((name) => fieldNames.indexOf(name));
  const forbiddenIds = ['.', ...(resource.reservedIds ?? [])];
  const reservedIdRule = `something other than ${forbiddenIds.join(', ')} and ..`;

  const violations = new ViolationList();
  let validLines: number[] = [];
  let gatheredColumns = fieldNames.map((): unknown[] => []);
  let currentLine = 0;
  let columnPositions: Int32Array | undefined;
  let hasDecimalCommas = false;

  const refuse: Refuse = (field, value, rule) => {
    const [fieldName = field] = field.split(/[.[]/, 1);
    const column = columnPositions?.[fieldNames.indexOf(fieldName)] ?? -1;
    violations.add({
      line: currentLine,
      column: column < 0 ? null : column + 1,
      field,
      value: violationText(value),
      rule,
    });
  };

  return {
    violations,
    fields: fieldNames,
    validateCells(cells, columns, rowLine, plain) {
      currentLine = rowLine;
      columnPositions = columns;
      const violationsBefore = violations.count;

      for (let fieldIndex = 0; fieldIndex < fieldCount; fieldIndex++) {
        if (isKept[fieldIndex] && columns[fieldIndex] === -1) {
          (gatheredColumns[fieldIndex] as unknown[]).push(undefined);
          continue;
        }

        const paddedText = cells[columns[fieldIndex] as number] ?? ''; // undefined for -1
        const typedText = withoutApostrophe(trimmed(paddedText));
        const cellText =
          hasDecimalCommas && isNumber[fieldIndex] ? withDecimalPoint(typedText) : typedText;
        (gatheredColumns[fieldIndex] as unknown[]).push(
          cellText === ''
            ? missingValue(fieldIndex)
            : (textValidators[fieldIndex] as FieldValidator['fromText'])(cellText, refuse, plain),
        );
      }
      closeRow(violationsBefore);
    },
    takeDecimalCommas() {
      hasDecimalCommas = true;
    },
    validateObject(members, rowLine) {
      currentLine = rowLine;
      columnPositions = undefined;
      const violationsBefore = violations.count;

      for (let fieldIndex = 0; fieldIndex < fieldCount; fieldIndex++) {
        const member = members[fieldNames[fieldIndex] as string];
        if (isKept[fieldIndex] && member === undefined) {
          (gatheredColumns[fieldIndex] as unknown[]).push(undefined);
          continue;
        }

        const input = member ?? '';
        const value = typeof input === 'string' ? trimmed(input) : input;
        (gatheredColumns[fieldIndex] as unknown[]).push(
          value === ''
            ? missingValue(fieldIndex)
            : (jsonValidators[fieldIndex] as FieldValidator['fromJson'])(value, refuse),
        );
      }
      closeRow(violationsBefore);
    },
    take() {
      const batch = { lines: validLines, columns: gatheredColumns.map(folded) };
      validLines = [];
      gatheredColumns = fieldNames.map((): unknown[] => []);
      return batch;
    },
  };

  function missingValue(fieldIndex: number): unknown {
    if (required[fieldIndex]) {
      refuse(fieldNames[fieldIndex] ?? '', null, 'required');
    }
    return isList[fieldIndex] ? noItems : null;
  }

  /** Keeps the row that was just read, or removes it again if it has added violations. */
  function closeRow(violationsBefore: number): void {
    const id = gatheredColumns[0]?.at(-1);
    // An id is part of the record's path, where these mean something else.
    if (id === '.' || id === '..' || reserved?.has(id)) {
      refuse('id', id, reservedIdRule);
    }

    for (const fieldIndex of listedBy) {
      const value = gatheredColumns[fieldIndex]?.at(-1);
      const hasComma = typeof value === 'string' && value.includes(',');
      if (hasComma) refuse(fieldNames[fieldIndex] ?? '', value, noCommaRule);
    }

    if (violations.count === violationsBefore) validLines.push(currentLine);
    else for (const column of gatheredColumns) column.pop();
  }
}

const noCommaRule = 'no comma: commas separate the items of a list';

const noItems: readonly unknown[] = [];

function violationText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof RoundedNumber) return value.source;
  return textOfAny(value);
}

import { RoundedNumber } from '../fields/exact-numbers.ts';
import {
  type FieldValidator,
  importFields,
  keptLists,
  type Refuse,
  type ResourceDefinition,
} from '../fields/fields.ts';
import { folded, type ImportBatch } from '../fields/import-batch.ts';
import { trimmed, validatorOf } from '../fields/values.ts';
import { textOfAny } from '../text/shown-text.ts';
import { ViolationList } from './imports.ts';

/** Validates the rows of one import: valid rows gather in a batch, violations in `violations`. */
export interface RecordValidator {
  readonly violations: ViolationList;
  /** Field names in the order in which rows have them: `id`, then as declared. */
  readonly fields: readonly string[];
  /** `columns[i]` is the position in `cells` of field `i`, or -1; `plain` if all is printable ASCII on one line. */
  validateCells(cells: readonly string[], columns: Int32Array, line: number, plain: boolean): void;
  /** A row of JSON values keyed by field names; a missing value becomes null, or undefined for `keptLists`. */
  validateObject(values: Readonly<Record<string, unknown>>, line: number): void;
  /** Returns the valid rows since the last call. */
  take(): ImportBatch;
}

/** Builds the validator of an import; its closures are compiled once from the declaration. */
export function createRecordValidator(resource: ResourceDefinition): RecordValidator {
  const fields = Object.entries(importFields(resource));
  const names = fields.map(([name]) => name);
  const validators = fields.map(([name, field]) => validatorOf(name, field));
  const fromText = validators.map((validator) => validator.fromText);
  const fromJson = validators.map((validator) => validator.fromJson);
  const count = names.length;
  const required = fields.map(([, field]) => field.required === true);
  const isList = fields.map(([, field]) => field.kind === 'list');
  const keptNames = new Set(keptLists(resource));
  const isKept = names.map((name) => keptNames.has(name));
  const reserved = resource.reservedIds && new Set<unknown>(resource.reservedIds);
  const idRule = `something other than ${['.', ...(resource.reservedIds ?? [])].join(', ')} and ..`;
  const violations = new ViolationList();
  let lines: number[] = [];
  let gathered = names.map((): unknown[] => []);
  let line = 0;
  let columnOf: Int32Array | undefined;
  const refuse: Refuse = (field, value, rule) => {
    const column = columnOf?.[names.indexOf(field.split(/[.[]/, 1)[0] ?? field)] ?? -1;
    violations.add({
      line,
      column: column < 0 ? null : column + 1,
      field,
      value: asText(value),
      rule,
    });
  };

  return {
    violations,
    fields: names,
    validateCells(cells, columns, atLine, plain) {
      line = atLine;
      columnOf = columns;
      const before = violations.count;
      for (let i = 0; i < count; i++) {
        if (isKept[i] && columns[i] === -1) {
          (gathered[i] as unknown[]).push(undefined);
          continue;
        }
        const text = trimmed(cells[columns[i] as number] ?? ''); // undefined for -1
        (gathered[i] as unknown[]).push(
          text === ''
            ? absent(i)
            : (fromText[i] as FieldValidator['fromText'])(text, refuse, plain),
        );
      }
      close(before);
    },
    validateObject(members, atLine) {
      line = atLine;
      columnOf = undefined;
      const before = violations.count;
      for (let i = 0; i < count; i++) {
        const member = members[names[i] as string];
        if (isKept[i] && member === undefined) {
          (gathered[i] as unknown[]).push(undefined);
          continue;
        }
        const input = member ?? '';
        const value = typeof input === 'string' ? trimmed(input) : input;
        (gathered[i] as unknown[]).push(
          value === '' ? absent(i) : (fromJson[i] as FieldValidator['fromJson'])(value, refuse),
        );
      }
      close(before);
    },
    take() {
      const batch = { lines, columns: gathered.map(folded) };
      lines = [];
      gathered = names.map((): unknown[] => []);
      return batch;
    },
  };

  function absent(i: number): unknown {
    if (required[i]) refuse(names[i] ?? '', null, 'required');
    return isList[i] ? noItems : null;
  }

  /** Keeps the row that was just read, or removes it again if it has violations since `before`. */
  function close(before: number): void {
    const id = gathered[0]?.at(-1);
    // An id is part of the record's path, where these mean something else.
    if (id === '.' || id === '..' || reserved?.has(id)) refuse('id', id, idRule);
    if (violations.count === before) lines.push(line);
    else for (const column of gathered) column.pop();
  }
}

const noItems: readonly unknown[] = [];

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof RoundedNumber) return value.source;
  return textOfAny(value);
}

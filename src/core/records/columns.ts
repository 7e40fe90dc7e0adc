import { HkctlError } from '../errors.ts';
import { importFields, type ResourceDefinition } from '../fields/fields.ts';
import { csvCell } from '../text/quoting.ts';
import { canonicalText, nearest } from '../text/words.ts';
import { orMean } from '../time/meant-values.ts';
import { ViolationList } from './imports.ts';

/** The fields that a file of an import can have, of records or of readings. */
export interface ImportTable {
  name: string;
  fields: Readonly<Record<string, { required?: boolean }>>;
  /** Names that a file may have without a meaning, in the form of {@link fieldNameOf}. */
  leftOut: readonly string[];
}

/** `updated_at` and the members that the API adds are left out, so that records from the API can be imported. */
export function importTableOf(resource: ResourceDefinition): ImportTable {
  const leftOut = ['updated_at', ...Object.keys(resource.added ?? {})];
  return { name: resource.name, fields: importFields(resource), leftOut };
}

/** Null if the column is left out, undefined if it is unknown. */
export type FieldOfColumn = (column: string) => string | null | undefined;

const leaveOutMark = '-';

/**
 * Finds the field of a column: by the mapping, else by its own name, ignoring case and reading blanks and hyphens as `_`. Throws
 * `bad_input` for a mapping to an unknown field.
 */
export function createFieldOfColumn(
  table: ImportTable,
  columnMap: Readonly<Record<string, string>> = {},
): FieldOfColumn {
  const fieldNames = new Set(Object.keys(table.fields));
  const targetsByColumn = new Map<string, string>();
  for (const [column, target] of Object.entries(columnMap)) {
    if (target !== leaveOutMark && !fieldNames.has(target)) {
      throw new HkctlError(
        'bad_input',
        `--map ${column}=${target}: "${target}" is an unknown field of ${table.name}.`,
        {
          hint: `The fields are ${[...fieldNames].join(', ')}; ${leaveOutMark} leaves the column out.`,
        },
      );
    }
    targetsByColumn.set(columnKey(column), target);
  }

  // The exact form of a column comes first: two columns may differ by case alone.
  const targetOf = (column: string): string | undefined => {
    if (Object.hasOwn(columnMap, column)) {
      return columnMap[column];
    }
    if (fieldNames.has(column)) return column;
    return targetsByColumn.get(columnKey(column));
  };
  const findField = (column: string): string | null | undefined => {
    const target = targetOf(column);
    if (target !== undefined) return target === leaveOutMark ? null : target;

    const fieldName = fieldNameOf(column);
    if (fieldName === '' || table.leftOut.includes(fieldName)) {
      return null;
    }
    return fieldNames.has(fieldName) ? fieldName : undefined;
  };

  const fieldsByColumn = new Map<string, string | null | undefined>();
  return (column) => {
    if (!fieldsByColumn.has(column)) {
      fieldsByColumn.set(column, findField(column));
    }
    return fieldsByColumn.get(column);
  };
}

/** Columns are compared without case and padding, in NFC. */
function columnKey(column: string): string {
  return canonicalText(column.trim()).toLowerCase();
}

function fieldNameOf(column: string): string {
  return columnKey(column).replace(/[\s-]+/g, '_');
}

/** The rule that an unknown column or member breaks; only the first one in a file lists the fields. */
export function unknownFieldRule(table: ImportTable, column: string, isFirst: boolean): string {
  const fieldNames = Object.keys(table.fields);
  const suggestion = nearest(column.replace(/[\s-]+/g, '_'), fieldNames);
  const mapAdvice = suggestion ? ' Then map' : '; map';
  const mapping = `${column}=${suggestion ?? 'FIELD'}`;
  const fieldList = isFirst ? `. The fields are ${fieldNames.join(', ')}` : '';
  return `an unknown field of ${table.name}${orMean(suggestion)}${mapAdvice} it with --map '${mapping}', or leave it out with --map '${column}=${leaveOutMark}'${fieldList}`;
}

/** Returns for each field the position of its column in a header, -1 if it has none. Throws `ImportError`. */
export function columnPositions(
  table: ImportTable,
  header: readonly string[],
  headerLine: number,
  columnMap: Readonly<Record<string, string>> = {},
): Int32Array {
  const fields = Object.entries(table.fields);
  const positions = new Int32Array(fields.length).fill(-1);
  const fieldOf = createFieldOfColumn(table, columnMap);
  const violations = new ViolationList();
  const refuse = (column: number | null, field: string, rule: string) =>
    violations.add({ line: headerLine, column, field, value: null, rule });

  let isFirstUnknown = true;
  header.forEach((columnName, position) => {
    const fieldName = fieldOf(columnName);
    if (fieldName === null) return;

    const index = fields.findIndex(([knownName]) => knownName === fieldName);
    if (index === -1) {
      refuse(position + 1, columnName, unknownFieldRule(table, columnName, isFirstUnknown));
      isFirstUnknown = false;
    } else if (positions[index] !== -1) {
      refuse(position + 1, columnName, `means ${fieldName}, as does an earlier column`);
    } else {
      positions[index] = position;
    }
  });

  const headerKeys = new Set(header.map(columnKey));
  for (const column of Object.keys(columnMap)) {
    if (headerKeys.has(columnKey(column))) continue;
    refuse(null, column, `a column of --map; the file has ${header.join(', ')}`);
  }

  fields.forEach(([fieldName, field], index) => {
    if (!field.required || positions[index] !== -1) {
      return;
    }
    refuse(null, fieldName, 'required, and the file has no column for it');
  });
  violations.refuse();
  return positions;
}

/** Begins a comment between the header of a CSV and its first record. */
export const csvComment = '# ';

/** An empty CSV of a resource: its header, and one example as a comment, which an import skips. */
export function csvTemplate(resource: ResourceDefinition): string {
  const fields = importFields(resource);
  const header = Object.keys(fields).join(',');
  const exampleCells = Object.values(fields).map(({ example }) => exampleCell(example));
  return `${header}\n${csvComment}${exampleCells.join(',')}\n`;
}

/** Lists are JSON in their cell. */
function exampleCell(example: unknown): string {
  return csvCell(typeof example === 'object' ? JSON.stringify(example) : String(example));
}

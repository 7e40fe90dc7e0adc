import { HkctlError } from '../errors.ts';
import { importFields, type ResourceDefinition } from '../fields/fields.ts';
import { csvCell } from '../text/quoting.ts';
import { nearest } from '../text/words.ts';
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

const leaveOut = '-';

/**
 * Finds the field of a column: by the mapping, else by its own name, ignoring case and reading blanks and hyphens as `_`. Throws
 * `bad_input` for a mapping to an unknown field.
 */
export function createFieldOfColumn(
  table: ImportTable,
  map: Readonly<Record<string, string>> = {},
): FieldOfColumn {
  const names = new Set(Object.keys(table.fields));
  const targets = new Map<string, string>();
  for (const [column, target] of Object.entries(map)) {
    if (target !== leaveOut && !names.has(target)) {
      throw new HkctlError(
        'bad_input',
        `--map ${column}=${target}: "${target}" is an unknown field of ${table.name}.`,
        {
          hint: `The fields are ${[...names].join(', ')}; ${leaveOut} leaves the column out.`,
        },
      );
    }
    targets.set(columnKey(column), target);
  }
  const find = (column: string): string | null | undefined => {
    const exact = Object.hasOwn(map, column) ? map[column] : undefined;
    // Of two columns that differ by case alone, each has the meaning that its own form has.
    const isField = exact === undefined && names.has(column);
    const target = exact ?? (isField ? column : targets.get(columnKey(column)));
    if (target !== undefined) return target === leaveOut ? null : target;
    const name = fieldNameOf(column);
    if (name === '' || table.leftOut.includes(name)) return null;
    return names.has(name) ? name : undefined;
  };
  const fieldsByColumn = new Map<string, string | null | undefined>();
  return (column) => {
    if (!fieldsByColumn.has(column)) fieldsByColumn.set(column, find(column));
    return fieldsByColumn.get(column);
  };
}

/** Columns are compared without case and padding, in NFC. */
function columnKey(column: string): string {
  return column.trim().normalize('NFC').toLowerCase();
}

function fieldNameOf(column: string): string {
  return columnKey(column).replace(/[\s-]+/g, '_');
}

/** The rule that an unknown column or member breaks; only that of the first one in a file lists the fields. */
export function unknownFieldRule(table: ImportTable, column: string, isFirst: boolean): string {
  const names = Object.keys(table.fields);
  const meant = nearest(column.replace(/[\s-]+/g, '_'), names);
  const list = isFirst ? `. The fields are ${names.join(', ')}` : '';
  return `an unknown field of ${table.name}${orMean(meant)}${meant ? ' Then map' : '; map'} it with --map '${column}=${meant ?? 'FIELD'}', or leave it out with --map '${column}=${leaveOut}'${list}`;
}

/** Returns for each field the position of its column in a header, -1 if it has none. Throws `ImportError`. */
export function columnPositions(
  table: ImportTable,
  header: readonly string[],
  line: number,
  map: Readonly<Record<string, string>> = {},
): Int32Array {
  const fields = Object.entries(table.fields);
  const columns = new Int32Array(fields.length).fill(-1);
  const fieldOf = createFieldOfColumn(table, map);
  const violations = new ViolationList();
  const unknown: string[] = [];
  const refuse = (column: number | null, field: string, rule: string) =>
    violations.add({ line, column, field, value: null, rule });
  header.forEach((name, position) => {
    const field = fieldOf(name);
    if (field === null) return;
    const index = fields.findIndex(([knownField]) => knownField === field);
    if (index === -1)
      refuse(position + 1, name, unknownFieldRule(table, name, unknown.push(name) === 1));
    else if (columns[index] !== -1)
      refuse(position + 1, name, `means ${field}, as does an earlier column`);
    else columns[index] = position;
  });
  const keys = new Set(header.map(columnKey));
  for (const column of Object.keys(map)) {
    if (!keys.has(columnKey(column)))
      refuse(null, column, `a column of --map; the file has ${header.join(', ')}`);
  }
  fields.forEach(([name, field], index) => {
    if (field.required && columns[index] === -1)
      refuse(null, name, 'required, and the file has no column for it');
  });
  violations.refuse();
  return columns;
}

/** The mark of a comment between the header of a CSV and its first record. */
export const csvComment = '# ';

/** An empty CSV of a resource: its header, and one example as a comment, which an import skips. */
export function csvTemplate(resource: ResourceDefinition): string {
  const fields = Object.entries(importFields(resource));
  const example = fields.map(([, { example }]) =>
    // Lists are JSON in their cell.
    csvCell(typeof example === 'object' ? JSON.stringify(example) : String(example)),
  );
  return `${fields.map(([name]) => name).join(',')}\n${csvComment}${example.join(',')}\n`;
}

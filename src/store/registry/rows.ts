import { Column, getTableColumns, getTableName, is, type Table } from 'drizzle-orm';

/** The columns that a statement reads, by the names of their fields; those of a joined table are nested. */
interface Shape {
  readonly [field: string]: Column | Readonly<Record<string, Column>>;
}

/** Columns of a table by the names of their fields; all if none is named. */
export function columnsOf<Field extends string>(table: Table, ...fields: readonly Field[]): Record<Field, Column> {
  const columns = Object.entries(getTableColumns(table));
  const wanted: ReadonlySet<string> = new Set(fields);
  const found = Object.fromEntries(columns.filter(([field]) => wanted.size === 0 || wanted.has(field)));
  return found as Record<Field, Column>; // the tables have them, as every first statement shows
}

/** What a statement reads: its columns in SQL, and the row that they make, with null for a joined one that is missing. */
export function createSelection<Row>(shape: Shape): { text: string; read(row: Record<string, unknown>): Row } {
  const columns = Object.entries(shape)
    .flatMap(([field, given]) =>
      is(given, Column)
        ? [{ joined: undefined, field, column: given }]
        : Object.entries(given).map(([inner, column]) => ({
            joined: field as string | undefined,
            field: inner,
            column,
          })),
    )
    .map((column, n) => ({ ...column, name: `c${n}` }));
  const joins = Object.keys(shape).filter((field) => !is(shape[field], Column));
  return {
    text: columns.map(({ column, name }) => `"${getTableName(column.table)}"."${column.name}" as ${name}`).join(', '),
    read(from) {
      const row: Record<string, unknown> = {};
      const facts: Record<string, Record<string, unknown>> = {};
      for (const join of joins) facts[join] = {};
      for (const { joined, field, column, name } of columns) {
        const given = from[name];
        const to = joined === undefined ? row : facts[joined];
        if (to) to[field] = given === null ? null : column.mapFromDriverValue(given);
      }
      for (const join of joins) {
        const of = facts[join] ?? {};
        row[join] = Object.values(of).every((value) => value === null) ? null : of;
      }
      return row as Row; // the fields of the shape
    },
  };
}

export function insertionOf(table: Table, row: object): { text: string; values: unknown[] } {
  const given = new Map<string, unknown>(Object.entries(row));
  const columns = Object.entries(columnsOf(table)).filter(([field]) => given.has(field));
  const names = columns.map(([, { name }]) => name).join(', ');
  const values = columns.map(([field, column]) => {
    const value = given.get(field) ?? null;
    return value === null ? null : column.mapToDriverValue(value);
  });
  return {
    text: `insert into ${getTableName(table)} (${names}) values (${values.map((_, n) => `$${n + 1}`).join(', ')})`,
    values,
  };
}

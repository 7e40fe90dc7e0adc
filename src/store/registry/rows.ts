import type { Rows } from './statements.ts';

/** The columns that a statement reads, by the names of their fields; those of a joined table are nested. */
interface Shape {
  readonly [field: string]: string | Readonly<Record<string, string>>;
}

/** The fields of a new row of each table. */
export const fieldsOf: { readonly [Name in keyof Rows]: readonly (keyof Rows[Name] & string)[] } = {
  tenants: ['id', 'name', 'weekStart', 'createdAtMs', 'retainReadingsDays'],
  users: ['id', 'tenantId', 'login', 'name', 'role', 'status', 'createdAtMs'],
  entities: ['id', 'tenantId', 'code', 'name', 'timezone', 'status', 'createdAtMs'],
  keys: [
    ...(['id', 'tenantId', 'prefix', 'secretHash', 'name', 'permissions', 'entityId', 'createdBy'] as const),
    ...(['createdAtMs', 'expiresAtMs', 'rotatedFrom', 'allowedIps', 'note'] as const),
  ],
  audit: [
    ...(['seq', 'tenantId', 'atMs', 'action', 'actorId', 'actorLogin', 'osAccount', 'target', 'outcome'] as const),
    ...(['detail', 'previousHash', 'hash'] as const),
  ],
};

/** The columns that both engines keep as JSON. */
export const jsonColumns = ['keys.permissions', 'keys.allowed_ips', 'audit.detail'] as const;

/** The column of a field: `created_at_ms` of `createdAtMs`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Columns of a table by the names of their fields. */
export function columnsOf(table: string, fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, `${table}.${columnOf(field)}`]));
}

/** Selects all rows of a table whose columns have plain values. */
export function selectAll(table: 'tenants' | 'users' | 'entities'): string {
  return `select ${fieldsOf[table].map((field) => `${columnOf(field)} as "${field}"`).join(', ')} from ${table}`;
}

/** What a statement reads: its columns in SQL, and the row that they make, with null for a joined one that is missing. */
export function createSelection<Row>(
  shape: Shape,
  json: ReadonlySet<string>,
): { text: string; read(row: Record<string, unknown>): Row } {
  const columns = Object.entries(shape)
    .flatMap(([field, given]) =>
      typeof given === 'string'
        ? [{ joined: '', field, column: given }]
        : Object.entries(given).map(([inner, column]) => ({ joined: field, field: inner, column })),
    )
    .map((column, n) => ({ ...column, name: `c${n}`, isJson: json.has(column.column) }));
  const joins = Object.keys(shape).filter((field) => typeof shape[field] !== 'string');
  return {
    text: columns.map(({ column, name }) => `${column} as ${name}`).join(', '),
    read(from) {
      const row: Record<string, unknown> = {};
      const facts: Record<string, Record<string, unknown>> = { '': row };
      for (const join of joins) facts[join] = {};
      for (const { joined, field, name, isJson } of columns) {
        const given = from[name];
        const to = facts[joined];
        if (to) to[field] = isJson && given !== null ? JSON.parse(String(given)) : given;
      }
      for (const join of joins) {
        const of = facts[join] ?? {};
        row[join] = Object.values(of).every((value) => value === null) ? null : of;
      }
      return row as Row; // the fields of the shape
    },
  };
}

/** The statement that inserts a row, and its values. */
export function insertionOf<Name extends keyof Rows>(table: Name, row: Rows[Name], json: ReadonlySet<string>) {
  const fields: readonly (keyof Rows[Name] & string)[] = fieldsOf[table];
  const columns = fields.map(columnOf);
  const values = fields.map((field, n) => {
    const value = row[field] ?? null;
    return value !== null && json.has(`${table}.${columns[n]}`) ? JSON.stringify(value) : value;
  });
  const places = fields.map((_, n) => `$${n + 1}`);
  return { text: `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`, values };
}

import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Rows, Writing } from './statements.ts';

/** The columns that a statement reads, by the names of their fields; those of a joined table are nested. */
interface Shape {
  readonly [field: string]: string | Readonly<Record<string, string>>;
}

/** The fields of a new row of each table. */
export const fieldsOf: { readonly [Name in keyof Rows]: readonly (keyof Rows[Name] & string)[] } = {
  tenants: ['id', 'name', 'weekStart', 'createdAtMs', 'retainReadingsDays'],
  users: ['id', 'tenantId', 'login', 'name', 'role', 'status', 'createdAtMs', 'entityIds'],
  entities: ['id', 'tenantId', 'code', 'name', 'timezone', 'status', 'createdAtMs'],
  keys: [
    ...([
      'id',
      'tenantId',
      'prefix',
      'secretHash',
      'name',
      'permissions',
      'entityId',
      'createdBy',
    ] as const),
    ...(['createdAtMs', 'expiresAtMs', 'rotatedFrom', 'allowedIps', 'note'] as const),
  ],
  audit: [
    ...([
      'seq',
      'tenantId',
      'atMs',
      'action',
      'actorId',
      'actorLogin',
      'osAccount',
      'target',
      'outcome',
    ] as const),
    ...(['detail', 'previousHash', 'hash'] as const),
  ],
};

/** The columns that both engines keep as JSON. */
export const jsonColumns = [
  'keys.permissions',
  'keys.allowed_ips',
  'users.entity_ids',
  'audit.detail',
] as const;

/** The column of a field: `created_at_ms` of `createdAtMs`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Columns of a table by the names of their fields. */
export function columnsOf(table: string, fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, `${table}.${columnOf(field)}`]));
}

/** Selects all rows of a table whose columns have plain values. */
export function selectAll(table: 'tenants' | 'entities'): string {
  return `select ${fieldsOf[table].map((field) => `${columnOf(field)} as "${field}"`).join(', ')} from ${table}`;
}

type Read = (row: Record<string, unknown>) => unknown;

/** What a statement reads: its columns in SQL, and the row that they make, with null for a joined one that is missing. */
export function createSelection<Row>(shape: Shape, json: ReadonlySet<string>) {
  const columns: string[] = [];
  const valueAt = (column: string): Read => {
    const name = `c${columns.push(column)}`;
    if (!json.has(column)) return (row) => row[name];
    return (row) => (row[name] === null ? null : JSON.parse(String(row[name])));
  };
  // Object.fromEntries takes three times as long.
  const objectOf =
    (fields: readonly (readonly [string, Read])[]) => (row: Record<string, unknown>) => {
      const made: Record<string, unknown> = {};
      for (const [field, read] of fields) made[field] = read(row);
      return made;
    };
  const joinedOf = (given: Readonly<Record<string, string>>): Read => {
    const read = objectOf(Object.entries(given).map(([field, column]) => [field, valueAt(column)]));
    return (row) => {
      const facts = read(row);
      return Object.values(facts).every((value) => value === null) ? null : facts;
    };
  };
  const read = objectOf(
    Object.entries(shape).map(([field, given]) => [
      field,
      typeof given === 'string' ? valueAt(given) : joinedOf(given),
    ]),
  );
  return {
    text: columns.map((column, n) => `${column} as c${n + 1}`).join(', '),
    read: (row: Record<string, unknown>) => read(row) as Row, // the fields of the shape
  };
}

export function insertRow<Name extends keyof Rows>(
  { query, dialect }: Writing,
  table: Name,
  row: Rows[Name],
): MaybePromise<unknown> {
  const fields: readonly (keyof Rows[Name] & string)[] = fieldsOf[table];
  const columns = fields.map(columnOf);
  const values = fields.map((field, n) => {
    const value = row[field] ?? null;
    return value !== null && dialect.json.has(`${table}.${columns[n]}`)
      ? JSON.stringify(value)
      : value;
  });
  const places = fields.map((_, n) => `$${n + 1}`);
  return query(
    `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`,
    values,
  );
}

import type { Session } from '../connection/session.ts';

/** For each table of the store the types of its columns, as PostgreSQL names them, such as `bigint`. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

export async function readColumnTypes(session: Session): Promise<ColumnTypes> {
  const rows = await session.query<{ table: string; column: string; type: string }>(
    'schema.columns',
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace::oid and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      order by 1, a.attnum`,
  );
  const tables = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    const columns = tables.get(table) ?? new Map<string, string>();
    columns.set(column, type);
    tables.set(table, columns);
  }
  return tables;
}

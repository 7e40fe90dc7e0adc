import type { Connection } from '../connection/driver.ts';

/** One row of `sqlite_master`. Whoever writes the file chooses what is in it, so that nothing is certain of its types. */
export interface SchemaObject {
  type: unknown;
  name: unknown;
  table: unknown;
  sql: unknown;
}

/** Everything that a database, main or attached, says it is made of. Reads text and runs none of it. */
export function schemaObjectsIn(connection: Connection, database = 'main'): SchemaObject[] {
  return connection
    .prepare<[], SchemaObject>(`select type, name, tbl_name as "table", sql from ${database}.sqlite_master`)
    .all()
    .filter((object) => !isStatistics(object));
}

/** All objects as one text, in a fixed order: the same for two databases exactly where they are made of the same. */
export function textOf(objects: readonly SchemaObject[]): string {
  return `${objects.map(lineOf).sort().join('\n')}\n`;
}

/** As JSON, in which a text, a number and a BLOB of the same characters differ. */
export function lineOf({ type, name, table, sql }: SchemaObject): string {
  return JSON.stringify([type, name, table, sql]);
}

/** What `ANALYZE` of any SQLite tool leaves behind: numbers for the query planner, in tables that SQLite itself defines. */
const statistics: ReadonlyMap<unknown, string> = new Map([
  ['sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)'],
  ['sqlite_stat4', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)'],
]);

function isStatistics({ type, name, table, sql }: SchemaObject): boolean {
  return type === 'table' && table === name && sql === statistics.get(name);
}

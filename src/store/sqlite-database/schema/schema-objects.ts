import type { Connection } from '../driver.ts';

/** One row of `sqlite_master`. A forged file may hold anything there, so that no type is certain. */
export interface SchemaObject {
  type: unknown;
  name: unknown;
  table: unknown;
  sql: unknown;
}

/** The schema of a database, main or attached, as it states it. Reads texts and executes none of them. */
export function schemaObjectsIn(connection: Connection, database = 'main'): SchemaObject[] {
  return connection
    .prepare<[], SchemaObject>(`select type, name, tbl_name as "table", sql from ${database}.sqlite_master`)
    .all()
    .filter((object) => !isStatistics(object));
}

/** All objects as one text in a fixed order, equal for two databases exactly if their schemas are equal. */
export function textOf(objects: readonly SchemaObject[]): string {
  return `${objects.map(lineOf).sort().join('\n')}\n`;
}

/** As JSON, in which a text, a number and a BLOB of the same characters differ. */
export function lineOf({ type, name, table, sql }: SchemaObject): string {
  return JSON.stringify([type, name, table, sql]);
}

/** The tables in which `ANALYZE` keeps statistics for the query planner; SQLite itself defines them. */
const statistics: ReadonlyMap<unknown, string> = new Map([
  ['sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)'],
  ['sqlite_stat4', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)'],
]);

function isStatistics({ type, name, table, sql }: SchemaObject): boolean {
  return type === 'table' && table === name && sql === statistics.get(name);
}

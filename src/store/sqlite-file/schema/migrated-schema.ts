import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { cutText } from '../../../core/text/shown-text.ts';
import { daySumsOfHours } from '../chunks/hour-summaries.ts';
import { type Connection, openDatabase, withConnection } from '../driver.ts';
import { translating } from '../errors.ts';
import {
  type DatabaseName,
  initialVersions,
  requireKnownVersion,
  schemaVersions,
} from './schema-versions.ts';

interface MigratedSchema {
  objects: readonly SchemaObject[];
  tables: readonly OwnTable[];
}

export interface OwnTable {
  name: string;
  columns: readonly string[];
  /** In SQL, of the rows that are meant; all by default. */
  condition?: string;
}

/** The schema of a version of a database, found by applying its migrations in memory. */
export function migratedSchema(
  name: DatabaseName,
  version: number,
  folder: string,
): MigratedSchema {
  return withConnection(openDatabase(':memory:', {}), (connection) => {
    makeTables(connection, name, version, folder);
    const columns = connection
      .prepare<[string], string>('select name from pragma_table_info(?)')
      .pluck();
    const objects = schemaObjectsIn(connection);
    const tables = objects
      .filter(({ type, name: table }) => type === 'table' && !String(table).startsWith('sqlite_'))
      .map((object) => ({ name: String(object.name), columns: columns.all(String(object.name)) }));
    return { objects, tables };
  });
}

/** Makes the tables of a version in the empty main database of a connection. */
export function makeTables(
  connection: Connection,
  name: DatabaseName,
  version: number,
  folder: string,
): void {
  const count = migrationsUpTo(version, initialVersions[name]);
  const migrations = migrationsOf(name, folder).slice(0, count);
  runAll(connection, migrations);
}

/**
 * Applies the migrations of a database after `version` (0 without tables) to its tables in the main database of a connection, and
 * returns their number.
 */
export function upgradeTables(
  connection: Connection,
  name: DatabaseName,
  version: number,
  folder: string,
): number {
  const appliedCount = migrationsUpTo(version, initialVersions[name]);
  const missing = migrationsOf(name, folder).slice(appliedCount);
  runAll(connection, missing);
  return missing.length;
}

/** Applies the missing migrations, all or nothing, in the running transaction if there is one; returns their number. */
export function applyMigrations(
  connection: Connection,
  name: DatabaseName,
  folder: string,
  path: string,
): number {
  const apply = connection.transaction(() => {
    // Read under the write lock: another process may have migrated already.
    const before = requireKnownVersion(connection, name, path);
    const applied = upgradeTables(connection, name, before, folder);
    connection.pragma(`user_version = ${schemaVersions[name]}`);
    return applied;
  });
  return translating(path, () => apply.immediate());
}

function runAll(connection: Connection, migrations: readonly string[][]): void {
  // SQL alone cannot write the sums of a day.
  connection.function('day_sums_of_hours', (json) => daySumsOfHours(JSON.parse(String(json))));
  for (const statement of migrations.flat()) connection.exec(statement);
}

/** The number of migrations that have made a version; 0 for a database without tables, whose version is 0. */
export function migrationsUpTo(version: number, initialVersion: number): number {
  return Math.max(version - initialVersion + 1, 0);
}

/** The statements of each migration of a database, or of `postgres`, in the order of drizzle's journal. */
export function migrationsOf(name: DatabaseName | 'postgres', folder: string): string[][] {
  const migrationsFolder = join(folder, name);
  if (!existsSync(migrationsFolder))
    throw new Error(`migrations are missing from this installation: ${migrationsFolder}`);
  return readMigrationFiles({ migrationsFolder }).map(({ sql }) => sql);
}

/** A row of `sqlite_master`. A forged file may hold anything there, so that no type is certain. */
export interface SchemaObject {
  type: unknown;
  name: unknown;
  table: unknown;
  sql: unknown;
}

/** The schema of a database as it states it, without the statistics of `ANALYZE`. Reads texts and executes none of them. */
export function schemaObjectsIn(connection: Connection): SchemaObject[] {
  return connection
    .prepare<[], SchemaObject>('select type, name, tbl_name as "table", sql from sqlite_master')
    .all()
    .filter((object) => !isStatistics(object));
}

/** Drops the indexes of a table, which are made at the end, from sorted rows; returns the statements that make them again. */
export function dropIndexes(connection: Connection, table: string): string[] {
  const indexesSql =
    "select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name = ?";
  const indexes = connection
    .prepare<[string], { name: string; sql: string }>(indexesSql)
    .all(table);
  for (const { name } of indexes) connection.exec(`drop index "${name}"`);
  return indexes.map(({ sql }) => sql);
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

/** Plain tables of other programs, such as those in which Litestream keeps its place. */
export function foreignTables(
  objects: readonly SchemaObject[],
  expected: readonly SchemaObject[],
): string[] {
  const expectedKeys = new Set(expected.map(keyOf));
  return objects.flatMap((object) => {
    const isPlain = object.type === 'table' && !isVirtual(object);
    return isPlain && !expectedKeys.has(keyOf(object)) ? [String(object.name)] : [];
  });
}

/** Foreign, redefined and missing objects of a schema, as texts. */
export function differences(
  objects: readonly SchemaObject[],
  expected: readonly SchemaObject[],
): string[] {
  const expectedLines = new Map(expected.map((object) => [keyOf(object), lineOf(object)]));
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const object of objects) {
    const key = keyOf(object);
    const line = expectedLines.get(key);
    if (line === undefined || seen.has(key)) wrong.push(`${titleOf(object)} is none of hkctl's`);
    else if (line !== lineOf(object)) wrong.push(`${titleOf(object)} has another definition`);
    seen.add(key);
  }
  for (const object of expected)
    if (!seen.has(keyOf(object))) wrong.push(`${titleOf(object)} is missing`);
  return wrong;
}

function keyOf({ type, name }: SchemaObject): string {
  return JSON.stringify([type, name]);
}

const longestName = 60;

function isVirtual({ sql }: Pick<SchemaObject, 'sql'>): boolean {
  return typeof sql === 'string' && /^\s*create\s+virtual\b/i.test(sql);
}

function titleOf({ type, name, sql }: SchemaObject): string {
  const quoted = `"${cutText(String(name), longestName)}"`;
  if (isVirtual({ sql })) return `the virtual table ${quoted}`;
  const kind = kinds.has(String(type)) ? String(type) : 'entry';
  return `the ${kind} ${quoted}`;
}

const kinds: ReadonlySet<string> = new Set(['table', 'index', 'trigger', 'view']);

import { isEntityCode } from '../../core/organization/entities.ts';
import { isLogin } from '../../core/organization/users.ts';
import { quotedText } from '../../core/text/shown-text.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { sequenceSql } from './rows.ts';

/** A sentence about a value of a backup that this program cannot hold or show; undefined if there is none. */
export function faultOfValues(backup: Connection): string | undefined {
  const column = columnOfUnsafeNumber(backup);
  if (column !== undefined) return `${column} has a number that is too large`;
  return faultOfNames(backup);
}

/** The column with a number that JavaScript cannot hold: two such numbers would become one, and mix the rows of two series. */
function columnOfUnsafeNumber(backup: Connection): string | undefined {
  const tables = backup
    .prepare<[], string>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
    )
    .pluck()
    .all();
  for (const table of tables) {
    const column = unsafeColumnOf(backup, table);
    if (column !== undefined) return `${table}.${column}`;
  }
  const unsafeSequence = backup
    .prepare<[], string>(
      `select name from sqlite_sequence where not (${sequenceSql} ${isSafe}) limit 1`,
    )
    .pluck();
  return unsafeSequence.get();
}

const isSafe = `between ${-Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;

function unsafeColumnOf(backup: Connection, table: string): string | undefined {
  const columns = backup
    .prepare<[string], { name: string; type: string }>(
      'select name, lower(type) as type from pragma_table_info(?)',
    )
    .all(table);
  const conditions = columns.flatMap(({ name, type }) => {
    if (type === 'integer')
      return [`when typeof("${name}") <> 'text' and "${name}" not ${isSafe} then '${name}'`];
    // An infinite number.
    if (type === 'real') return [`when abs("${name}") = 9e999 then '${name}'`];
    return [];
  });
  if (conditions.length === 0) return undefined;
  return backup
    .prepare<[], string>(
      `select name from (select case ${conditions.join(' ')} end as name from "${table}")
        where name is not null limit 1`,
    )
    .pluck()
    .get();
}

/** Codes of entities and logins stand in commands, and in the words that a shell completes. */
function faultOfNames(backup: Connection): string | undefined {
  const columns = [
    ['entities', 'code', isEntityCode],
    ['users', 'login', isLogin],
  ] as const;
  for (const [table, column, isValid] of columns) {
    const values = backup.prepare<[], unknown>(`select ${column} from ${table}`).pluck();

    for (const value of values.iterate()) {
      if (typeof value === 'string' && isValid(value)) continue;
      const shownValue = quotedText(String(value).slice(0, longestShown));
      return `${table}.${column} has a value that is not allowed: ${shownValue}`;
    }
  }
  return undefined;
}

const longestShown = 60;

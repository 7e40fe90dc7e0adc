import { verifyTrail } from '../../core/audit/chain.ts';
import type { BackupHead } from '../../core/operations/backups.ts';
import { isEntityCode } from '../../core/organization/entities.ts';
import { isLogin } from '../../core/organization/users.ts';
import type { AuditRecord } from '../../core/port/audit.ts';
import { quotedText } from '../../core/text/shown-text.ts';
import { nounFor } from '../../core/text/words.ts';
import { toRecord } from '../shared/registry/audit.ts';
import { statement } from '../shared/registry/statements.ts';
import { faultsOfChunks, faultsOfDaySums } from '../sqlite-file/chunks/verification.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { toDomainError, translating } from '../sqlite-file/errors.ts';
import { firstWithDaySums } from '../sqlite-file/schema/schema-versions.ts';
import { sqliteBuilder } from '../tables/kits/sqlite.ts';
import { audit } from '../tables/sqlite/registry.ts';
import { sequenceSql } from './copying.ts';
import { creationOf, type OpenBackup } from './format.ts';

/** Reads the facts by which people can recognise a backup. */
export function readHead(
  { connection, damaged }: OpenBackup,
  shown: string,
): Omit<BackupHead, 'bytes'> {
  return translating(shown, () => {
    const countRows = (table: string) => {
      const countQuery = connection.prepare(`select count(*) from ${table}`);
      return Number(countQuery.pluck().get());
    };

    const createdAtMs = creationOf(connection);
    if (createdAtMs === undefined) throw damaged('it names no time at which it was made');
    return { createdAtMs, keys: countRows('keys'), auditRecords: countRows('audit') };
  });
}

/** Checks every page, reference, number and audit record of a backup; `store_corrupt` if it is damaged. */
export async function verifyBackup(backup: OpenBackup, shown: string): Promise<void> {
  const { connection, damaged } = backup;
  try {
    const fault = faultOfRows(backup);
    if (fault !== undefined) throw damaged(fault);

    const { broken } = await verifyTrail(trailIn(connection));
    if (broken !== null) throw damaged(`audit record ${broken.seq}: ${broken.reason}`);
  } catch (thrown) {
    if (thrown instanceof SyntaxError)
      throw damaged('an audit record has details that are not JSON');
    throw toDomainError(thrown, shown);
  }
}

function faultOfRows({ connection: backup, versions }: OpenBackup): string | undefined {
  const damage = backup.pragma('integrity_check(1)', { simple: true });
  if (damage !== 'ok') return String(damage);

  const looseRows = backup.prepare('pragma foreign_key_check').all();
  if (looseRows.length > 0)
    return `${looseRows.length} ${nounFor(looseRows.length, 'row')} without the row to which it refers`;

  const fault = faultOfValues(backup);
  if (fault !== undefined) return fault;

  // A restore would read all of a write buffer into memory.
  const bufferedReading = backup.prepare('select 1 from log').get();
  if (bufferedReading !== undefined) return 'it has readings outside of chunks';

  const [faultOfChunk] = faultsOfChunks(backup);
  if (faultOfChunk !== undefined || versions.readings < firstWithDaySums) return faultOfChunk;
  const sumsOfReadings = backup.prepare('select 1 from day_sums where dropped_us is null').get();
  if (sumsOfReadings !== undefined) return 'it has sums of readings that are there';
  const [faultOfSums] = faultsOfDaySums(backup);
  return faultOfSums;
}

const recordsInOrder = statement(() => sqliteBuilder.select().from(audit).orderBy(audit.seq));

function trailIn(backup: Connection): Parameters<typeof verifyTrail>[0] {
  const { text, rowOf } = recordsInOrder();
  const recordRows = backup.prepare<[], unknown[]>(text).raw();
  const lastSeq = backup
    .prepare<[], number>("select seq from sqlite_sequence where name = 'audit'")
    .pluck();
  return {
    lastSeq: () => lastSeq.get() ?? 0,
    *walk(): Generator<AuditRecord> {
      for (const row of recordRows.iterate()) yield toRecord(rowOf(row));
    },
  };
}

/** A sentence about a value of a backup that this program cannot hold or show; undefined if there is none. */
function faultOfValues(backup: Connection): string | undefined {
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

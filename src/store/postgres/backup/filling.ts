import { randomBytes } from 'node:crypto';
import { errnoOf, type HkctlError, isHkctlError } from '../../../core/errors.ts';
import { carriedMarks, sequenceSql, waitingDrafts } from '../../backup-file/copying.ts';
import type { OpenBackup } from '../../backup-file/format.ts';
import { decodeChunk } from '../../sqlite-file/chunks/codec.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import { translating } from '../../sqlite-file/errors.ts';
import { migratedSchema, type OwnTable } from '../../sqlite-file/schema/migrated-schema.ts';
import { databaseNames, schemaVersions } from '../../sqlite-file/schema/schema-versions.ts';
import { copyRowsToServer } from '../connection/copy.ts';
import type { PostgresSession } from '../connection/session.ts';
import { createDecimalWriter } from '../records/decimal-text.ts';
import { escaped } from '../records/import-rows.ts';
import { appendAudit, jsonTexts } from '../registry/statements.ts';
import { bySeries, type ColumnTypes } from './queries.ts';

/** The backup that fills a store. */
interface FillingSource extends Pick<OpenBackup, 'damaged'> {
  backup: Connection;
  shown: string;
  migrationsFolder: string;
  /** Receives how much was copied, from 0 to 1. */
  progress?: ((share: number) => void) | undefined;
}

/** Fills an empty store, inside the transaction of a session. The backup was checked, and its tables are those of this version. */
export async function fillFrom(
  source: FillingSource,
  session: PostgresSession,
  columnTypes: ColumnTypes,
): Promise<void> {
  const { backup, shown, damaged, migrationsFolder, progress } = source;
  const tables = databaseNames.flatMap((databaseName) => {
    const version = schemaVersions[databaseName];
    return migratedSchema(databaseName, version, migrationsFolder).tables;
  });
  const { totalRows, marks, auditDrafts } = translating(shown, () => ({
    totalRows: tables
      .map(({ name }) => countOf(backup, name))
      .reduce((sum, count) => sum + count, 0),
    marks: carriedMarks(backup),
    auditDrafts: waitingDrafts(backup),
  }));

  let copiedRows = 0;
  const copied = (rows: number) => {
    copiedRows += rows;
    const share = copiedRows / Math.max(totalRows, 1);
    progress?.(Math.min(1, share));
  };
  for (const tableCopy of tableCopiesOf(backup, tables)) {
    await copyInto(session, columnTypes, tableCopy, { damaged, copied });
  }
  await session.query('update audit_head set last_seq = $1', [lastAuditNumber(backup)]);

  // Marks of the clock belong to this database and its machines; any other counts something that was replaced.
  await session.run("delete from marks where name not like 'clock%'");
  for (const { name, value } of marks) {
    await session.query(
      `insert into marks (name, value) values ($1, $2)
        on conflict (name) do update set value = greatest(marks.value, excluded.value)`,
      [name, value],
    );
  }

  const setNextNumber = `select setval(pg_get_serial_sequence('record_entities', 'number'), max(number))
    from record_entities`;
  await session.run(setNextNumber);

  // Mirrors have followed the store that is replaced: what they have seen since the backup may be undone.
  const timeline = randomBytes(6).toString('hex');
  await session.query('insert into record_epoch (epoch) values ($1)', [timeline]);

  for (const draft of auditDrafts) {
    await appendAudit(session, JSON.parse(draft));
  }
}

/** How many rows of PostgreSQL a table of the backup has. */
function countOf(backup: Connection, table: string): number {
  const countExpression = table === 'chunks' ? 'total(count)' : 'count(*)';
  const countQuery = backup.prepare(`select ${countExpression} from "${table}"`);
  return Number(countQuery.pluck().get());
}

/** The highest number ever assigned, which may be beyond the records that are left. */
function lastAuditNumber(backup: Connection): number {
  const lastNumberQuery = `select max(
    coalesce((select max(seq) from audit), 0),
    coalesce((select ${sequenceSql} from sqlite_sequence where name = 'audit'), 0))`;
  const lastNumber = backup.prepare<[], unknown>(lastNumberQuery).pluck().get();
  return Number(lastNumber);
}

/** Characters that are sent at once. */
const chunkLength = 1 << 18;

/**
 * Copies rows into a table by COPY, inside the transaction of a session. A value that PostgreSQL refuses is the error of `damaged`.
 * `copied` receives the number of rows.
 */
async function copyInto(
  session: PostgresSession,
  columnTypes: ColumnTypes,
  { table, columns, rows }: TableCopy,
  { damaged, copied }: CopyCallbacks,
): Promise<void> {
  const writeDecimal = createDecimalWriter();
  const typeByColumn = columnTypes.get(table);
  const typesInOrder = columns.map((column) => typeByColumn?.[column]);

  const copyTexts = function* () {
    let copyText = '';
    let rowCount = 0;
    for (const row of rows) {
      rowCount++;
      for (let index = 0; index < columns.length; index++) {
        const cellText = toCopyText(row[index], typesInOrder[index], writeDecimal);
        copyText += index === 0 ? cellText : `\t${cellText}`;
      }
      copyText += '\n';
      if (copyText.length < chunkLength) continue;

      yield copyText;
      copied(rowCount);
      copyText = '';
      rowCount = 0;
    }
    if (copyText !== '') yield copyText;
    copied(rowCount);
  };

  const columnList = columns.map((column) => `"${column}"`).join(', ');
  const copyStatement = `copy "${table}" (${columnList}) from stdin`;
  await copyRowsToServer(session, copyStatement, copyTexts()).catch((thrown: unknown) => {
    throw isRowFault(thrown)
      ? damaged(`a row of ${table} has a value that is not of its column`)
      : thrown;
  });
}

interface CopyCallbacks {
  damaged(fault: string): HkctlError;
  copied(rows: number): void;
}

/** A value of a column as COPY takes it. */
function toCopyText(
  value: unknown,
  columnType: string | undefined,
  writeDecimal: (value: number) => string,
): string {
  if (value === null || value === undefined) return '\\N';
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  if (typeof value !== 'number') return escaped(String(value));
  if (columnType === 'numeric') return writeDecimal(value);
  // JavaScript writes a negative zero without its sign.
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Violations of a constraint and values out of range; not a character that PostgreSQL has no place for, which has its own message. */
function isRowFault(thrown: unknown): boolean {
  const databaseError = isHkctlError(thrown) ? thrown.cause : thrown;
  const sqlState = errnoOf(databaseError) ?? '';
  const isCharacterFault = sqlState === '22021' || sqlState === '22P05';
  return !isCharacterFault && /^2[23]...$/.test(sqlState);
}

/** The rows that a table receives. */
interface TableCopy {
  table: string;
  columns: readonly string[];
  rows: Iterable<readonly unknown[]>;
}

/** The rows of a checked backup for the tables of PostgreSQL, in an order in which references find their targets. */
function tableCopiesOf(backup: Connection, tables: readonly OwnTable[]): TableCopy[] {
  /** Each column with its value in SQL, and where rows come from. */
  const copyOf = (
    table: string,
    expressions: Readonly<Record<string, string>>,
    fromClause: string,
  ): TableCopy => {
    const selectList = Object.values(expressions).join(', ');
    const query = `${numbering} select ${selectList} from ${fromClause}`;
    return { table, columns: Object.keys(expressions), rows: rowsOf(backup, query) };
  };
  const columnsOf = (tableName: string) =>
    tables.find((table) => table.name === tableName)?.columns ?? [];
  const ownColumns = (columns: readonly string[]) =>
    Object.fromEntries(columns.map((column) => [column, `t."${column}"`]));
  const plainCopy = (tableName: string, columns = columnsOf(tableName), orderClause = 'rowid') =>
    copyOf(tableName, ownColumns(columns), `${tableName} t order by ${orderClause}`);

  const keyColumns = columnsOf('keys').filter((column) => !keyUseColumns.includes(column));
  const asJson = (column: string) =>
    `case when typeof(${column}) = 'text' then json_quote(${column}) else ${column} end`;
  const auditColumns: Record<string, string> = {};
  for (const column of columnsOf('audit')) {
    auditColumns[column] = jsonTexts.has(column) ? asJson(column) : column;
  }
  const seriesCount = '(select count(*) from series where entity_id = id)';
  const numberedSensors = 'numbered_series n join series s using (series)';

  return [
    plainCopy('tenants'),
    plainCopy('users'),
    plainCopy('entities'),
    plainCopy('keys', keyColumns),
    copyOf(
      'key_uses',
      { key_id: 'id', ...ownColumns(keyUseColumns) },
      'keys t where last_used_at_ms is not null',
    ),
    copyOf('audit', auditColumns, 'audit order by seq'),
    plainCopy('key_usage', columnsOf('key_usage'), 'day, key_id'),
    plainCopy('purges'),
    plainCopy('pending_steps'),
    copyOf(
      'record_entities',
      { number: 'number', entity_id: 'id', last_series: seriesCount },
      'numbered',
    ),
    copyOf(
      'series',
      { entity: 'n.entity', series: 'n.number', sensor_id: 's.sensor_id' },
      numberedSensors,
    ),
    copyOf(
      'drops',
      { entity: 'n.number', until_us: 't.until_us' },
      'drops t join numbered n on n.id = t.entity_id',
    ),

    ...tables.flatMap(({ name, columns }): TableCopy[] => {
      const [firstColumn = '', ...otherColumns] = columns;
      if (name === 'chunks') {
        return [{ table: 'readings', columns: readingColumns, rows: readingsOf(backup) }];
      }
      if (bySeries.has(name)) {
        const expressions = {
          entity: 'n.entity',
          series: 'n.number',
          ...ownColumns(otherColumns),
        };
        // A copy of an older backup has days that wait for their sums.
        const condition = name === 'day_sums' ? 'where t.dropped_us is not null' : '';
        return [copyOf(name, expressions, `${name} t ${joinSeriesNumber} ${condition}`)];
      }
      if (firstColumn === 'entity') {
        const expressions = { entity: 'n.number', ...ownColumns(otherColumns) };
        return [copyOf(name, expressions, `"${name}" t ${joinEntityNumber}`)];
      }
      return [];
    }),
  ];
}

/** Columns of keys that PostgreSQL has in a table of their own. */
const keyUseColumns = ['last_used_at_ms', 'last_used_ip'];
const readingColumns = ['entity', 'series', 'at_us', 'value', 'quality'];

/** SQLite numbers series over all entities, PostgreSQL by entity; the entities of a backup that have data are numbered anew. */
const numbering = `with ids as (
    select entity_id as id from record_entities
    union select entity_id from series
    union select entity_id from drops),
  numbered as materialized (select id, row_number() over (order by id) as number from ids),
  numbered_series as materialized (
    select s.series, n.number as entity, row_number() over (partition by s.entity_id order by s.series) as number
    from series s join numbered n on n.id = s.entity_id)`;
/** Rows of an entity or a sensor that the backup does not name get no number, which PostgreSQL refuses. */
const joinSeriesNumber = 'left join numbered_series n on n.series = t.series';
const joinEntityNumber =
  'left join record_entities e on e.number = t.entity left join numbered n on n.id = e.entity_id';

function* readingsOf(backup: Connection): Generator<readonly unknown[]> {
  const chunks = backup.prepare<
    [],
    { entity: number; number: number; count: number; body: Buffer }
  >(
    `${numbering} select n.entity, n.number, t.count, t.body from chunks t ${joinSeriesNumber} order by t.series, t.from_us`,
  );
  for (const { entity, number, count, body } of chunks.iterate()) {
    const { atUs, values, qualities } = decodeChunk(body, count);
    for (let index = 0; index < count; index++)
      yield [entity, number, atUs[index], values[index], qualities[index]];
  }
}

/** The rows of a query, which is run when they are read. */
function rowsOf(backup: Connection, query: string): Iterable<readonly unknown[]> {
  return {
    [Symbol.iterator]() {
      const statement = backup.prepare<[], unknown[]>(query);
      return statement.raw().iterate();
    },
  };
}

import { randomBytes } from 'node:crypto';
import { errnoOf } from '../../../core/errno.ts';
import { type HkctlError, isHkctlError } from '../../../core/errors.ts';
import { carriedMarks, waitingDrafts } from '../../backup-file/copying.ts';
import type { OpenBackup } from '../../backup-file/format.ts';
import { sequenceSql } from '../../backup-file/rows.ts';
import { decodeChunk } from '../../sqlite-file/chunks/codec.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import { translating } from '../../sqlite-file/errors.ts';
import {
  databaseNames,
  migratedSchema,
  type OwnTable,
} from '../../sqlite-file/schema/migrated-schema.ts';
import { schemaVersions } from '../../sqlite-file/schema/schema-versions.ts';
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
  progress(share: number): void;
}

/** Fills an empty store, inside the transaction of a session. The backup was checked, and its tables are those of this version. */
export async function fillFrom(
  source: FillingSource,
  session: PostgresSession,
  types: ColumnTypes,
): Promise<void> {
  const { backup, shown, damaged, migrationsFolder, progress } = source;
  const tables = databaseNames.flatMap(
    (name) => migratedSchema(name, schemaVersions[name], migrationsFolder).tables,
  );
  const { total, marks, waiting } = translating(shown, () => ({
    total: tables.reduce((sum, { name }) => sum + countOf(backup, name), 0),
    marks: carriedMarks(backup),
    waiting: waitingDrafts(backup),
  }));
  let done = 0;
  const copied = (rows: number) => {
    done += rows;
    progress(Math.min(1, done / Math.max(total, 1)));
  };
  for (const table of sourcesOf(backup, tables))
    await copyInto(session, types, table, { damaged, copied });
  await session.query('update audit_head set last_seq = $1', [lastAuditNumber(backup)]);
  // Those of the clock are of this database and its machines; any other counts something that was replaced.
  await session.run("delete from marks where name not like 'clock%'");
  for (const { name, value } of marks) {
    await session.query(
      `insert into marks (name, value) values ($1, $2)
        on conflict (name) do update set value = greatest(marks.value, excluded.value)`,
      [name, value],
    );
  }
  const last = `select setval(pg_get_serial_sequence('record_entities', 'number'), max(number)) from record_entities`;
  await session.run(last);
  // Mirrors have followed the store that is replaced: what they have seen since the backup may be undone.
  await session.query('insert into record_epoch (epoch) values ($1)', [
    randomBytes(6).toString('hex'),
  ]);
  for (const draft of waiting) await appendAudit(session, JSON.parse(draft));
}

/** How many rows of PostgreSQL a table of the backup has. */
function countOf(backup: Connection, table: string): number {
  const rows = table === 'chunks' ? 'total(count)' : 'count(*)';
  return Number(backup.prepare(`select ${rows} from "${table}"`).pluck().get());
}

/** The highest number ever assigned, which may be beyond the records that are left. */
function lastAuditNumber(backup: Connection): number {
  const sql = `select max(coalesce((select max(seq) from audit), 0), coalesce((select ${sequenceSql} from sqlite_sequence
    where name = 'audit'), 0))`;
  return Number(backup.prepare<[], unknown>(sql).pluck().get());
}

/** Characters that are sent at once. */
const chunkLength = 1 << 18;

/**
 * Copies rows into a table by COPY, inside the transaction of a session. Values come from a file of unknown origin, in which a column can hold anything: one that is
 * not of its column's type, or that PostgreSQL refuses, is the error of `damaged`. `copied` receives the number of rows.
 */
async function copyInto(
  session: PostgresSession,
  types: ColumnTypes,
  { table, columns, rows }: TableCopy,
  { damaged, copied }: { damaged(fault: string): HkctlError; copied(rows: number): void },
): Promise<void> {
  const ofDecimal = createDecimalWriter();
  const ofColumns = columns.map((column) => types.get(table)?.[column]);
  const wrong = () => damaged(`a row of ${table} has a value that is not of its column`);
  const listed = columns.map((column) => `"${column}"`).join(', ');
  const texts = function* () {
    let text = '';
    let count = 0;
    for (const row of rows) {
      count++;
      for (let i = 0; i < columns.length; i++) {
        const value = written(row[i], ofColumns[i], ofDecimal);
        if (value === undefined) throw wrong();
        text += i === 0 ? value : `\t${value}`;
      }
      text += '\n';
      if (text.length < chunkLength) continue;
      yield text;
      copied(count);
      text = '';
      count = 0;
    }
    if (text !== '') yield text;
    copied(count);
  };
  const statement = `copy "${table}" (${listed}) from stdin`;
  await copyRowsToServer(session, statement, texts()).catch((thrown: unknown) => {
    throw isOfRow(thrown) ? wrong() : thrown;
  });
}

/**
 * A value of a column as COPY takes it; undefined for one that is not of its type. PostgreSQL itself refuses a fraction in a column of
 * whole numbers, and anything but 0 and 1 for a boolean.
 */
function written(
  value: unknown,
  type: string | undefined,
  ofDecimal: (value: number) => string,
): string | undefined {
  if (value === null || value === undefined) return '\\N';
  if (type === 'text') return typeof value === 'string' ? escaped(value) : undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (type === 'numeric') return ofDecimal(value);
  // JavaScript writes a negative zero without its sign.
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Violations of a constraint and values out of range; not a character that PostgreSQL has no place for, which has its own message. */
function isOfRow(thrown: unknown): boolean {
  const code = errnoOf(isHkctlError(thrown) ? thrown.cause : thrown) ?? '';
  return /^2[23]...$/.test(code) && code !== '22021' && code !== '22P05';
}

/** The rows that a table receives. */
interface TableCopy {
  table: string;
  columns: readonly string[];
  rows: Iterable<readonly unknown[]>;
}

/** The rows of a checked backup for the tables of PostgreSQL, in an order in which references find their targets. */
function sourcesOf(backup: Connection, tables: readonly OwnTable[]): TableCopy[] {
  /** Each column with its value in SQL, and where rows come from. */
  const read = (
    table: string,
    values: Readonly<Record<string, string>>,
    from: string,
  ): TableCopy => {
    const sql = `${numbering} select ${Object.values(values).join(', ')} from ${from}`;
    return { table, columns: Object.keys(values), rows: rowsOf(backup, sql) };
  };
  const columnsOf = (name: string) => tables.find((table) => table.name === name)?.columns ?? [];
  const ownColumns = (columns: readonly string[]) =>
    Object.fromEntries(columns.map((column) => [column, `t."${column}"`]));
  const plain = (name: string, columns = columnsOf(name), order = 'rowid') =>
    read(name, ownColumns(columns), `${name} t order by ${order}`);
  const keys = columnsOf('keys').filter((column) => !usesOfKey.includes(column));
  const asJson = (name: string) =>
    `case when typeof(${name}) = 'text' then json_quote(${name}) else ${name} end`;
  const inTrail = columnsOf('audit').map(
    (name) => [name, jsonTexts.has(name) ? asJson(name) : name] as const,
  );
  const seriesOf = '(select count(*) from series where entity_id = id)';
  const sensors = 'numbered_series n join series s using (series)';
  return [
    plain('tenants'),
    plain('users'),
    plain('entities'),
    plain('keys', keys),
    read(
      'key_uses',
      { key_id: 'id', ...ownColumns(usesOfKey) },
      'keys t where last_used_at_ms is not null',
    ),
    read('audit', Object.fromEntries(inTrail), 'audit order by seq'),
    plain('key_usage', columnsOf('key_usage'), 'day, key_id'),
    plain('purges'),
    read(
      'record_entities',
      { number: 'number', entity_id: 'id', last_series: seriesOf },
      'numbered',
    ),
    read('series', { entity: 'n.entity', series: 'n.number', sensor_id: 's.sensor_id' }, sensors),
    read(
      'drops',
      { entity: 'n.number', until_us: 't.until_us' },
      'drops t join numbered n on n.id = t.entity_id',
    ),
    ...tables.flatMap(({ name, columns: [first = '', ...rest] }): TableCopy[] => {
      if (name === 'chunks')
        return [{ table: 'readings', columns: readingColumns, rows: readingsOf(backup) }];
      if (bySeries.has(name)) {
        return [
          read(
            name,
            { entity: 'n.entity', series: 'n.number', ...ownColumns(rest) },
            `${name} t ${ofSeries}`,
          ),
        ];
      }
      return first === 'entity'
        ? [read(name, { entity: 'n.number', ...ownColumns(rest) }, `"${name}" t ${ofEntity}`)]
        : [];
    }),
  ];
}

/** Columns of keys that PostgreSQL has in a table of their own. */
const usesOfKey = ['last_used_at_ms', 'last_used_ip'];
const readingColumns = ['entity', 'series', 'at_us', 'value', 'quality'];

/** SQLite numbers series over all entities, PostgreSQL by entity; the entities of a backup that have data are numbered anew. */
const numbering = `with ids as (
    select entity_id as id from record_entities union select entity_id from series union select entity_id from drops),
  numbered as materialized (select id, row_number() over (order by id) as number from ids),
  numbered_series as materialized (
    select s.series, n.number as entity, row_number() over (partition by s.entity_id order by s.series) as number
    from series s join numbered n on n.id = s.entity_id)`;
/** Rows of an entity or a sensor that the backup does not name get no number, which PostgreSQL refuses. */
const ofSeries = 'left join numbered_series n on n.series = t.series';
const ofEntity =
  'left join record_entities e on e.number = t.entity left join numbered n on n.id = e.entity_id';

/** The readings of the chunks in a checked backup. */
function* readingsOf(backup: Connection): Generator<readonly unknown[]> {
  const chunks = backup.prepare<
    [],
    { entity: number; number: number; count: number; body: Buffer }
  >(
    `${numbering} select n.entity, n.number, t.count, t.body from chunks t ${ofSeries} order by t.series, t.from_us`,
  );
  for (const { entity, number, count, body } of chunks.iterate()) {
    const { atUs, values, qualities } = decodeChunk(body, count);
    for (let i = 0; i < count; i++) yield [entity, number, atUs[i], values[i], qualities[i]];
  }
}

/** The rows of a query, which is run when they are read. */
function rowsOf(backup: Connection, query: string): Iterable<readonly unknown[]> {
  return { [Symbol.iterator]: () => backup.prepare<[], unknown[]>(query).raw().iterate() };
}

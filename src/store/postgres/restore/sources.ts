import { decodeChunk } from '../../sqlite-database/chunks/codec.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import type { OwnTable } from '../../sqlite-database/schema/migrated-schema.ts';
import { bySeries, jsonTexts } from '../backup/queries.ts';

/** The rows that a table receives. */
export interface TableCopy {
  table: string;
  columns: readonly string[];
  rows: Iterable<readonly unknown[]>;
}

/** The rows of a checked backup for the tables of PostgreSQL, in an order in which references find their targets. */
export function sourcesOf(backup: Connection, tables: readonly OwnTable[]): TableCopy[] {
  const read = (table: string, columns: readonly string[], sql: string): TableCopy => ({
    table,
    columns,
    rows: rowsOf(backup, sql),
  });
  const columnsOf = (name: string) => tables.find((table) => table.name === name)?.columns ?? [];
  const plain = (name: string, columns = columnsOf(name), order = 'rowid') =>
    read(name, columns, `select ${columns.map(quoted).join(', ')} from ${name} order by ${order}`);
  const keys = columnsOf('keys').filter((column) => !usesOfKey.includes(column));
  const uses = `select id, ${usesOfKey.join(', ')} from keys where last_used_at_ms is not null`;
  const audit = columnsOf('audit');
  const inTrail = audit.map((column) =>
    jsonTexts.has(column)
      ? `case when typeof(${column}) = 'text' then json_quote(${column}) else ${column} end`
      : column,
  );
  const numbers = `${numbering} select number, id, (select count(*) from series where entity_id = id) from numbered`;
  const series = `${numbering} select n.entity, n.number, s.sensor_id from numbered_series n join series s using (series)`;
  const drops = `${numbering} select n.number, d.until_us from drops d join numbered n on n.id = d.entity_id`;
  return [
    plain('tenants'),
    plain('users'),
    plain('entities'),
    plain('keys', keys),
    read('key_uses', ['key_id', ...usesOfKey], uses),
    read('audit', audit, `select ${inTrail.join(', ')} from audit order by seq`),
    plain('key_usage', columnsOf('key_usage'), 'day, key_id'),
    plain('purges'),
    read('record_entities', ['number', 'entity_id', 'last_series'], numbers),
    read('series', ['entity', 'series', 'sensor_id'], series),
    read('drops', ['entity', 'until_us'], drops),
    ...tables.flatMap(({ name, columns }): TableCopy[] => {
      if (name === 'chunks') return [{ table: 'readings', columns: readingColumns, rows: readingsOf(backup) }];
      const rest = columns.slice(1).map((column) => `t.${quoted(column)}`);
      if (bySeries.has(name)) {
        const sql = `${numbering} select ${['n.entity', 'n.number', ...rest].join(', ')} from ${name} t ${ofSeries}`;
        return [read(name, ['entity', ...columns], sql)];
      }
      if (columns[0] !== 'entity') return [];
      return [
        read(
          name,
          columns,
          `${numbering} select ${['n.number', ...rest].join(', ')} from ${quoted(name)} t ${ofEntity}`,
        ),
      ];
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
const ofEntity = 'left join record_entities e on e.number = t.entity left join numbered n on n.id = e.entity_id';

/** The readings of the chunks in a checked backup. */
function* readingsOf(backup: Connection): Generator<readonly unknown[]> {
  const chunks = backup.prepare<[], { entity: number; number: number; count: number; body: Buffer }>(
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

function quoted(name: string): string {
  return `"${name}"`;
}

import { qualities } from '../../../core/port/readings.ts';
import { readDroppedDay } from '../../sqlite-file/chunks/day-sums-codec.ts';
import type { OwnTable } from '../../sqlite-file/schema/migrated-schema.ts';
import type { PostgresSession } from '../connection/session.ts';
import { isShownMs, isShownUs, shownMs, shownUs } from '../connection/shown-instants.ts';
import { toSeries } from '../readings/writer/series-numbers.ts';
import { jsonTexts } from '../registry/statements.ts';

/** A row, its values in the order of the columns. */
export type Row = readonly unknown[];

/** How the rows of a table of a backup are read from PostgreSQL. */
interface TableQuery {
  /** The columns of the query are those of the table in the backup, in its order. */
  query: string;
  /** Makes of a row what SQLite stores, undefined of one that is left out. Throws if that is not possible. */
  toRow?(row: Row): Row | undefined;
}

/**
 * The query for a table of a backup, and undefined for one without rows. SQLite numbers series over all entities, PostgreSQL by entity:
 * `seriesNumbers` receives the numbers of series, which must be read first. The query for chunks returns readings, of which the caller
 * makes chunks.
 */
export function queryFor(
  { name: backupTable, columns: backupColumns }: OwnTable,
  columnTypes: ColumnTypes,
  seriesNumbers: Map<number, number>,
): TableQuery | undefined {
  const isChunks = backupTable === 'chunks';
  const tableName = isChunks ? 'readings' : backupTable;
  const columns = isChunks ? ['series', 'at_us', 'value', 'quality'] : backupColumns;
  const typeByColumn = columnTypes.get(tableName);
  // Daemons are of one machine.
  if (typeByColumn === undefined || tableName === 'daemons') return undefined;

  if (tableName === 'tenants') {
    return { query: `select ${columnList('t', columns)} from tenants t order by number` };
  }
  if (tableName === 'keys') return { query: keysQuery(columns) };
  if (tableName === 'key_usage') {
    return {
      query: `select ${columnList('u', columns)} from key_usage u order by day, key_id, kind, code`,
    };
  }
  if (tableName === 'marks') {
    return {
      query: `select name, value from marks where name = 'clock_seen_ms' and ${isShownMs('value')}`,
    };
  }
  if (tableName === 'audit') {
    const isJsonText = columns.map((column) => jsonTexts.has(column));
    return {
      query: `select ${columnList('a', columns)} from audit a order by seq`,
      toRow: (row) => row.map((value, index) => (isJsonText[index] ? parseJsonText(value) : value)),
    };
  }
  if (tableName === 'drops') {
    return {
      query: `select e.entity_id, ${shownUs('d.until_us')}
        from drops d join record_entities e on e.number = d.entity order by 1`,
    };
  }
  if (tableName === 'series') {
    const query = `select s.entity, s.series, e.entity_id, s.sensor_id from series s
      join record_entities e on e.number = s.entity order by 1, 2`;
    const numberSeries = (series: number) => {
      const nextNumber = seriesNumbers.size + 1;
      return seriesNumbers.set(series, nextNumber).size;
    };
    return {
      query,
      toRow: ([entity, series, ...otherValues]) => [
        numberSeries(toSeries(Number(entity), Number(series))),
        ...otherValues,
      ],
    };
  }
  if (bySeries.has(tableName)) {
    const [, ...otherColumns] = columns;
    const conditions = otherColumns.flatMap((column) =>
      storableConditions(typeByColumn[column], `t."${column}"`),
    );
    const query = `select t.entity, t.series, ${columnList('t', otherColumns)}
      from ${tableName} t where ${conditions.join(' and ')}
      order by t.entity, t.series, t."${otherColumns[0]}"`;
    // Null for a sensor without a number, which no table of a backup takes.
    const numberOf = (series: number) => seriesNumbers.get(series) ?? null;
    return {
      query,
      toRow: ([entity, series, ...otherValues]) => {
        const [dayUs, droppedUs, body] = otherValues;
        // No restore would accept what another program has written.
        if (tableName === 'day_sums' && !readDroppedDay({ dayUs, droppedUs, body }))
          return undefined;
        return [numberOf(toSeries(Number(entity), Number(series))), ...otherValues];
      },
    };
  }

  const orderColumns = columns.filter((column) => idColumns.has(column));
  const orderClause = orderColumns.length > 0 ? ` order by ${columnList('t', orderColumns)}` : '';
  return {
    query: `select ${columnList('t', columns)} from "${tableName}" t${orderClause}`,
    toRow: (row) => row.map(withoutBoolean),
  };
}

/** SQLite has no booleans. */
function withoutBoolean(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

function columnList(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}."${column}"`).join(', ');
}

/**
 * SQL that is true for values that hkctl itself can have written. The log-in of a daemon can write others, which no restore would
 * accept: they are left out.
 */
function storableConditions(columnType: string | undefined, column: string): string[] {
  if (columnType === 'bigint') return [isShownUs(column)];
  if (columnType === 'smallint') return [`${column} between 0 and ${qualities.length}`];
  if (columnType === 'double precision') {
    return [`(${column} is null or abs(${column}) <= ${Number.MAX_VALUE})`];
  }
  return [];
}

/** Tables whose rows belong to a series of readings; up to version 10 the sums of dropped ones are summaries. */
export const bySeries: ReadonlySet<string> = new Set([
  'readings',
  'heartbeats',
  'summaries',
  'day_sums',
]);

/** The columns that order the rows of the other tables, in the order in which SQLite keeps them. */
const idColumns: ReadonlySet<string> = new Set(['entity', 'resource', 'id', 'entity_id', 'number']);

function keysQuery(columns: readonly string[]): string {
  const useColumns: ReadonlySet<string> = new Set(['last_used_at_ms', 'last_used_ip']);
  const useExpression = (column: string) =>
    column === 'last_used_at_ms' ? shownMs(`u."${column}"`) : `u."${column}"`;
  const expressions = columns.map((column) =>
    useColumns.has(column) ? useExpression(column) : `k."${column}"`,
  );
  return `select ${expressions.join(', ')}
    from keys k left join key_uses u on u.key_id = k.id
    order by k.created_at_ms, k.id`;
}

function parseJsonText(jsonText: unknown): unknown {
  return jsonText === null ? null : JSON.parse(String(jsonText));
}

/** For each table of the store the types of its columns, as PostgreSQL names them, such as `bigint`. */
export type ColumnTypes = ReadonlyMap<string, Readonly<Record<string, string>>>;

export async function readColumnTypes(session: PostgresSession): Promise<ColumnTypes> {
  const tableRows = await session.query<{ table: string; types: Record<string, string> }>(
    `select c.relname as table, json_object_agg(a.attname, format_type(a.atttypid, null)) as types
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace::oid and c.relkind in ('r', 'p')
        and a.attnum > 0 and not a.attisdropped
      group by 1 order by 1`,
  );
  return new Map(tableRows.map(({ table, types }) => [table, types]));
}

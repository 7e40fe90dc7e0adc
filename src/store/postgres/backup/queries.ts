import { qualities } from '../../../core/port/readings.ts';
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
  /** Makes of a row what SQLite stores. Throws if that is not possible. */
  toRow?(row: Row): Row;
}

/** Tables of a backup that PostgreSQL has no rows for: they are of one machine, of several files, or of no backup. */
const withoutRows: ReadonlySet<string> = new Set(['daemons', 'audit_outbox', 'log', 'day_sums']);

/**
 * The query for a table of a backup, and undefined for one without rows. SQLite numbers series over all entities, PostgreSQL by entity:
 * `numbers` receives those of series, which must be read first. The query for chunks returns readings, of which the caller makes chunks.
 */
export function queryFor(
  { name: ofBackup, columns: inBackup }: OwnTable,
  allTypes: ColumnTypes,
  numbers: Map<number, number>,
): TableQuery | undefined {
  const isChunks = ofBackup === 'chunks';
  const name = isChunks ? 'readings' : ofBackup;
  const columns = isChunks ? ['series', 'at_us', 'value', 'quality'] : inBackup;
  const types = allTypes.get(name) ?? {};
  if (withoutRows.has(name)) return undefined;
  const listed = (alias: string) => columns.map((column) => `${alias}."${column}"`).join(', ');
  if (name === 'tenants') return { query: `select ${listed('t')} from tenants t order by number` };
  if (name === 'keys') return { query: keysQuery(columns) };
  if (name === 'key_usage')
    return { query: `select ${listed('u')} from key_usage u order by day, key_id, kind, code` };
  if (name === 'marks') {
    return {
      query: `select name, value from marks where name = 'clock_seen_ms' and ${isShownMs('value')}`,
    };
  }
  if (name === 'audit') {
    const isText = columns.map((column) => jsonTexts.has(column));
    const toRow = (row: Row) => row.map((value, i) => (isText[i] ? parsedText(value) : value));
    return { query: `select ${listed('a')} from audit a order by seq`, toRow };
  }
  if (name === 'drops') {
    return {
      query: `select e.entity_id, ${shownUs('d.until_us')} from drops d join record_entities e on e.number = d.entity order by 1`,
    };
  }
  if (name === 'series') {
    const query = `select s.entity, s.series, e.entity_id, s.sensor_id from series s
      join record_entities e on e.number = s.entity order by 1, 2`;
    const add = (series: number) => numbers.set(series, numbers.size + 1).size;
    return {
      query,
      toRow: ([entity, series, ...rest]) => [
        add(toSeries(Number(entity), Number(series))),
        ...rest,
      ],
    };
  }
  if (bySeries.has(name)) {
    const [, ...rest] = columns;
    const storable = rest.flatMap((column) => storableIn(types[column], `t."${column}"`));
    const query = `select t.entity, t.series, ${rest.map((column) => `t."${column}"`).join(', ')}
      from ${name} t where ${storable.join(' and ')} order by t.entity, t.series, t."${rest[0]}"`;
    // Null for a sensor without a number, which no table of a backup takes.
    const numberOf = (series: number) => numbers.get(series) ?? null;
    return {
      query,
      toRow: ([entity, series, ...rest]) => [
        numberOf(toSeries(Number(entity), Number(series))),
        ...rest,
      ],
    };
  }
  const ids = columns.filter((column) => idColumns.has(column)).map((column) => `t."${column}"`);
  const query = `select ${listed('t')} from "${name}" t${ids.length > 0 ? ` order by ${ids.join(', ')}` : ''}`;
  // SQLite has no booleans.
  return {
    query,
    toRow: (row) => row.map((value) => (typeof value === 'boolean' ? Number(value) : value)),
  };
}

/**
 * SQL that is true for values that hkctl itself can have written. The log-in of a daemon can write others, which no restore would
 * accept: they are left out.
 */
function storableIn(type: string | undefined, column: string): string[] {
  if (type === 'bigint') return [isShownUs(column)];
  if (type === 'smallint') return [`${column} between 0 and ${qualities.length}`];
  return type === 'double precision'
    ? [`(${column} is null or abs(${column}) <= ${Number.MAX_VALUE})`]
    : [];
}

/** Tables whose rows belong to a series of readings. */
export const bySeries: ReadonlySet<string> = new Set(['readings', 'heartbeats', 'summaries']);

/** The columns that order the rows of the other tables, in the order in which SQLite keeps them. */
const idColumns: ReadonlySet<string> = new Set(['entity', 'resource', 'id', 'entity_id', 'number']);

function keysQuery(columns: readonly string[]): string {
  const ofUses: ReadonlySet<string> = new Set(['last_used_at_ms', 'last_used_ip']);
  const ofUse = (column: string) =>
    column === 'last_used_at_ms' ? shownMs(`u."${column}"`) : `u."${column}"`;
  const listed = columns
    .map((column) => (ofUses.has(column) ? ofUse(column) : `k."${column}"`))
    .join(', ');
  return `select ${listed} from keys k left join key_uses u on u.key_id = k.id order by k.created_at_ms, k.id`;
}

function parsedText(value: unknown): unknown {
  return value === null ? null : JSON.parse(String(value));
}

/** For each table of the store the types of its columns, as PostgreSQL names them, such as `bigint`. */
export type ColumnTypes = ReadonlyMap<string, Readonly<Record<string, string>>>;

export async function readColumnTypes(session: PostgresSession): Promise<ColumnTypes> {
  const rows = await session.query<{ table: string; types: Record<string, string> }>(
    `select c.relname as table, json_object_agg(a.attname, format_type(a.atttypid, null)) as types
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace::oid and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      group by 1 order by 1`,
  );
  return new Map(rows.map(({ table, types }) => [table, types]));
}

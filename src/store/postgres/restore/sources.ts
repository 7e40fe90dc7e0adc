import type { HkctlError } from '../../../core/errors.ts';
import { decodeChunk } from '../../sqlite-database/chunks/codec.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import type { OwnTable } from '../../sqlite-database/schema/migrated-schema.ts';
import { bySeries, jsonTexts } from '../backup/queries.ts';
import type { TableCopy } from './copying.ts';

/** The rows of the registry in a backup, in an order in which references find their targets. */
export function registrySources(backup: Connection, tables: readonly OwnTable[]): TableCopy[] {
  const columnsOf = (name: string, without: readonly string[] = []) =>
    (tables.find((table) => table.name === name)?.columns ?? []).filter((column) => !without.includes(column));
  const plain = (table: string, columns = columnsOf(table), order = 'rowid') =>
    sourceOf(backup, table, columns, `order by ${order}`);
  const ofUses = ['last_used_at_ms', 'last_used_ip'];
  const audit = plain('audit', columnsOf('audit'), 'seq');
  const isText = audit.columns.map((column) => jsonTexts.has(column));
  return [
    plain('tenants'),
    plain('users'),
    plain('entities'),
    plain('keys', columnsOf('keys', ofUses)),
    {
      table: 'key_uses',
      columns: ['key_id', ...ofUses],
      rows: rowsOf(backup, 'select id, last_used_at_ms, last_used_ip from keys where last_used_at_ms is not null'),
    },
    {
      ...audit,
      rows: mapped(audit.rows, (row) =>
        row.map((value, i) => (isText[i] && typeof value === 'string' ? JSON.stringify(value) : value)),
      ),
    },
    plain('key_usage', columnsOf('key_usage'), 'day, key_id'),
    plain('purges'),
  ];
}

/** The number of each entity of a backup that has records or readings, from 1 on, and those of its series. */
export class EntityNumbering {
  /** By id. */
  readonly entities = new Map<string, number>();
  /** By the number in the backup: the entity's, and the one inside the entity. */
  readonly series = new Map<number, readonly [entity: number, series: number]>();
  readonly #byOldNumber = new Map<number, number>();
  readonly #lastSeries = new Map<number, number>();

  constructor(backup: Connection) {
    const known = 'select number, entity_id as id from record_entities order by number';
    for (const { number, id } of backup.prepare<[], { number: number; id: string }>(known).all()) {
      this.#byOldNumber.set(number, this.#numberOf(id));
    }
    const series = 'select series, entity_id as id from series order by series';
    for (const row of backup.prepare<[], { series: number; id: string }>(series).iterate()) {
      const entity = this.#numberOf(row.id);
      const next = (this.#lastSeries.get(entity) ?? 0) + 1;
      this.#lastSeries.set(entity, next);
      this.series.set(row.series, [entity, next]);
    }
    for (const id of backup.prepare<[], string>('select entity_id from drops order by 1').pluck().all())
      this.#numberOf(id);
  }

  /** The number of the entity that had another one in the backup; undefined where the backup names none. */
  renumbered(old: number): number | undefined {
    return this.#byOldNumber.get(old);
  }

  /** Rows of `record_entities`. */
  *rows(): Iterable<readonly unknown[]> {
    for (const [id, number] of this.entities) yield [number, id, this.#lastSeries.get(number) ?? 0];
  }

  #numberOf(id: string): number {
    const known = this.entities.get(id);
    if (known !== undefined) return known;
    const next = this.entities.size + 1;
    this.entities.set(id, next);
    return next;
  }
}

/** Tables of records and readings that have rows of their own in `plantSources`, or none. */
const special: ReadonlySet<string> = new Set([
  'record_entities',
  'record_epoch',
  'audit_outbox',
  'series',
  'drops',
  'log',
]);
const readingColumns = ['entity', 'series', 'at_us', 'value', 'quality'];

/** The rows of records and readings in a backup, with their entities and series numbered anew. */
export function plantSources(
  backup: Connection,
  tables: readonly OwnTable[],
  numbers: EntityNumbering,
  damaged: (what: string) => HkctlError,
): TableCopy[] {
  const strange = (table: string) => damaged(`${table} holds rows of an entity or a sensor that it does not name`);
  const sources = tables
    .filter(({ name }) => !special.has(name))
    .map(({ name, columns }): TableCopy => {
      if (name === 'chunks') {
        return { table: 'readings', columns: readingColumns, rows: readingRows(backup, numbers, strange) };
      }
      const { rows } = sourceOf(backup, name, columns);
      if (bySeries.has(name)) {
        const ofSeries = mapped(rows, ([old, ...values]) => {
          const [entity, series] = numbers.series.get(Number(old)) ?? [];
          if (entity === undefined) throw strange(name);
          return [entity, series, ...values];
        });
        return { table: name, columns: ['entity', ...columns], rows: ofSeries };
      }
      const ofEntity = mapped(rows, ([old, ...values]) => {
        const entity = numbers.renumbered(Number(old));
        if (entity === undefined) throw strange(name);
        return [entity, ...values];
      });
      return { table: name, columns, rows: ofEntity };
    });
  const series = mapped(rowsOf(backup, 'select series, sensor_id from series order by series'), ([old, sensor]) => [
    ...(numbers.series.get(Number(old)) ?? []),
    sensor,
  ]);
  const drops = mapped(rowsOf(backup, 'select entity_id, until_us from drops'), ([id, untilUs]) => [
    numbers.entities.get(String(id)),
    untilUs,
  ]);
  return [
    { table: 'record_entities', columns: ['number', 'entity_id', 'last_series'], rows: numbers.rows() },
    { table: 'series', columns: ['entity', 'series', 'sensor_id'], rows: series },
    { table: 'drops', columns: ['entity', 'until_us'], rows: drops },
    ...sources,
  ];
}

/** The readings of the chunks in a checked backup. */
function* readingRows(
  backup: Connection,
  numbers: EntityNumbering,
  strange: (table: string) => HkctlError,
): Generator<readonly unknown[]> {
  const chunks = backup.prepare<[], { series: number; count: number; body: Buffer }>(
    'select series, count, body from chunks order by series, from_us',
  );
  for (const { series, count, body } of chunks.iterate()) {
    const [entity, number] = numbers.series.get(series) ?? [];
    if (entity === undefined) throw strange('chunks');
    const { atUs, values, qualities } = decodeChunk(body, count);
    for (let i = 0; i < count; i++) yield [entity, number, atUs[i], values[i], qualities[i]];
  }
}

function sourceOf(backup: Connection, table: string, columns: readonly string[], order = ''): TableCopy {
  const listed = columns.map((column) => `"${column}"`).join(', ');
  return { table, columns, rows: rowsOf(backup, `select ${listed} from "${table}" ${order}`) };
}

/** The rows of a query, which is run when they are read. */
function rowsOf(backup: Connection, query: string): Iterable<readonly unknown[]> {
  return { [Symbol.iterator]: () => backup.prepare<[], unknown[]>(query).raw().iterate() };
}

function mapped(
  rows: Iterable<readonly unknown[]>,
  map: (row: readonly unknown[]) => readonly unknown[],
): Iterable<readonly unknown[]> {
  return {
    *[Symbol.iterator]() {
      for (const row of rows) yield map(row);
    },
  };
}

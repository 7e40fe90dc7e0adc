import type { Connection } from '../sqlite-file/driver.ts';
import { createErasure } from './readings/erasure.ts';
import type { StoredReadings } from './readings/stored.ts';
import { entityNumber } from './records/pages.ts';
import type { Registry } from './registry/registry.ts';

interface OpenedReadings {
  connection: Connection;
  stored: StoredReadings;
}

/** Deletes the records and readings of removed entities; continues a purge that a crash interrupted. */
export function purgeRemoved(
  registry: Registry,
  records: () => Connection,
  readings: () => OpenedReadings,
): void {
  const selectRemoved = registry.connection
    .prepare<[], string>('select entity_id from purges')
    .pluck();
  for (const entityId of registry.read(() => selectRemoved.all())) {
    purgeRecords(records(), entityId);
    purgeReadings(readings(), entityId);
    registry.change(() =>
      registry.connection.prepare('delete from purges where entity_id = ?').run(entityId),
    );
  }
}

function purgeRecords(connection: Connection, entityId: string): void {
  const tables = connection
    .prepare<[], string>(
      `select m.name
       from sqlite_master m
       join pragma_table_info(m.name) c on c.name = 'entity'
       where m.type = 'table'`,
    )
    .pluck()
    .all();
  const deleteRecords = () => {
    for (const table of tables)
      connection.prepare(`delete from "${table}" where entity = ${entityNumber}`).run(entityId);
    connection.prepare('delete from record_entities where entity_id = ?').run(entityId);
  };
  connection.transaction(deleteRecords).immediate();
}

/** Rows deleted in one transaction, so that ingest of other entities can commit in between. */
const rowsPerStep = 20_000;

function purgeReadings({ connection, stored }: OpenedReadings, entityId: string): void {
  const selectSeries = connection
    .prepare<[string], number>('select series from series where entity_id = ?')
    .pluck();
  const deleteSeries = connection.prepare<[number]>('delete from series where series = ?');
  const { erase } = createErasure(stored);
  const timeColumns = { heartbeats: 'at_us', day_sums: 'day_us' };
  const deletions = Object.entries(timeColumns).map(([table, timeColumn]) =>
    connection.prepare<[number, number]>(
      `delete from ${table}
       where series = ? and ${timeColumn} in (
         select ${timeColumn}
         from ${table}
         where series = ?
         order by ${timeColumn}
         limit ${rowsPerStep}
       )`,
    ),
  );

  for (const series of selectSeries.all(entityId)) {
    erase({ series, fromUs: Number.NEGATIVE_INFINITY, toUs: Number.POSITIVE_INFINITY });
    for (const deletion of deletions) {
      while (deletion.run(series, series).changes === rowsPerStep);
    }
    // Last, since an interrupted purge finds the remaining data by this row.
    deleteSeries.run(series);
  }
  connection.prepare<[string]>('delete from drops where entity_id = ?').run(entityId);
}

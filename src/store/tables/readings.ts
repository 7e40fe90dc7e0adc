import type { TableKit } from './kits/sqlite.ts';

type OwnKey = Record<string, ReturnType<ReturnType<TableKit['integer']>['notNull']>>;

/** Heartbeats in order of sensor and time; `ofEntity` comes first in the key of an engine that numbers sensors by entity. */
export function heartbeatTable(
  { table, text, integer, wholeNumber, real, primaryKey }: TableKit,
  ofEntity: OwnKey = {},
) {
  // The migrations of SQLite add WITHOUT ROWID: drizzle has no option for it.
  return table(
    'heartbeats',
    {
      ...ofEntity,
      series: integer('series').notNull(),
      atUs: wholeNumber('at_us').notNull(),
      status: text('status'),
      battery: real('battery'),
      signal: real('signal'),
      firmware: text('firmware'),
    },
    ({ series, atUs, ...others }) => {
      const ofOthers = Object.keys(ofEntity).map((name) => others[name as keyof typeof others]);
      return [primaryKey({ columns: [...ofOthers, series, atUs] as never })]; // of one table
    },
  );
}

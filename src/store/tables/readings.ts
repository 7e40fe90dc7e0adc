import type { TableKit } from './kits/sqlite.ts';

type OwnKey = Record<string, ReturnType<ReturnType<TableKit['integer']>['notNull']>>;

/** What both engines keep by sensor and time. `ofEntity` comes first in the keys of an engine that numbers sensors by entity. */
export function readingTables(
  { table, text, integer, wholeNumber, real, primaryKey }: TableKit,
  ofEntity: () => OwnKey = () => ({}),
) {
  /** The first columns of a table are its key. */
  const key = <Column>(columns: Record<string, Column>) => {
    const [first, ...rest] = Object.values(columns).slice(0, Object.keys(ofEntity()).length + 2);
    if (first === undefined) throw new Error('the table has no column');
    return primaryKey({ columns: [first, ...rest] as never }); // of one table
  };

  /** Heartbeats in order of sensor and time. The migrations of SQLite add WITHOUT ROWID: drizzle has no option for it. */
  const heartbeats = table(
    'heartbeats',
    {
      ...ofEntity(),
      series: integer('series').notNull(),
      atUs: wholeNumber('at_us').notNull(),
      status: text('status'),
      battery: real('battery'),
      signal: real('signal'),
      firmware: text('firmware'),
    },
    (columns) => [key(columns)],
  );

  /** Hourly summaries of dropped readings in order of sensor and time; likewise WITHOUT ROWID. */
  const summaries = table(
    'summaries',
    {
      ...ofEntity(),
      series: integer('series').notNull(),
      hourUs: wholeNumber('hour_us').notNull(),
      count: wholeNumber('count').notNull(),
      min: real('min').notNull(),
      max: real('max').notNull(),
      mean: real('mean').notNull(),
      first: real('first').notNull(),
      last: real('last').notNull(),
      /** The sum of the values that a smaller one follows, so that `last - first + fallen` is what a counter has grown by. */
      fallen: real('fallen').notNull().default(0),
      firstAtUs: wholeNumber('first_at_us').notNull(),
      lastAtUs: wholeNumber('last_at_us').notNull(),
    },
    (columns) => [key(columns)],
  );

  return { heartbeats, summaries };
}

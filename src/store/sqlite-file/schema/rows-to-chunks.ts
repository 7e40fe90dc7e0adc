import { createColumns } from '../../../core/readings/columns.ts';
import { damaged } from '../chunks/bytes.ts';
import { Chunks } from '../chunks/chunks.ts';
import { isReading } from '../chunks/verification.ts';
import type { Connection } from '../driver.ts';

/** Readings that are read at once, a multiple of those in a chunk: some hundredths of a second. */
const rowsAtOnce = 65_536;

/** Where the readings of an older store, a row each, are, and where their chunks go. */
interface Conversion {
  from: Connection;
  to: Connection;
  done?: { series: number; atUs: number } | undefined;
}

/** Yields the number of readings in each piece that is in chunks then, and the share of series done, from 0 to 1. */
export function* rowsToChunks({
  from,
  to,
  done,
}: Conversion): Generator<{ count: number; share: number }> {
  const chunks = new Chunks(to);
  const { nextSeries, lastSeries, firstUs, lastUs, piece, columns } = prepare(from);
  let series: unknown = done?.series ?? nextSeries.get(Number.NEGATIVE_INFINITY);
  let atUs = done?.atUs ?? Number.NEGATIVE_INFINITY;
  for (; series !== undefined; series = nextSeries.get(series)) {
    if (!isSeries(series)) throw damaged();
    const startUs = firstUs.get(series) ?? 0;
    const spanUs = (lastUs.get(series) ?? 0) - startUs + 1;
    do {
      columns.count = 0;
      piece.get(series, atUs);
      chunks.add(series, columns);
      atUs = columns.atUs[columns.count - 1] ?? atUs;
      yield {
        count: columns.count,
        share: (series - 1 + (atUs - startUs) / spanUs) / (lastSeries.get() ?? 1),
      };
    } while (columns.count === rowsAtOnce);
    atUs = Number.NEGATIVE_INFINITY;
  }
}

function isSeries(series: unknown): series is number {
  return Number.isSafeInteger(series);
}

function prepare(from: Connection) {
  const columns = createColumns(rowsAtOnce);
  // The driver calls a function four times as fast as it makes arrays of rows.
  from.function(
    'collect_reading',
    { directOnly: true },
    (atUs: unknown, value: unknown, quality: unknown) => {
      if (!isReading(atUs, value, quality)) throw damaged();
      columns.atUs[columns.count] = Number(atUs);
      columns.values[columns.count] = Number(value);
      columns.qualities[columns.count++] = Number(quality);
      return 0;
    },
  );
  const one = <Given extends unknown[], Value = number>(sql: string) =>
    from.prepare<Given, Value>(sql).pluck();
  return {
    columns,
    nextSeries: one<[unknown], unknown>(
      `select series from readings where series > ? order by series limit 1`,
    ),
    lastSeries: one<[]>(`select series from readings order by series desc limit 1`),
    firstUs: one<[number]>(`select at_us from readings where series = ? order by at_us limit 1`),
    lastUs: one<[number]>(
      `select at_us from readings where series = ? order by at_us desc limit 1`,
    ),
    piece: one<[number, number]>(
      `select count(collect_reading(at_us, value, quality)) from
        (select at_us, value, quality from readings where series = ? and at_us > ? order by at_us limit ${rowsAtOnce})`,
    ),
  };
}

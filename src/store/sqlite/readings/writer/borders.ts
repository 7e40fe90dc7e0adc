import { readingColumns as columns } from '../../../../core/port/readings.ts';
import type { Connection } from '../../connection/driver.ts';

/** The borders before which readings were dropped: a repeated reading from before one would count twice in its summary. */
export class Borders {
  readonly #latest: () => number | null | undefined;
  readonly #ofSeries: (series: number) => number | undefined;

  constructor(connection: Connection) {
    const latest = connection.prepare<[], number | null>('select max(until_us) from drops').pluck();
    const ofSeries = connection
      .prepare<[number], number>(
        'select until_us from series join drops on drops.entity_id = series.entity_id where series = ?',
      )
      .pluck();
    this.#latest = () => latest.get();
    this.#ofSeries = (series) => ofSeries.get(series);
  }

  /** The latest border of all entities; no reading after it needs a further check. Infinitely early where there is none. */
  latest(): number {
    return this.#latest() ?? Number.NEGATIVE_INFINITY;
  }

  /** The numbers of the rows that lie before the border of their entity; undefined where none does. */
  tooOld(rows: Float64Array, latestUs: number): ReadonlySet<number> | undefined {
    if (latestUs === Number.NEGATIVE_INFINITY) return undefined;
    let found: Set<number> | undefined;
    let borders: Map<number, number> | undefined;
    for (let place = 1; place < rows.length; place += columns) {
      const atUs = rows[place] ?? 0;
      if (atUs >= latestUs) continue;
      borders ??= new Map();
      const series = rows[place - 1] ?? 0;
      const known = borders.get(series);
      const border = known ?? this.#ofSeries(series) ?? Number.NEGATIVE_INFINITY;
      if (known === undefined) borders.set(series, border);
      if (atUs >= border) continue;
      found ??= new Set();
      found.add((place - 1) / columns);
    }
    return found;
  }
}

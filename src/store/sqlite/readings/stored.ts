import type { SliceRow } from '../../../core/readings/reads/slice-request.ts';
import type { Connection, Transaction } from '../connection/driver.ts';
import { type ChunkSizes, Chunks } from './chunks/chunks.ts';
import { ReadingLog } from './log/log.ts';
import type { Removal } from './log/rows.ts';

/**
 * The readings of a store on one connection: chunks, and the log with what is not in chunks yet. There is one such object for a
 * connection. Its methods run inside a transaction that began with `refresh`.
 */
export class StoredReadings {
  readonly log: ReadingLog;
  readonly chunks: Chunks;
  readonly #transaction: Transaction<(work: () => unknown) => unknown>;

  constructor(connection: Connection, sizes?: ChunkSizes) {
    this.chunks = new Chunks(connection, sizes);
    this.log = new ReadingLog(connection, () => this.chunks.forget());
    this.#transaction = connection.transaction((work) => {
      this.log.refresh();
      return work();
    });
  }

  /** Runs something that reads, in a transaction that sees what every process has written. */
  reading<T>(work: () => T): T {
    return this.#transaction(work) as T; // what work returns
  }

  /** Runs something that writes, in a transaction; if it fails nothing is changed. */
  writing<T>(work: () => T): T {
    try {
      return this.#transaction.immediate(work) as T; // what work returns
    } catch (thrown) {
      this.log.discard();
      this.chunks.forget();
      throw thrown;
    }
  }

  /** The readings of a range in order of time, at most a number of them. */
  rows(series: number, fromUs: number, toUs: number, limit: number): SliceRow[] {
    const rows: SliceRow[] = [];
    const logged = this.log.memory.get(series)?.range(fromUs, toUs, limit);
    let next = 0;
    const takeLogged = (untilUs: number) => {
      for (; logged && next < logged.count && rows.length < limit; next++) {
        const atUs = logged.atUs[next] ?? 0;
        if (atUs >= untilUs) return;
        rows.push([atUs, logged.values[next] ?? 0, logged.qualities[next] ?? 0]);
      }
    };
    for (const { columns, from, to } of this.chunks.read(series, fromUs, toUs)) {
      for (let place = from; place < to && rows.length < limit; place++) {
        const atUs = columns.atUs[place] ?? 0;
        takeLogged(atUs);
        if (rows.length === limit) return rows;
        // In both while the log has not been trimmed.
        if (logged && logged.atUs[next] === atUs && next < logged.count) next++;
        rows.push([atUs, columns.values[place] ?? 0, columns.qualities[place] ?? 0]);
      }
      if (rows.length === limit) return rows;
    }
    takeLogged(Number.POSITIVE_INFINITY);
    return rows;
  }

  /** The last reading of a series. */
  last(series: number): SliceRow | undefined {
    const lastUs = Math.max(
      this.chunks.lastUs(series),
      this.log.memory.get(series)?.lastUs ?? Number.NEGATIVE_INFINITY,
    );
    return this.rows(series, lastUs, Number.POSITIVE_INFINITY, 1)[0];
  }

  /** The instant of the first reading of a series; undefined without one. */
  firstUs(series: number): number | undefined {
    const loggedUs = this.log.memory.get(series)?.firstUs;
    const settledUs = this.chunks.firstUs(series);
    if (loggedUs === undefined || settledUs === undefined) return loggedUs ?? settledUs;
    return Math.min(loggedUs, settledUs);
  }

  /** How many readings a range has. */
  count(series: number, fromUs: number, toUs: number): number {
    let count = this.chunks.count(series, fromUs, toUs);
    const logged = this.log.memory.get(series)?.range(fromUs, toUs);
    if (!logged) return count;
    const settledUs = this.chunks.lastUs(series);
    for (let place = 0; place < logged.count; place++) {
      const atUs = logged.atUs[place] ?? 0;
      if (atUs > settledUs || this.chunks.valueAt(series, atUs) === undefined) count++;
    }
    return count;
  }

  /** Removes ranges. */
  remove(removals: readonly Removal[]): void {
    for (const { series, fromUs, toUs } of removals) this.chunks.remove(series, fromUs, toUs);
    this.log.remove(removals);
  }
}

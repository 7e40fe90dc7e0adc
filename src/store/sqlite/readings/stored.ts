import { type ReadingBatch, readingColumns } from '../../../core/port/readings.ts';
import {
  type Columns,
  createColumns,
  type Piece,
  partOf,
  placeOf,
} from '../../../core/readings/columns.ts';
import { bucketStart } from '../../../core/readings/reads/bucket-spans.ts';
import { type BackwardRequest, newestOf } from '../../../core/readings/reads/newest.ts';
import { dayUs, quarterUs, type SummedPiece } from '../../../core/readings/reads/quarters.ts';
import type { SliceRange } from '../../../core/readings/reads/slice-request.ts';
import { type ChunkOptions, Chunks, merge } from '../../sqlite-file/chunks/chunks.ts';
import type { Connection, Transaction } from '../../sqlite-file/driver.ts';
import type { Reserve } from '../connection/reserve.ts';
import { ReadingLog } from './log/log.ts';
import { loggedFor } from './log/logged.ts';
import type { Removal } from './log/rows.ts';
import type { SeriesMemory, TimedReading } from './log/series-memory.ts';

/** The chunks of a store, and the log with what is not in them yet: one object for a connection. */
export class StoredReadings {
  readonly log: ReadingLog;
  readonly chunks: Chunks;
  readonly #reserve: Reserve | undefined;
  #readsOnce = true;
  readonly #transaction: Transaction<(work: () => unknown) => unknown>;

  /** `reserve` is the one of a store in use, without which nothing is written. */
  constructor(
    connection: Connection,
    { reserve, ...ofChunks }: ChunkOptions & { reserve?: Reserve | undefined } = {},
  ) {
    this.#reserve = reserve;
    this.chunks = new Chunks(connection, ofChunks);
    this.log = new ReadingLog(connection, () => this.chunks.forget());
    this.#transaction = connection.transaction((work) => work());
  }

  /** Runs something that reads, in a transaction that sees what every process has written. */
  reading<T>(work: () => T): T {
    return this.#transaction(() => this.#refreshed(work)) as T; // what work returns
  }

  /** Runs something that reads and was given what it needs of the log, which is not kept in memory here then. */
  readingChunks<T>(work: () => T): T {
    if (this.log.memory.count > 0) this.log.discard();
    return this.#transaction(work) as T; // what work returns
  }

  /** Runs something that writes, in a transaction; if it fails nothing is changed. */
  writing<T>(work: () => T): T {
    this.#reserve?.requireWhole();
    try {
      return this.#transaction.immediate(() => this.#refreshed(work)) as T; // what work returns
    } catch (thrown) {
      this.log.discard();
      this.chunks.forget();
      throw thrown;
    }
  }

  #refreshed<T>(work: () => T): T {
    this.#readsOnce = false;
    this.log.refresh();
    return work();
  }

  /** The readings of a range in order of time. Each piece holds until the next one is read. */
  *read(
    series: number,
    fromUs: number,
    toUs: number,
    logged: LoggedSeries | undefined = this.log.memory.get(series),
  ): Generator<Piece> {
    let nextUs = fromUs;
    for (const { columns, from, to } of this.chunks.read(series, fromUs, toUs)) {
      const endUs = (columns.atUs[to - 1] ?? 0) + 1;
      let place = from;
      // Late readings, and those that were compacted already while the log has not been trimmed.
      for (const late of piecesOf(logged, nextUs, endUs)) {
        nextUs = late.isLast ? endUs : (late.columns.atUs[late.to - 1] ?? 0) + 1;
        const endPlace = Math.min(placeOf(columns, nextUs), to);
        const merged = merge(partOf(columns, place, endPlace), late.columns, 0, late.to);
        yield { columns: merged, from: 0, to: merged.count };
        place = endPlace;
      }
      if (place < to) yield { columns, from: place, to };
      nextUs = endUs;
    }
    yield* piecesOf(logged, nextUs, toUs);
  }

  /**
   * The readings of a range in order of time, and in place of those from an instant on the sums of their quarters, where there are any:
   * sums are of chunks alone, so that none are used of a day of which the log has readings.
   */
  *readSummed(
    series: number,
    { fromUs, toUs, summedFromUs }: { fromUs: number; toUs: number; summedFromUs: number },
    logged: LoggedSeries | undefined = this.log.memory.get(series),
  ): Generator<Piece | SummedPiece> {
    let nextUs = fromUs;
    const days = this.chunks.days?.read(series, Math.max(fromUs, summedFromUs), toUs) ?? [];
    for (const { dayUs: day, quarters } of days) {
      if (day < summedFromUs || isLogged(logged, day)) continue;
      const wholeFromUs = Math.max(day, nextQuarterUs(nextUs));
      const wholeToUs = Math.min(day + dayUs, bucketStart(toUs, quarterUs));
      const column = { atUs: quarters.startUs, count: quarters.count };
      const [from, to] = [placeOf(column, wholeFromUs), placeOf(column, wholeToUs)];
      if (from >= to) continue;
      if (nextUs < wholeFromUs) yield* this.read(series, nextUs, wholeFromUs, logged);
      yield { quarters, from, to };
      nextUs = wholeToUs;
    }
    yield* this.read(series, nextUs, toUs, logged);
  }

  columns({ series, fromUs, toUs, limit }: SliceRange): Columns {
    const result = createColumns(limit);
    for (const { columns, from, to } of this.read(series, fromUs, toUs)) {
      const part = partOf(columns, from, Math.min(to, from + limit - result.count));
      result.atUs.set(part.atUs, result.count);
      result.values.set(part.values, result.count);
      result.qualities.set(part.qualities, result.count);
      result.count += part.count;
      if (result.count === limit) break;
    }
    return result;
  }

  /** The newest instants of a step, in order of time. */
  instantsBefore(
    request: BackwardRequest,
    logged = loggedFor.newest(this.log.memory, request),
  ): Float64Array {
    const { series, fromUs, beforeUs, limit } = request;
    return newestOf(this.chunks.instantsBefore(series, fromUs, beforeUs, limit), logged, limit);
  }

  /** A command that needs the last readings once need not take the log into memory. */
  readingLast<T>(
    work: (lastOf: (series: number) => TimedReading | undefined) => T,
    lastLogged?: ReadonlyMap<number, TimedReading>,
  ): T {
    return this.#transaction(() => {
      const logged = lastLogged ?? (this.#readsOnce ? this.log.last() : undefined);
      this.#readsOnce = false;
      if (!logged) this.log.refresh();
      return work((series) => {
        const last = logged ? logged.get(series) : this.log.memory.get(series)?.last;
        const compacted = this.chunks.last(series);
        return last && !(compacted && compacted.atUs >= last.atUs) ? last : compacted;
      });
    }) as T; // what work returns
  }

  firstUs(series: number): number | undefined {
    const loggedUs = this.log.memory.get(series)?.firstUs;
    const compactedUs = this.chunks.firstUs(series);
    if (loggedUs === undefined || compactedUs === undefined) return loggedUs ?? compactedUs;
    return Math.min(loggedUs, compactedUs);
  }

  /** The value that each reading of a batch finds at its instant; NaN where there is none. */
  valuesAt({ count, rows }: ReadingBatch): Float64Array {
    return this.reading(() => {
      const values = new Float64Array(count);
      for (let place = 0; place < count; place++) {
        const series = rows[place * readingColumns] ?? 0;
        const atUs = rows[place * readingColumns + 1] ?? 0;
        const logged = this.log.memory.get(series)?.valueAt(atUs);
        values[place] = logged ?? this.chunks.valueAt(series, atUs) ?? Number.NaN;
      }
      return values;
    });
  }

  count(series: number, fromUs: number, toUs: number): number {
    let count = 0;
    for (const { from, to } of this.read(series, fromUs, toUs)) count += to - from;
    return count;
  }

  remove(removals: readonly Removal[]): void {
    for (const { series, fromUs, toUs } of removals) this.chunks.remove(series, fromUs, toUs);
    this.log.remove(removals);
  }
}

type LoggedSeries = Pick<SeriesMemory, 'range'>;

function isLogged(logged: LoggedSeries | undefined, day: number): boolean {
  return logged !== undefined && logged.range(day, day + dayUs, 1).count > 0;
}

function nextQuarterUs(us: number): number {
  const startUs = bucketStart(us, quarterUs);
  return startUs === us ? us : startUs + quarterUs;
}

/** Readings of the log in one piece: few, since a read may need only the first of them. */
const loggedAtOnce = 1024;

function* piecesOf(
  logged: LoggedSeries | undefined,
  fromUs: number,
  toUs: number,
): Generator<Piece & { isLast: boolean }> {
  for (let nextUs = fromUs; logged; ) {
    const columns = logged.range(nextUs, toUs, loggedAtOnce);
    const isLast = columns.count < loggedAtOnce;
    if (columns.count > 0) yield { columns, from: 0, to: columns.count, isLast };
    if (isLast) return;
    nextUs = (columns.atUs[columns.count - 1] ?? 0) + 1;
  }
}

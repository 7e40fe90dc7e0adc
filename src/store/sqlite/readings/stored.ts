import { type ReadingBatch, readingColumns } from '../../../core/port/readings.ts';
import {
  type Columns,
  createColumns,
  type Piece,
  partOf,
  placeOf,
  type TimedReading,
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
import type { SeriesMemory } from './log/series-memory.ts';

interface StoredReadingsOptions extends ChunkOptions {
  /** Of a store in use; writes are refused while it is not whole. */
  reserve?: Reserve | undefined;
}

/** The chunks of a store, and the log with the readings that are not in them yet: one object for a connection. */
export class StoredReadings {
  readonly log: ReadingLog;
  readonly chunks: Chunks;
  readonly #reserve: Reserve | undefined;
  #isFirstRead = true;
  readonly #transaction: Transaction<(operation: () => unknown) => unknown>;

  constructor(connection: Connection, { reserve, ...chunkOptions }: StoredReadingsOptions = {}) {
    this.#reserve = reserve;
    this.chunks = new Chunks(connection, chunkOptions);
    this.log = new ReadingLog(connection, () => this.chunks.forget());
    this.#transaction = connection.transaction((operation) => operation());
  }

  /** Runs something that reads, in a transaction that sees the commits of every process. */
  reading<T>(operation: () => T): T {
    return this.#transaction(() => this.#refreshAndRun(operation)) as T; // what the operation returns
  }

  /** Runs something that reads and was given its part of the log: this connection then keeps no log in memory. */
  readingChunks<T>(operation: () => T): T {
    if (this.log.memory.count > 0) this.log.discard();
    return this.#transaction(operation) as T; // what the operation returns
  }

  /** Runs something that writes, in a transaction; if it fails nothing is changed. */
  writing<T>(operation: () => T): T {
    this.#reserve?.requireWhole();
    try {
      return this.#transaction.immediate(() => this.#refreshAndRun(operation)) as T; // what the operation returns
    } catch (thrown) {
      this.log.discard();
      this.chunks.forget();
      throw thrown;
    }
  }

  #refreshAndRun<T>(operation: () => T): T {
    this.#isFirstRead = false;
    this.log.refresh();
    return operation();
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
      let nextIndex = from;

      // Late readings, and compacted ones of a log that has not been trimmed.
      for (const latePiece of loggedPieces(logged, nextUs, endUs)) {
        const lateUs = latePiece.columns.atUs[latePiece.to - 1] ?? 0;
        nextUs = latePiece.isLast ? endUs : lateUs + 1;

        const endIndex = Math.min(placeOf(columns, nextUs), to);
        const chunkPart = partOf(columns, nextIndex, endIndex);
        const merged = merge(chunkPart, latePiece.columns, 0, latePiece.to);
        yield { columns: merged, from: 0, to: merged.count };
        nextIndex = endIndex;
      }

      if (nextIndex < to) yield { columns, from: nextIndex, to };
      nextUs = endUs;
    }
    yield* loggedPieces(logged, nextUs, toUs);
  }

  /**
   * The readings of a range in order of time. From `summedFromUs` on, the sums of quarters replace them where there are any. Sums
   * contain only the readings of chunks, so that a day with readings in the log is read without them.
   */
  *readSummed(
    series: number,
    { fromUs, toUs, summedFromUs }: SummedRange,
    logged: LoggedSeries | undefined = this.log.memory.get(series),
  ): Generator<Piece | SummedPiece> {
    let nextUs = fromUs;
    const firstSummedUs = Math.max(fromUs, summedFromUs);
    const summedDays = this.chunks.days?.read(series, firstSummedUs, toUs) ?? [];
    for (const { dayUs: dayStartUs, quarters } of summedDays) {
      if (dayStartUs < summedFromUs || hasLogged(logged, dayStartUs)) continue;

      const wholeFromUs = Math.max(dayStartUs, nextQuarterUs(nextUs));
      const wholeToUs = Math.min(dayStartUs + dayUs, bucketStart(toUs, quarterUs));

      const quarterStarts = { atUs: quarters.startUs, count: quarters.count };
      const from = placeOf(quarterStarts, wholeFromUs);
      const to = placeOf(quarterStarts, wholeToUs);
      if (from >= to) continue;

      if (nextUs < wholeFromUs) yield* this.read(series, nextUs, wholeFromUs, logged);
      yield { quarters, from, to };
      nextUs = wholeToUs;
    }
    yield* this.read(series, nextUs, toUs, logged);
  }

  columns({ series, fromUs, toUs, limit }: SliceRange): Columns {
    const slice = createColumns(limit);
    for (const { columns, from, to } of this.read(series, fromUs, toUs)) {
      const freeCount = limit - slice.count;
      const partEnd = Math.min(to, from + freeCount);
      const part = partOf(columns, from, partEnd);
      slice.atUs.set(part.atUs, slice.count);
      slice.values.set(part.values, slice.count);
      slice.qualities.set(part.qualities, slice.count);
      slice.count += part.count;
      if (slice.count === limit) break;
    }
    return slice;
  }

  /** The newest instants of a step, in order of time. */
  instantsBefore(
    request: BackwardRequest,
    logged = loggedFor.newest(this.log.memory, request),
  ): Float64Array {
    const { series, fromUs, beforeUs, limit } = request;
    const compacted = this.chunks.instantsBefore(series, fromUs, beforeUs, limit);
    return newestOf(compacted, logged, limit);
  }

  /** The last reading before an instant. */
  lastBefore(
    series: number,
    instantUs: number,
    logged = this.log.memory.get(series)?.lastBefore(instantUs),
  ): TimedReading | undefined {
    return newerOf(logged, this.chunks.lastBefore(series, instantUs));
  }

  /** A command that needs the last readings once need not take the log into memory. */
  readingLast<T>(
    operation: (lastOf: (series: number) => TimedReading | undefined) => T,
    lastLogged?: ReadonlyMap<number, TimedReading>,
  ): T {
    return this.#transaction(() => {
      const logged = lastLogged ?? (this.#isFirstRead ? this.log.last() : undefined);
      this.#isFirstRead = false;
      if (!logged) this.log.refresh();

      const lastInLog = (series: number) =>
        logged ? logged.get(series) : this.log.memory.get(series)?.last;
      return operation((series) => {
        return newerOf(lastInLog(series), this.chunks.last(series));
      });
    }) as T; // what the operation returns
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
      for (let readingIndex = 0; readingIndex < count; readingIndex++) {
        const offset = readingIndex * readingColumns;
        const series = rows[offset] ?? 0;
        const atUs = rows[offset + 1] ?? 0;

        const loggedValue = this.log.memory.get(series)?.valueAt(atUs);
        values[readingIndex] = loggedValue ?? this.chunks.valueAt(series, atUs) ?? Number.NaN;
      }
      return values;
    });
  }

  count(series: number, fromUs: number, toUs: number): number {
    let count = 0;
    for (const { from, to } of this.read(series, fromUs, toUs)) {
      count += to - from;
    }
    return count;
  }

  remove(removals: readonly Removal[]): void {
    for (const { series, fromUs, toUs } of removals) {
      this.chunks.remove(series, fromUs, toUs);
    }
    this.log.remove(removals);
  }
}

export function newerOf<Timed extends TimedReading>(
  one: Timed | undefined,
  other: Timed | undefined,
): Timed | undefined {
  if (!one || !other) return one ?? other;
  return other.atUs >= one.atUs ? other : one;
}

interface SummedRange {
  fromUs: number;
  toUs: number;
  /** Sums may replace the readings from here on. */
  summedFromUs: number;
}

type LoggedSeries = Pick<SeriesMemory, 'range'>;

function hasLogged(logged: LoggedSeries | undefined, dayStartUs: number): boolean {
  if (!logged) return false;
  return logged.range(dayStartUs, dayStartUs + dayUs, 1).count > 0;
}

function nextQuarterUs(instantUs: number): number {
  const startUs = bucketStart(instantUs, quarterUs);
  return startUs === instantUs ? instantUs : startUs + quarterUs;
}

/** Readings of the log in one piece: few, since a read may need only the first of them. */
const loggedPieceSize = 1024;

function* loggedPieces(
  logged: LoggedSeries | undefined,
  fromUs: number,
  toUs: number,
): Generator<Piece & { isLast: boolean }> {
  for (let nextUs = fromUs; logged; ) {
    const columns = logged.range(nextUs, toUs, loggedPieceSize);
    const isLast = columns.count < loggedPieceSize;
    if (columns.count > 0) yield { columns, from: 0, to: columns.count, isLast };
    if (isLast) return;
    nextUs = (columns.atUs[columns.count - 1] ?? 0) + 1;
  }
}

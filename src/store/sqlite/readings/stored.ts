import { type ReadingBatch, readingColumns } from '../../../core/port/readings.ts';
import {
  type DaySums,
  type DroppedDay,
  lastDropped,
  withSums,
} from '../../../core/readings/reads/day-sums.ts';
import { type BackwardRequest, newestOf } from '../../../core/readings/reads/newest.ts';
import { dayUs, type Quarters } from '../../../core/readings/reads/quarters.ts';
import type { SliceRange } from '../../../core/readings/reads/slices.ts';
import {
  append,
  createReadings,
  indexAt,
  merge,
  partOf,
  type SeriesReadings,
  type TimedReading,
} from '../../../core/readings/series-readings.ts';
import { type ChunkOptions, Chunks } from '../../sqlite-file/chunks/chunks.ts';
import type { Connection, Transaction } from '../../sqlite-file/driver.ts';
import type { Reserve } from '../connection/reserve.ts';
import type { Removal } from './write-buffer/rows.ts';
import type { SeriesMemory } from './write-buffer/series-memory.ts';
import { bufferedFor, WriteBuffer } from './write-buffer/write-buffer.ts';

interface StoredReadingsOptions extends ChunkOptions {
  /** Of a store in use; writes are refused while it is not whole. */
  reserve?: Reserve | undefined;
}

/** The chunks of a store, and the write buffer with the readings that are not in them yet: one object for a connection. */
export class StoredReadings {
  readonly buffer: WriteBuffer;
  readonly chunks: Chunks;
  readonly #reserve: Reserve | undefined;
  #isFirstRead = true;
  readonly #transaction: Transaction<(operation: () => unknown) => unknown>;

  constructor(connection: Connection, { reserve, ...chunkOptions }: StoredReadingsOptions = {}) {
    this.#reserve = reserve;
    this.chunks = new Chunks(connection, chunkOptions);
    this.buffer = new WriteBuffer(connection, () => this.chunks.forget());
    this.#transaction = connection.transaction((operation) => operation());
  }

  /** Runs something that reads, in a transaction that sees the commits of every process. */
  reading<T>(operation: () => T): T {
    return this.#transaction(() => this.#refreshAndRun(operation)) as T; // what the operation returns
  }

  /** Runs something that reads and was given its part of the write buffer: this connection then keeps no write buffer in memory. */
  readingChunks<T>(operation: () => T): T {
    if (this.buffer.memory.count > 0) this.buffer.discard();
    return this.#transaction(operation) as T; // what the operation returns
  }

  /** Runs something that writes, in a transaction; if it fails nothing is changed. */
  writing<T>(operation: () => T): T {
    this.#reserve?.requireWhole();
    try {
      return this.#transaction.immediate(() => this.#refreshAndRun(operation)) as T; // what the operation returns
    } catch (thrown) {
      this.buffer.discard();
      this.chunks.forget();
      throw thrown;
    }
  }

  #refreshAndRun<T>(operation: () => T): T {
    this.#isFirstRead = false;
    this.buffer.refresh();
    return operation();
  }

  /** The readings of a range in order of time, in parts that hold until the next one is read. */
  *read(
    series: number,
    fromUs: number,
    toUs: number,
    buffered: BufferedSeries | undefined = this.buffer.memory.get(series),
  ): Generator<SeriesReadings> {
    let nextUs = fromUs;
    for (const chunk of this.chunks.read(series, fromUs, toUs)) {
      const endUs = (chunk.atUs[chunk.count - 1] ?? 0) + 1;
      let nextIndex = 0;

      // Late readings, and compacted ones of a write buffer that has not been trimmed.
      for (const late of bufferedParts(buffered, nextUs, endUs)) {
        const isLast = late.count < bufferedAtOnce;
        nextUs = isLast ? endUs : (late.atUs[late.count - 1] ?? 0) + 1;

        const endIndex = indexAt(chunk, nextUs);
        yield merge(partOf(chunk, nextIndex, endIndex), late);
        nextIndex = endIndex;
      }

      if (nextIndex < chunk.count) yield partOf(chunk, nextIndex);
      nextUs = endUs;
    }
    yield* bufferedParts(buffered, nextUs, toUs);
  }

  /** The same with sums in place of the readings of whole quarters, where there are any. */
  readSummed(
    series: number,
    { fromUs, toUs }: Pick<SliceRange, 'fromUs' | 'toUs'>,
    buffered: BufferedSeries | undefined = this.buffer.memory.get(series),
  ): Generator<SeriesReadings | Quarters> {
    const days = this.#daysOf(series, fromUs, toUs, buffered);
    return withSums({ fromUs, toUs }, days, (partFromUs, partToUs) =>
      this.read(series, partFromUs, partToUs, buffered),
    );
  }

  /** Sums contain only the readings of chunks: a day that has others in the write buffer is read without them. */
  *#daysOf(
    series: number,
    fromUs: number,
    toUs: number,
    buffered: BufferedSeries | undefined,
  ): Generator<DaySums> {
    for (const day of this.chunks.days?.read(series, fromUs, toUs) ?? []) {
      if (day.droppedUs !== null || !hasBuffered(buffered, day.dayUs)) yield day;
    }
  }

  /** The sums that retention has left of the day of an instant. */
  droppedAt(series: number, us: number): DroppedDay[] {
    return this.chunks.days?.dropped(series, us, us + 1) ?? [];
  }

  /** The sums that retention has left of the days that begin before an instant, the latest first. */
  droppedBackward(series: number, beforeUs: number): Iterable<DroppedDay> {
    return this.chunks.days?.droppedBackward(series, beforeUs) ?? [];
  }

  lastDropped(series: number, beforeUs: number): TimedReading | undefined {
    for (const day of this.droppedBackward(series, beforeUs)) {
      const last = lastDropped(day, beforeUs);
      if (last) return last;
    }
    return undefined;
  }

  range({ series, fromUs, toUs, limit }: SliceRange): SeriesReadings {
    const readings = createReadings(limit);
    for (const part of this.read(series, fromUs, toUs)) {
      append(readings, partOf(part, 0, Math.min(part.count, limit - readings.count)));
      if (readings.count === limit) break;
    }
    return readings;
  }

  /** The newest instants of a step, in order of time. */
  instantsBefore(
    request: BackwardRequest,
    buffered = bufferedFor.newest(this.buffer.memory, request),
  ): Float64Array {
    const { series, fromUs, beforeUs, limit } = request;
    const compacted = this.chunks.instantsBefore(series, fromUs, beforeUs, limit);
    return newestOf(compacted, buffered, limit);
  }

  lastBefore(series: number, instantUs: number): TimedReading | undefined {
    const buffered = this.buffer.memory.get(series)?.lastBefore(instantUs);
    return newerOf(buffered, this.chunks.lastBefore(series, instantUs));
  }

  /** A command that needs the last readings once need not take the write buffer into memory. */
  readingLast<T>(
    operation: (lastOf: (series: number) => TimedReading | undefined) => T,
    lastBuffered?: ReadonlyMap<number, TimedReading>,
  ): T {
    return this.#transaction(() => {
      const buffered = lastBuffered ?? (this.#isFirstRead ? this.buffer.last() : undefined);
      this.#isFirstRead = false;
      if (!buffered) this.buffer.refresh();

      const lastInBuffer = (series: number) =>
        buffered ? buffered.get(series) : this.buffer.memory.get(series)?.last;
      return operation((series) => {
        return newerOf(lastInBuffer(series), this.chunks.last(series));
      });
    }) as T; // what the operation returns
  }

  firstUs(series: number): number | undefined {
    const bufferedUs = this.buffer.memory.get(series)?.firstUs;
    const compactedUs = this.chunks.firstUs(series);
    if (bufferedUs === undefined || compactedUs === undefined) return bufferedUs ?? compactedUs;
    return Math.min(bufferedUs, compactedUs);
  }

  /** The value that each reading of a batch finds at its instant; NaN where there is none. */
  valuesAt({ count, rows }: ReadingBatch): Float64Array {
    return this.reading(() => {
      const values = new Float64Array(count);
      for (let readingIndex = 0; readingIndex < count; readingIndex++) {
        const offset = readingIndex * readingColumns;
        const series = rows[offset] ?? 0;
        const atUs = rows[offset + 1] ?? 0;

        const bufferedValue = this.buffer.memory.get(series)?.valueAt(atUs);
        values[readingIndex] = bufferedValue ?? this.chunks.valueAt(series, atUs) ?? Number.NaN;
      }
      return values;
    });
  }

  count(series: number, fromUs: number, toUs: number): number {
    let count = 0;
    for (const part of this.read(series, fromUs, toUs)) count += part.count;
    return count;
  }

  remove(removals: readonly Removal[]): void {
    for (const { series, fromUs, toUs } of removals) {
      this.chunks.remove(series, fromUs, toUs);
    }
    this.buffer.remove(removals);
  }
}

export function newerOf<Timed extends TimedReading>(
  one: Timed | undefined,
  other: Timed | undefined,
): Timed | undefined {
  if (!one || !other) return one ?? other;
  return other.atUs >= one.atUs ? other : one;
}

type BufferedSeries = Pick<SeriesMemory, 'range'>;

function hasBuffered(buffered: BufferedSeries | undefined, dayStartUs: number): boolean {
  if (!buffered) return false;
  return buffered.range(dayStartUs, dayStartUs + dayUs, 1).count > 0;
}

/** Readings of the write buffer in one part: few, since a read may need only the first of them. */
const bufferedAtOnce = 1024;

function* bufferedParts(
  buffered: BufferedSeries | undefined,
  fromUs: number,
  toUs: number,
): Generator<SeriesReadings> {
  for (let nextUs = fromUs; buffered; ) {
    const part = buffered.range(nextUs, toUs, bufferedAtOnce);
    if (part.count > 0) yield part;
    if (part.count < bufferedAtOnce) return;
    nextUs = (part.atUs[part.count - 1] ?? 0) + 1;
  }
}

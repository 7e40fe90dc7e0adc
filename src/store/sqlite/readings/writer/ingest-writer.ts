import {
  type BatchResult,
  readingColumns as columns,
  type Heartbeat,
  type ReadingBatch,
} from '../../../../core/port/readings.ts';
import type { Connection, Statement } from '../../../sqlite-file/driver.ts';
import type { StoredReadings } from '../stored.ts';
import { BufferRow } from '../write-buffer/rows.ts';
import type { SeriesMemory } from '../write-buffer/series-memory.ts';
import { compactAfter } from './compaction.ts';

/** Batches written together; flat, since they cross from one thread to another. */
export interface JoinedBatches {
  sizes: readonly number[];
  /** The rows of all batches, as {@link ReadingBatch} has them; later numbers mean nothing. */
  rows: Float64Array<ArrayBuffer>;
}

export function joinBatches(
  batches: readonly ReadingBatch[],
  takeRows = createRows,
): JoinedBatches {
  const sizes = batches.map(({ count }) => count);
  const rows = takeRows(columns * sizes.reduce((sum, size) => sum + size, 0));
  let rowsOffset = 0;
  for (const batch of batches) {
    const batchLength = columns * batch.count;
    rows.set(batch.rows.subarray(0, batchLength), rowsOffset);
    rowsOffset += batchLength;
  }
  return { sizes, rows };
}

export function createRows(length: number): Float64Array<ArrayBuffer> {
  return new Float64Array(length);
}

/** Once `write` has returned, its batches are committed and synced; if it throws an error of the driver, nothing was written. */
export class IngestWriter {
  readonly #stored: StoredReadings;
  readonly #row = new BufferRow();
  readonly #insertHeartbeat: Statement;
  readonly #selectHeartbeat: Statement<HeartbeatRow>;

  constructor(connection: Connection, stored: StoredReadings) {
    this.#stored = stored;
    this.#insertHeartbeat = connection.prepare(
      'insert or ignore into heartbeats (series, at_us, status, battery, signal, firmware) values (?, ?, ?, ?, ?, ?)',
    );
    this.#selectHeartbeat = connection.prepare<unknown[], HeartbeatRow>(
      'select status, battery, signal, firmware from heartbeats where series = ? and at_us = ?',
    );
  }

  /** Writes batches and heartbeats in one transaction, synced once; returns a result for each, in their order. */
  write(
    joined: readonly JoinedBatches[],
    heartbeats: readonly (readonly Heartbeat[])[] = [],
  ): Written {
    return this.#stored.writing(() => {
      const { buffer } = this.#stored;
      this.#row.begin();
      const written = {
        batches: joined.map((batches) => this.#writeBatches(batches)),
        heartbeats: heartbeats.map((batch) => this.#writeHeartbeats(batch)),
      };
      const addedCount = written.batches.reduce(
        (sum, results) => results.reduce((accepted, result) => accepted + result.accepted, sum),
        0,
      );
      if (addedCount === 0) return written;

      buffer.append(this.#row.body());
      buffer.memory.count += addedCount;
      compactAfter(this.#stored, addedCount);
      return written;
    });
  }

  #writeBatches({ sizes, rows }: JoinedBatches): BatchResult[] {
    let fromIndex = 0;
    return sizes.map((size) => {
      const result = this.#writeBatch(rows, fromIndex, fromIndex + size);
      fromIndex += size;
      return result;
    });
  }

  /** The same value again is a retry; another value does not replace the first (promise 5.7). */
  #writeBatch(rows: Float64Array, fromIndex: number, toIndex: number): BatchResult {
    const { buffer } = this.#stored;
    const { memory, nextId } = buffer;
    const result: MutableResult = { accepted: 0, duplicates: 0, conflicts: [] };

    let series = -1;
    let buffered: SeriesMemory | undefined;
    let compactedUs = 0;
    for (let readingIndex = fromIndex; readingIndex < toIndex; readingIndex++) {
      const offset = readingIndex * columns;
      const readingSeries = rows[offset] ?? 0;
      const atUs = rows[offset + 1] ?? 0;
      const value = rows[offset + 2] ?? 0;
      const quality = rows[offset + 3] ?? 0;

      if (readingSeries !== series || !buffered) {
        series = readingSeries;
        buffered = memory.forRow(series, nextId, buffered);
        buffered.compactedUs ??= this.#stored.chunks.lastUs(series);
        compactedUs = buffered.compactedUs;
      }

      const storedValue =
        atUs > buffered.lastUs && atUs > compactedUs
          ? undefined
          : this.#valueAt(series, atUs, buffered, compactedUs);
      if (storedValue === undefined) {
        buffered.add(atUs, value, quality, nextId);
        this.#row.add(series, atUs, value, quality);
        result.accepted++;
      } else if (storedValue === value) result.duplicates++;
      else result.conflicts.push(readingIndex - fromIndex);
    }
    return result;
  }

  #valueAt(
    series: number,
    atUs: number,
    buffered: SeriesMemory,
    compactedUs: number,
  ): number | undefined {
    const bufferedValue = buffered.valueAt(atUs);
    return bufferedValue !== undefined || atUs > compactedUs
      ? bufferedValue
      : this.#stored.chunks.valueAt(series, atUs);
  }

  #writeHeartbeats(heartbeats: readonly Heartbeat[]): BatchResult {
    const result: MutableResult = { accepted: 0, duplicates: 0, conflicts: [] };
    for (const [heartbeatIndex, heartbeat] of heartbeats.entries()) {
      const { series, atUs, status, battery, signal, firmware } = heartbeat;
      const insertion = this.#insertHeartbeat.run(series, atUs, status, battery, signal, firmware);
      if (insertion.changes === 1) {
        result.accepted++;
        continue;
      }

      const storedHeartbeat = this.#selectHeartbeat.get(series, atUs);
      const isDuplicate =
        storedHeartbeat?.status === status &&
        storedHeartbeat.battery === battery &&
        storedHeartbeat.signal === signal &&
        storedHeartbeat.firmware === firmware;
      if (isDuplicate) result.duplicates++;
      else result.conflicts.push(heartbeatIndex);
    }
    return result;
  }
}

interface Written {
  /** Of each of the joined batches. */
  batches: BatchResult[][];
  heartbeats: BatchResult[];
}

type HeartbeatRow = Omit<Heartbeat, 'series' | 'atUs'>;

interface MutableResult {
  accepted: number;
  duplicates: number;
  conflicts: number[];
}

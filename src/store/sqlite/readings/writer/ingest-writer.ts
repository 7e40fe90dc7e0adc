import {
  type BatchResult,
  readingColumns as columns,
  type Heartbeat,
  type ReadingBatch,
} from '../../../../core/port/readings.ts';
import type { Connection, Statement } from '../../../sqlite-file/driver.ts';
import { LogRow } from '../log/rows.ts';
import type { SeriesMemory } from '../log/series-memory.ts';
import type { StoredReadings } from '../stored.ts';
import { compactAfter } from './compaction.ts';

/** Batches written together; flat, since they cross from one thread to another. */
export interface IngestGroup {
  sizes: readonly number[];
  /** The rows of all batches, as {@link ReadingBatch} has them; what comes after them means nothing. */
  rows: Float64Array<ArrayBuffer>;
}

export function toGroup(batches: readonly ReadingBatch[], take = createRows): IngestGroup {
  const sizes = batches.map(({ count }) => count);
  const rows = take(columns * sizes.reduce((sum, size) => sum + size, 0));
  let place = 0;
  for (const batch of batches) {
    const length = columns * batch.count;
    // For a few readings the view that set() needs costs more than a loop.
    if (batch.count > 20) rows.set(batch.rows.subarray(0, length), place);
    else for (let i = 0; i < length; i++) rows[place + i] = batch.rows[i] ?? 0;
    place += length;
  }
  return { sizes, rows };
}

export function createRows(length: number): Float64Array<ArrayBuffer> {
  return new Float64Array(length);
}

/** What `write` has returned is committed and synced; if it throws an error of the driver, nothing was written. */
export class IngestWriter {
  readonly #stored: StoredReadings;
  readonly #row = new LogRow();
  readonly #insertHeartbeat: Statement;
  readonly #heartbeatAt: Statement<HeartbeatRow>;

  constructor(connection: Connection, stored: StoredReadings) {
    this.#stored = stored;
    this.#insertHeartbeat = connection.prepare(
      'insert or ignore into heartbeats (series, at_us, status, battery, signal, firmware) values (?, ?, ?, ?, ?, ?)',
    );
    this.#heartbeatAt = connection.prepare<unknown[], HeartbeatRow>(
      'select status, battery, signal, firmware from heartbeats where series = ? and at_us = ?',
    );
  }

  /** Writes groups and batches of heartbeats in one transaction, synced once; returns a result for each, in their order. */
  write(
    groups: readonly IngestGroup[],
    heartbeats: readonly (readonly Heartbeat[])[] = [],
  ): Written {
    return this.#stored.writing(() => {
      const { log } = this.#stored;
      this.#row.begin();
      const written = {
        groups: groups.map((group) => this.#putReadings(group)),
        heartbeats: heartbeats.map((batch) => this.#putHeartbeats(batch)),
      };
      const added = written.groups.reduce(
        (sum, results) => results.reduce((all, one) => all + one.accepted, sum),
        0,
      );
      if (added === 0) return written;
      log.append(this.#row.body());
      log.memory.count += added;
      compactAfter(this.#stored, added);
      return written;
    });
  }

  #putReadings({ sizes, rows }: IngestGroup): BatchResult[] {
    let from = 0;
    return sizes.map((size) => {
      const result = this.#putBatch(rows, from, from + size);
      from += size;
      return result;
    });
  }

  /** The same value again is a retry; another value does not replace the first (promise 5.7). */
  #putBatch(rows: Float64Array, from: number, to: number): BatchResult {
    const { log } = this.#stored;
    const { memory, nextId } = log;
    const result: MutableResult = { accepted: 0, duplicates: 0, conflicts: [] };
    let series = -1;
    let logged: SeriesMemory | undefined;
    let compactedUs = 0;
    for (let place = from; place < to; place++) {
      const at = place * columns;
      const number = rows[at] ?? 0;
      const atUs = rows[at + 1] ?? 0;
      const value = rows[at + 2] ?? 0;
      const quality = rows[at + 3] ?? 0;
      if (number !== series || !logged) {
        series = number;
        logged = memory.forRow(series, nextId, logged);
        logged.compactedUs ??= this.#stored.chunks.lastUs(series);
        compactedUs = logged.compactedUs;
      }
      const first =
        atUs > logged.lastUs && atUs > compactedUs
          ? undefined
          : this.#valueAt(series, atUs, logged, compactedUs);
      if (first === undefined) {
        logged.add(atUs, value, quality, nextId);
        this.#row.add(series, atUs, value, quality);
        result.accepted++;
      } else if (first === value) result.duplicates++;
      else result.conflicts.push(place - from);
    }
    return result;
  }

  #valueAt(
    series: number,
    atUs: number,
    logged: SeriesMemory,
    compactedUs: number,
  ): number | undefined {
    const value = logged.valueAt(atUs);
    return value !== undefined || atUs > compactedUs
      ? value
      : this.#stored.chunks.valueAt(series, atUs);
  }

  #putHeartbeats(heartbeats: readonly Heartbeat[]): BatchResult {
    const result: MutableResult = { accepted: 0, duplicates: 0, conflicts: [] };
    for (const [
      position,
      { series, atUs, status, battery, signal, firmware },
    ] of heartbeats.entries()) {
      if (
        this.#insertHeartbeat.run(series, atUs, status, battery, signal, firmware).changes === 1
      ) {
        result.accepted++;
        continue;
      }
      const first = this.#heartbeatAt.get(series, atUs);
      const same =
        first?.status === status &&
        first.battery === battery &&
        first.signal === signal &&
        first.firmware === firmware;
      if (same) result.duplicates++;
      else result.conflicts.push(position);
    }
    return result;
  }
}

interface Written {
  groups: BatchResult[][];
  heartbeats: BatchResult[];
}

type HeartbeatRow = Omit<Heartbeat, 'series' | 'atUs'>;

interface MutableResult {
  accepted: number;
  duplicates: number;
  conflicts: number[];
}

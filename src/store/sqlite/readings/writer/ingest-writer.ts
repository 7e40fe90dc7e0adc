import {
  type BatchResult,
  readingColumns as columns,
  type Heartbeat,
  type ReadingBatch,
} from '../../../../core/port/readings.ts';
import type { Connection, Statement } from '../../connection/driver.ts';

/** Batches written together; flat, since they cross from one thread to another. */
export interface IngestGroup {
  /** How many readings each batch holds. */
  sizes: readonly number[];
  /** The rows of all batches, as {@link ReadingBatch} has them. */
  rows: Float64Array;
  heartbeats: readonly (readonly Heartbeat[])[];
}

/** A result for each batch of a group, in their order. */
export interface GroupResult {
  readings: BatchResult[];
  heartbeats: BatchResult[];
}

/** Puts batches into a group. */
export function toGroup(batches: readonly ReadingBatch[], heartbeats: readonly (readonly Heartbeat[])[]): IngestGroup {
  const sizes = batches.map(({ count }) => count);
  const rows = new Float64Array(columns * sizes.reduce((sum, size) => sum + size, 0));
  let place = 0;
  for (const batch of batches) {
    const length = columns * batch.count;
    // For a few readings the view that set() needs costs more than a loop.
    if (batch.count > 20) rows.set(batch.rows.subarray(0, length), place);
    else for (let i = 0; i < length; i++) rows[place + i] = batch.rows[i] ?? 0;
    place += length;
  }
  return { sizes, rows, heartbeats };
}

/** Rows a statement, largest first: one statement of many rows costs a third of many of one. */
const chunkSizes = [250, 50, 10, 1] as const;

interface Chunk {
  rows: number;
  insert: Statement;
  values: number[];
}

/**
 * Writes readings and heartbeats; once `write` has returned all is committed and synced. Throws the errors of the driver;
 * then nothing of the groups was written.
 */
export class IngestWriter {
  readonly #chunks: readonly Chunk[];
  readonly #single: Chunk;
  readonly #valueAt: Statement<number>;
  readonly #insertHeartbeat: Statement;
  readonly #heartbeatAt: Statement<HeartbeatRow>;
  readonly #savepoint: Record<'set' | 'undo' | 'release', Statement>;
  readonly #write: (groups: readonly IngestGroup[]) => GroupResult[];
  /** Whether the group before held repeats: then the next one is likely to, and trying it at once costs more than it saves. */
  #repeatsLately = false;

  constructor(connection: Connection) {
    const toChunk = (rows: number): Chunk => ({
      rows,
      insert: connection.prepare(
        `insert or ignore into readings (series, at_us, value, quality) values ${Array(rows).fill('(?, ?, ?, ?)').join()}`,
      ),
      values: new Array(rows * columns).fill(0),
    });
    this.#chunks = chunkSizes.map(toChunk);
    this.#single = this.#chunks.at(-1) ?? toChunk(1);
    const valueAt = connection
      .prepare<unknown[], number>('select value from readings where series = ? and at_us = ?')
      .pluck();
    this.#valueAt = valueAt as Statement<number>; // pluck gives the only column
    this.#insertHeartbeat = connection.prepare(
      'insert or ignore into heartbeats (series, at_us, status, battery, signal, firmware) values (?, ?, ?, ?, ?, ?)',
    );
    this.#heartbeatAt = connection.prepare<unknown[], HeartbeatRow>(
      'select status, battery, signal, firmware from heartbeats where series = ? and at_us = ?',
    );
    this.#savepoint = {
      set: connection.prepare('savepoint rows'),
      undo: connection.prepare('rollback to rows'),
      release: connection.prepare('release rows'),
    };
    this.#write = connection.transaction((groups: readonly IngestGroup[]) => {
      return groups.map((group) => ({
        readings: this.#putReadings(group),
        heartbeats: group.heartbeats.map((batch) => this.#putHeartbeats(batch)),
      }));
    }).immediate;
  }

  /** Writes groups in one transaction, synced once; returns a result for each, in their order. */
  write(groups: readonly IngestGroup[]): GroupResult[] {
    return this.#write(groups);
  }

  /**
   * A statement of many rows reports how many rows it ignored, not which. Repeats are rare, so the whole group is tried at
   * once first, and batch by batch only where one of its rows existed already.
   */
  #putReadings({ sizes, rows }: IngestGroup): BatchResult[] {
    const allNew = !this.#repeatsLately && this.#undoing(() => this.#putRows(rows, 0, rows.length / columns));
    if (allNew) return sizes.map((size) => ({ accepted: size, duplicates: 0, conflicts: [] }));
    let from = 0;
    const results = sizes.map((size) => {
      const result = this.#putBatch(rows, from, size);
      from += size;
      return result;
    });
    this.#repeatsLately = results.some(({ accepted }, batch) => accepted < (sizes[batch] ?? 0));
    return results;
  }

  /** Inserts rows in chunks; false, with some of them inserted, where one existed already. */
  #putRows(rows: Float64Array, from: number, to: number): boolean {
    let at = from;
    for (const chunk of this.#chunks) {
      for (; to - at >= chunk.rows; at += chunk.rows) {
        if (this.#putChunk(rows, at, chunk) < chunk.rows) return false;
      }
    }
    return true;
  }

  #putChunk(rows: Float64Array, at: number, { insert, values }: Chunk): number {
    const start = at * columns;
    for (let i = 0; i < values.length; i++) values[i] = rows[start + i] ?? 0;
    // The driver binds arguments at half the cost of an array.
    return insert.run(...values).changes;
  }

  #putBatch(rows: Float64Array, from: number, size: number): BatchResult {
    const result: MutableResult = { accepted: 0, duplicates: 0, conflicts: [] };
    const { rows: most } = this.#chunks[0] ?? this.#single;
    for (let at = from; at < from + size; at += most) {
      const to = Math.min(at + most, from + size);
      if (this.#undoing(() => this.#putRows(rows, at, to))) result.accepted += to - at;
      else for (let row = at; row < to; row++) this.#putRow(rows, row, row - from, result);
    }
    return result;
  }

  /** The same value again is a retry; another value does not replace the first (contract, section 5). */
  #putRow(rows: Float64Array, row: number, position: number, result: MutableResult): void {
    if (this.#putChunk(rows, row, this.#single) === 1) result.accepted++;
    else if (this.#valueAt.get(rows[row * columns], rows[row * columns + 1]) === rows[row * columns + 2])
      result.duplicates++;
    else result.conflicts.push(position);
  }

  /** Runs work and undoes what it wrote where it returns false. */
  #undoing(work: () => boolean): boolean {
    this.#savepoint.set.run();
    const done = work();
    if (!done) this.#savepoint.undo.run();
    this.#savepoint.release.run();
    return done;
  }

  #putHeartbeats(heartbeats: readonly Heartbeat[]): BatchResult {
    const result: MutableResult = { accepted: 0, duplicates: 0, conflicts: [] };
    for (const [position, { series, atUs, status, battery, signal, firmware }] of heartbeats.entries()) {
      if (this.#insertHeartbeat.run(series, atUs, status, battery, signal, firmware).changes === 1) {
        result.accepted++;
        continue;
      }
      const first = this.#heartbeatAt.get(series, atUs);
      const same =
        first?.status === status && first.battery === battery && first.signal === signal && first.firmware === firmware;
      if (same) result.duplicates++;
      else result.conflicts.push(position);
    }
    return result;
  }
}

type HeartbeatRow = Omit<Heartbeat, 'series' | 'atUs'>;

interface MutableResult {
  accepted: number;
  duplicates: number;
  conflicts: number[];
}

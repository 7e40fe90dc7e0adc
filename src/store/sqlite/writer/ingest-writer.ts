import type { BatchVerdict, Heartbeat, ReadingBatch } from '../../../core/store.ts';
import type { Connection, Statement } from '../driver.ts';

/** What waits to be written, in the order in which it came. */
export type WriteTask =
  | { kind: 'readings'; batch: ReadingBatch }
  | { kind: 'heartbeats'; heartbeats: readonly Heartbeat[] };

/** Rows a statement, largest first: one statement of many rows costs a third of many of one. */
const chunkSizes = [250, 50, 10, 1] as const;

interface Chunk {
  rows: number;
  insert: Statement;
  values: unknown[];
}

/**
 * Writes readings and heartbeats: everything it is given at once goes into one transaction, and the verdicts are only
 * worth something after it has returned, for then all is committed and synced. Throws what the driver throws; then
 * nothing of the group was written.
 */
export class IngestWriter {
  readonly #connection: Connection;
  readonly #readings: readonly Chunk[];
  readonly #valueAt: Statement<number>;
  readonly #insertHeartbeat: Statement;
  readonly #heartbeatAt: Statement<HeartbeatRow>;
  readonly #write: (tasks: readonly WriteTask[]) => BatchVerdict[];

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#readings = chunkSizes.map((rows) => ({
      rows,
      insert: connection.prepare(
        `insert or ignore into readings (series, at_us, value, quality) values ${Array(rows).fill('(?, ?, ?, ?)').join()}`,
      ),
      values: new Array(rows * 4),
    }));
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
    const write = (tasks: readonly WriteTask[]) =>
      tasks.map((task) =>
        task.kind === 'readings' ? this.#putReadings(task.batch) : this.#putHeartbeats(task.heartbeats),
      );
    this.#write = connection.transaction(write).immediate;
  }

  /** Writes a group in one transaction; a verdict a task, in their order. */
  write(tasks: readonly WriteTask[]): BatchVerdict[] {
    return this.#write(tasks);
  }

  #putReadings(batch: ReadingBatch): BatchVerdict {
    const verdict = { accepted: 0, duplicates: 0, conflicts: [] as number[] };
    let at = 0;
    for (const chunk of this.#readings) {
      while (batch.count - at >= chunk.rows) {
        this.#putChunk(batch, at, chunk, verdict);
        at += chunk.rows;
      }
    }
    return verdict;
  }

  #putChunk(batch: ReadingBatch, from: number, { rows, insert, values }: Chunk, verdict: MutableVerdict): void {
    for (let i = 0, v = 0; i < rows; i++) {
      values[v++] = batch.series[from + i];
      values[v++] = batch.atUs[from + i];
      values[v++] = batch.value[from + i];
      values[v++] = batch.quality[from + i];
    }
    if (rows === 1) {
      if (insert.run(values).changes === 1) verdict.accepted++;
      else this.#judgeTaken(batch, from, verdict);
      return;
    }
    // A statement of many rows does not tell which of them were ignored: then it is undone and each row judged alone.
    this.#connection.exec('savepoint chunk');
    if (insert.run(values).changes === rows) {
      verdict.accepted += rows;
    } else {
      this.#connection.exec('rollback to chunk');
      const single = this.#readings.at(-1) as Chunk; // the list ends with the chunk of one row
      for (let i = 0; i < rows; i++) this.#putChunk(batch, from + i, single, verdict);
    }
    this.#connection.exec('release chunk');
  }

  /** The same value again is a retry; another value does not replace the first (contract, section 5). */
  #judgeTaken(batch: ReadingBatch, position: number, verdict: MutableVerdict): void {
    if (this.#valueAt.get(batch.series[position], batch.atUs[position]) === batch.value[position]) verdict.duplicates++;
    else verdict.conflicts.push(position);
  }

  #putHeartbeats(heartbeats: readonly Heartbeat[]): BatchVerdict {
    const verdict = { accepted: 0, duplicates: 0, conflicts: [] as number[] };
    for (const [position, { series, atUs, status, battery, signal, firmware }] of heartbeats.entries()) {
      if (this.#insertHeartbeat.run(series, atUs, status, battery, signal, firmware).changes === 1) {
        verdict.accepted++;
        continue;
      }
      const first = this.#heartbeatAt.get(series, atUs);
      const same =
        first?.status === status && first.battery === battery && first.signal === signal && first.firmware === firmware;
      if (same) verdict.duplicates++;
      else verdict.conflicts.push(position);
    }
    return verdict;
  }
}

type HeartbeatRow = Omit<Heartbeat, 'series' | 'atUs'>;

interface MutableVerdict {
  accepted: number;
  duplicates: number;
  conflicts: number[];
}

import { readingColumns } from '../../../../src/core/port/readings.ts';
import type { BackwardRequest } from '../../../../src/core/readings/reads/newest.ts';
import { Reads } from '../../../../src/core/readings/reads/reads.ts';
import type { Slice, SliceRequest } from '../../../../src/core/readings/reads/slices.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import {
  IngestWriter,
  joinBatches,
} from '../../../../src/store/sqlite/readings/writer/ingest-writer.ts';
import type { ChunkSizes } from '../../../../src/store/sqlite-file/chunks/chunks.ts';
import { type Connection, openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { applyMigrations } from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';

/** A reading as a batch has it. */
export type Sent = readonly [series: number, atUs: number, value: number, quality?: number];

/** A database of readings in memory, and what reads and writes it. */
export function readingsInMemory() {
  const connection: Connection = openDatabase(':memory:', {});
  applyMigrations(connection, 'readings', 'migrations', ':memory:');
  return readingsOn(connection);
}

/** What reads and writes the readings of a database. */
export function readingsOn(connection: Connection, sizes?: ChunkSizes) {
  const stored = new StoredReadings(connection, { ...(sizes && { sizes }) });
  const writer = new IngestWriter(connection, stored);
  const sendRows = (rows: Float64Array) =>
    writer.write([joinBatches([{ count: rows.length / readingColumns, rows }])]).batches[0]?.[0];
  const send = (sent: readonly Sent[]) =>
    sendRows(
      Float64Array.from(
        sent.flatMap(([series, atUs, value, quality = 0]) => [series, atUs, value, quality]),
      ),
    );
  return { connection, stored, send, sendRows };
}

/** Reads that are read by a function, and never backward. */
export function readsBy(slice: (request: SliceRequest) => Promise<Slice>): Reads {
  const backward = (request: BackwardRequest): Promise<Float64Array> =>
    Promise.reject(new Error(`nothing is looked up before ${request.beforeUs}`));
  return new Reads({ slice, backward });
}

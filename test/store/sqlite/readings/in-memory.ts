import { type Connection, openDatabase } from '../../../../src/store/sqlite/connection/driver.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import { IngestWriter, toGroup } from '../../../../src/store/sqlite/readings/writer/ingest-writer.ts';
import { applyMigrations } from '../../../../src/store/sqlite/schema/migrations.ts';

/** A reading as a batch has it. */
export type Sent = readonly [series: number, atUs: number, value: number, quality?: number];

/** A database of readings in memory, and what reads and writes it. */
export function readingsInMemory() {
  const connection: Connection = openDatabase(':memory:', {});
  applyMigrations(connection, 'readings', 'migrations', ':memory:');
  const stored = new StoredReadings(connection);
  const writer = new IngestWriter(connection, stored);
  const send = (sent: readonly Sent[]) => {
    const rows = Float64Array.from(
      sent.flatMap(([series, atUs, value, quality = 0]) => [series, atUs, value, quality]),
    );
    return writer.write([toGroup([{ count: sent.length, rows }], [])])[0]?.readings[0];
  };
  return { connection, stored, send };
}

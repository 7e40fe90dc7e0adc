import type { ReadingStore } from '../../../core/port/readings.ts';
import type { Database } from '../connection/database.ts';

/** Readings and heartbeats. */
export function createReadingStore(_database: Database): ReadingStore & { close(): Promise<void> } {
  const missing = () => {
    throw new Error('readings on PostgreSQL are not built yet');
  };
  return {
    directory: missing,
    append: missing,
    appendHeartbeats: missing,
    range: missing,
    text: missing,
    states: missing,
    close: async () => {},
  };
}

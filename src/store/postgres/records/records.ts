import type { RecordStore } from '../../../core/port/records.ts';
import type { Database } from '../connection/database.ts';

/** The records of all resources. */
export function createRecordStore(_database: Database): RecordStore {
  const missing = () => {
    throw new Error('records on PostgreSQL are not built yet');
  };
  return { page: missing, get: missing, version: missing, import: missing };
}

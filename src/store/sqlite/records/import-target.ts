import type { ImportBatch } from '../../../core/fields/import-batch.ts';
import type { ImportSummary } from '../../../core/port/records.ts';
import type { ViolationList } from '../../../core/records/imports.ts';
import type { ImportTable } from '../../records/imports.ts';
import type { Connection } from '../../sqlite-database/driver.ts';

/** Receives the rows of an import, with values as the columns store them. */
export interface ImportTarget {
  /** What `put` expects in place of a list that the file does not have. */
  absentList: string | undefined;
  put(batch: ImportBatch): void;
  /** Checks what only the whole file shows, removes the records missing from it if requested, and returns the counts. */
  finish(): ImportSummary;
}

export interface OpenTable extends ImportTable {
  connection: Connection;
  dryRun: boolean;
  violations: ViolationList;
}

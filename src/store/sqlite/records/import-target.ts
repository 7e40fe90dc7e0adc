import type { ImportSummary } from '../../../core/port/records.ts';
import type { ResourceDefinition } from '../../../core/records/fields.ts';
import type { ImportBatch } from '../../../core/records/import-batch.ts';
import type { ViolationList } from '../../../core/records/imports.ts';
import type { Connection } from '../connection/driver.ts';

/** Where rows go, their values as the columns keep them. */
export interface ImportTarget {
  put(batch: ImportBatch): void;
  /** Checks what only the whole file shows, removes the records missing from it where asked to, and returns the counts. */
  finish(): ImportSummary;
}

/** What every way of importing needs to know of its table. */
export interface ImportTable {
  connection: Connection;
  resource: ResourceDefinition;
  /** Name of the table. */
  table: string;
  /** The entity's number in it. */
  entity: number;
  /** Columns of a row in the order of its values: `id`, then as declared. */
  columns: readonly string[];
  /** When the import happens, as `updated_at` has it. */
  updatedAt: string;
  replace: boolean;
  dryRun: boolean;
  violations: ViolationList;
}

import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type { ImportRequest } from '../../../core/port/records.ts';

export interface ImportTarget {
  resource: ResourceDefinition;
  table: string;
  entity: number;
  /** Columns of a row in the order of its values: `id`, then as declared. */
  columns: readonly string[];
  /** The instant of the import, as stored in `updated_at`. */
  updatedAt: string;
  replace: boolean;
}

/** The transaction of an import, in which no other one changes the resource of the entity. */
export interface ImportSession {
  /** The temporary table with the rows of the file: their number `n`, their line, and the fields. */
  readonly incoming: string;
  /** The same rows, or columns of them, for a statement that also reads records. */
  ofFile(columns?: string): string;
  /** Runs a statement in SQL that both engines understand, with its values as `$1`, `$2`. */
  rows<Row>(text: string, values?: readonly unknown[]): MaybePromise<Row[]>;
  beginTimeline(): MaybePromise<unknown>;
  /** Inserts rows for which no record can exist already, and returns their number; refuses rows that share an id. */
  fill(table: ImportTarget, rows: ImportRequest['rows']): Promise<number>;
  stage(table: ImportTarget, rows: ImportRequest['rows']): Promise<void>;
}

import type { AuditDraft } from '../audit/events.ts';
import type { ResourceDefinition } from '../records/fields.ts';
import type { ImportBatch } from '../records/import-batch.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** One condition of a page; `from` and `to` are inclusive, `before` is not; values are as stored (dates and instants as text). */
export interface RecordCondition {
  field: string;
  op: 'eq' | 'from' | 'to' | 'before';
  value: string | number | boolean;
}

export interface RecordPageRequest {
  resource: ResourceDefinition;
  entityId: string;
  conditions: readonly RecordCondition[];
  /** The field that orders the page, `id` breaking ties: the field of the first range condition, else `id`. */
  orderBy: string;
  limit: number;
  /** The order value and id of the last record of the page before. */
  after?: RecordPosition;
}

export interface RecordPosition {
  value: string | number;
  id: string;
}

/**
 * A page as JSON text, since it is written far more often than read: records joined by commas, without the brackets. It may
 * hold fewer records than asked for, even none, before the last: an engine looks through a bounded number of them for it.
 */
export interface RecordPage {
  json: string;
  count: number;
  /** Where the next page starts; null at the end. */
  next: RecordPosition | null;
}

export interface ImportSummary {
  inserted: number;
  updated: number;
  unchanged: number;
  removed: number;
}

export interface ImportRequest {
  resource: ResourceDefinition;
  entityId: string;
  /** Also remove what the file lacks. */
  replace: boolean;
  /** Count what would change, change nothing. */
  dryRun: boolean;
  nowUs: number;
  /** In batches; whatever it throws undoes the import. */
  rows: AsyncIterable<ImportBatch> | Iterable<ImportBatch>;
  /** Made once the counts are known; kept in the same commit as the records. */
  audit: (summary: ImportSummary) => AuditDraft;
}

export interface RecordStore {
  page(request: RecordPageRequest): MaybePromise<RecordPage>;
  /** One record with its detail fields as JSON text. */
  get(resource: ResourceDefinition, entityId: string, id: string): MaybePromise<string | undefined>;
  /**
   * A number that changes whenever any record may have changed, by whatever process: what was read under the same number
   * is still true. About 2 µs.
   */
  version(): MaybePromise<number>;
  /**
   * All or nothing; readers see the old set until it ends, and neither they nor ingest wait for it. Throws the domain's
   * `ImportError` with the lines where rows share an `id`, or records a value of a field that is `unique`.
   */
  import(request: ImportRequest): Promise<ImportSummary>;
}

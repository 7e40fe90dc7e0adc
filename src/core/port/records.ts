import type { AuditDraft } from '../audit/events.ts';
import type { ResourceDefinition } from '../records/fields.ts';
import type { ImportBatch } from '../records/import-batch.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** One condition of a page; `from` and `to` are inclusive, `before` is exclusive; values as stored (dates, instants as text). */
export interface RecordCondition {
  field: string;
  op: 'eq' | 'from' | 'to' | 'before';
  value: string | number | boolean;
}

/** A page of records, in order of one field. */
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

/** Where a page of records ends. */
export interface RecordPosition {
  value: string | number;
  id: string;
}

/**
 * A page as JSON text, since the store can write it without an object per record: records joined by commas, without the
 * brackets. It may hold fewer records than requested, even none, before the last page: an engine scans a bounded number.
 */
export interface RecordPage {
  json: string;
  count: number;
  /** Where the next page starts; null at the end. */
  next: RecordPosition | null;
}

/** Counts of an import. */
export interface ImportSummary {
  inserted: number;
  updated: number;
  unchanged: number;
  removed: number;
}

/** An import of one resource into one entity. */
export interface ImportRequest {
  resource: ResourceDefinition;
  entityId: string;
  /** Also remove records that are not in the file. */
  replace: boolean;
  /** Count what would change, change nothing. */
  dryRun: boolean;
  nowUs: number;
  /** In batches; an error that it throws undoes the import. */
  rows: AsyncIterable<ImportBatch> | Iterable<ImportBatch>;
  /** Called once the counts are known; its event is kept in the same commit as the records. */
  audit: (summary: ImportSummary) => AuditDraft;
}

/** The records of all resources. */
export interface RecordStore {
  page(request: RecordPageRequest): MaybePromise<RecordPage>;
  /** One record with its detail fields as JSON text. */
  get(resource: ResourceDefinition, entityId: string, id: string): MaybePromise<string | undefined>;
  /**
   * A number that changes whenever any process may have changed a record: what was read under the same number is still
   * valid. About 2 µs.
   */
  version(): MaybePromise<number>;
  /**
   * In an engine that has to ask for a version: the one that came with the last answer of `KeyStore.version`. It is as new as a
   * request that was authenticated by that answer or an earlier one.
   */
  lastVersion?(): number;
  /**
   * All or nothing; readers see the old set until it ends, and neither they nor ingest wait for it. Throws the domain's
   * `ImportError` with the lines where rows share an `id`, or records a value of a field that is `unique`.
   */
  import(request: ImportRequest): Promise<ImportSummary>;
}

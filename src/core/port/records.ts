import type { ResourceDefinition } from '../fields/fields.ts';
import type { ImportBatch } from '../fields/import-batch.ts';
import type { AuditDraft } from './audit.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** A condition of a page; `from` and `to` are inclusive, `before` is exclusive; values as stored (dates, instants as text). */
export interface RecordCondition {
  field: string;
  op: 'eq' | 'from' | 'to' | 'before';
  value: string | number | boolean;
}

export interface RecordPageRequest {
  resource: ResourceDefinition;
  entityId: string;
  conditions: readonly RecordCondition[];
  /** The field that orders the page, `id` breaking ties: as asked, else the field of the first range condition, else `id`. */
  orderBy: string;
  /** The direction that was asked for; records without a value come last in both. */
  sort?: 'asc' | 'desc';
  limit: number;
  /** The order value and id of the last record of the page before. */
  after?: RecordPosition;
  /** Fields marked `detail` that the page shows, too. */
  include?: readonly string[];
}

export interface RecordPosition {
  /** Null behind the records that have a value; the empty id comes before all others. */
  value: string | number | boolean | null;
  id: string;
}

/** Records as JSON joined by commas. A page may hold fewer than requested, even none, before the last page. */
export interface RecordPage {
  json: string;
  count: number;
  /** The position of the next page; null at the end. */
  next: RecordPosition | null;
}

/** A record with its fields by name, as its JSON has them. */
export interface RecordRow {
  id: string;
  [field: string]: unknown;
}

/** The same page as {@link RecordPage}, for a caller that adds fields or computes with them. */
export interface RecordRows extends Omit<RecordPage, 'json'> {
  rows: readonly RecordRow[];
}

/** Separates the records of a page: JSON text contains no raw line break, so that the last record can be cut out. */
export const pageSeparator = ',\n';

/** How far the changes of one resource in one entity have come; instants as `updated_at` has them, '' for none. */
export interface RecordChanges {
  /** Names this store since its last restore: a restored store has another timeline, so that old sync tokens end. */
  timeline: string;
  /** The instant of the last change: the highest `updated_at` of any record that is or was there, removals included. */
  changedAt: string;
  forgottenTo: string;
}

/** A page of the ids that were removed and not imported again, in order of removal, then `id`. */
export interface RemovedPageRequest {
  resource: ResourceDefinition;
  entityId: string;
  /** Exclusive: instant and id of the last removal of the page before, or an instant and the empty id. */
  after: RecordPosition;
  /** The last instant, inclusive. */
  to: string;
  /** May be 0, which only finds out whether there are any. */
  limit: number;
}

export interface RemovedPage {
  ids: readonly string[];
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
  replace: boolean;
  /** Count what would change, change nothing. */
  dryRun: boolean;
  nowUs: number;
  /** Whether changes that are dated more than a day after `nowUs` get another date (`isDatedAhead`); not by default. */
  correctsDates?: boolean;
  /** In batches; an error that it throws undoes the import. */
  rows: AsyncIterable<ImportBatch> | Iterable<ImportBatch>;
  /** Called with the counts before the commit, under the lock of the import; what it throws undoes the import. */
  confirm?: (summary: ImportSummary) => Promise<void>;
  /** Called once the counts are known; its event is kept in the same commit as the records. */
  audit: (summary: ImportSummary) => AuditDraft;
}

export interface RecordStore {
  /** A page as text, which is sent as it is. */
  page(request: RecordPageRequest): MaybePromise<RecordPage>;
  rows(request: RecordPageRequest): MaybePromise<RecordRows>;
  get(resource: ResourceDefinition, entityId: string, id: string): MaybePromise<string | undefined>;
  row(
    resource: ResourceDefinition,
    entityId: string,
    id: string,
  ): MaybePromise<RecordRow | undefined>;
  /** The change counter of records, which grows with each change by any process. */
  changeCounter(): MaybePromise<number>;
  /** How far changes have come. Later reads may be newer, but never older than this. */
  changes(resource: ResourceDefinition, entityId: string): MaybePromise<RecordChanges>;
  removed(request: RemovedPageRequest): MaybePromise<RemovedPage>;
  /** In an engine that has to ask for it: the one that came with the last answer of `KeyStore.changeCounter`. */
  lastChangeCounter?(): number;
  /**
   * Imports that change something have different instants, in the order of their commits (`changeInstant`): one import at a
   * time for each resource of an entity. It is the `updated_at` of what it inserts and updates, and the instant of what it
   * removes; an id that comes back is no longer removed. Forgets removals up to `forgettableInstant`. If it corrects dates, the
   * records and removals after `nowUs` get its instant, and the changes of the resource go back to it.
   *
   * All or nothing; readers see the old set until it ends, and neither they nor ingest wait for it. Throws the domain's
   * `ImportError` with the lines if rows share an `id`, or if records share a value of a field that is `unique`.
   */
  import(request: ImportRequest): Promise<ImportSummary>;
}

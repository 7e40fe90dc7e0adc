import type { AuditDraft, AuditHead, AuditRecord } from '../audit/events.ts';
import type { MaybePromise } from './maybe-promise.ts';

export interface AuditStore {
  /** Appends an event that goes with no other change, such as a refused attempt. */
  append(audit: AuditDraft): MaybePromise<void>;
  /** Records of one tenant, newest first; `ofStore` adds those that are of none. */
  list(tenantId: string, range: { sinceMs?: number; limit: number; ofStore?: boolean }): MaybePromise<AuditRecord[]>;
  /**
   * The highest `seq` ever given, as the store notes it beside the records: more than the last record's where the end of the
   * chain was cut off, and less where somebody has set the note back or removed it (then 0).
   */
  lastSeq(): MaybePromise<number>;
  /** How many records the chain holds and the hash of the last one, as committed now; no walk, so that it may be asked often. */
  head(): MaybePromise<AuditHead>;
  /** All records of all tenants in order of `seq`, for verification; in pieces, so that memory stays bounded. */
  walk(): Iterable<AuditRecord> | AsyncIterable<AuditRecord>;
}

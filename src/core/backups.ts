import type { MaybePromise, Store } from './store.ts';

/** What a backup holds, so that people see whether it is the one they think. */
export interface BackupFacts {
  createdAtMs: number;
  keys: number;
  auditRecords: number;
  /** Records of the trail that an earlier hkctl cut in the middle of a character; see `damageText`. */
  damagedAuditRecords: readonly number[];
  bytes: number;
}

/** A key that is active in a backup and was revoked since. */
export interface KeptRevoked {
  keyId: string;
  prefix: string;
  atMs: number;
}

/** What a restore asks on its way, and what it tells. */
export interface RestoreHooks {
  /** Judges the actor in the store that is there or, where none can be opened, in the one of the backup; throws to refuse. */
  judge(store: Store): MaybePromise<void>;
  /** Asked before anything is replaced; throws to refuse. */
  confirm(facts: BackupFacts): MaybePromise<void>;
  /** Appends the audit events of the restore to the store that will be there. */
  audit(store: Store, kept: readonly KeptRevoked[]): MaybePromise<void>;
}

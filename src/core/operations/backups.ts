import type { Role } from '../access/roles.ts';
import type { AuditHead } from '../audit/events.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import type { Store } from '../port/store.ts';

/** What a backup says of itself without being read whole, so that people see whether it is the one they think. */
export interface BackupHead {
  createdAtMs: number;
  keys: number;
  auditRecords: number;
  bytes: number;
}

/** The same of a backup that was read whole. */
export interface BackupFacts extends BackupHead {
  /** Records of the trail that an earlier hkctl cut in the middle of a character; see `damageText`. */
  damagedAuditRecords: readonly number[];
}

/**
 * Something that works in a backup, was stopped since, and stays so. `name` is the prefix of a key, the login of a user or
 * the code of an entity.
 */
export interface KeptStopped {
  what: 'revoked_key' | 'deactivated_user' | 'demoted_user' | 'deactivated_entity' | 'removed_entity';
  id: string;
  tenantId: string;
  name: string;
  atMs: number;
  /** Of a demoted user: the role that it keeps. */
  role?: Role;
}

/** What a restore did. */
export interface RestoreOutcome {
  facts: BackupFacts;
  kept: readonly KeptStopped[];
}

/** What a restore asks on its way, and what it tells. */
export interface RestoreHooks {
  /** Validators the actor in the store that is there or, where none can be opened, in the one of the backup; throws to refuse. */
  judge(store: Store): MaybePromise<void>;
  /** Asked before the backup is copied and anything is replaced; throws to refuse. */
  confirm(head: BackupHead): MaybePromise<void>;
  /**
   * Appends the audit events of the restore to the store that will be there. `replaced` is where the trail of the store
   * ended that was there; null where none could be read.
   */
  audit(store: Store, kept: readonly KeptStopped[], replaced: AuditHead | null): MaybePromise<void>;
}

import type { Role } from '../access/roles.ts';
import type { AuditHead } from '../audit/events.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import type { Store } from '../port/store.ts';

/** The facts in the head of a backup, so that people can recognise it before it is read completely. */
export interface BackupHead {
  createdAtMs: number;
  keys: number;
  auditRecords: number;
  bytes: number;
}

/** The facts of a backup that was read completely. */
export interface BackupFacts extends BackupHead {
  /** Sequence numbers of audit records that an earlier hkctl damaged; see `damageText`. */
  damagedAuditRecords: readonly number[];
}

/**
 * An object that is active in a backup, was stopped afterwards, and stays stopped by the restore. `name` is the prefix of a
 * key, the login of a user or the code of an entity.
 */
export interface KeptStopped {
  what: 'revoked_key' | 'deactivated_user' | 'demoted_user' | 'deactivated_entity' | 'removed_entity';
  id: string;
  tenantId: string;
  name: string;
  atMs: number;
  /** The role that a demoted user keeps. */
  role?: Role;
}

/** The result of a restore. */
export interface RestoreOutcome {
  facts: BackupFacts;
  kept: readonly KeptStopped[];
}

/** The questions and reports of a restore, answered by its caller. */
export interface RestoreHooks {
  /** Checks the actor's permission in the present store or, where none can be opened, in the restored one; throws to refuse. */
  authorize(store: Store): MaybePromise<void>;
  /** Called before the backup is copied and anything is replaced; throws to refuse. */
  confirm(head: BackupHead): MaybePromise<void>;
  /**
   * Appends the audit events of the restore to the restored store. `replaced` is the head of the replaced store's trail; null
   * where it could not be read.
   */
  audit(store: Store, kept: readonly KeptStopped[], replaced: AuditHead | null): MaybePromise<void>;
}

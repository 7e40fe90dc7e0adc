import type { ClientPermission } from '../access/permissions.ts';
import type { AuditDraft } from './audit.ts';
import type { Entity } from './entities.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { StepOfKey } from './pending-steps.ts';
import type { Tenant } from './tenants.ts';
import type { UsageMerge } from './usage.ts';
import type { User } from './users.ts';

/** A key with its related facts; never the secret. */
export interface Key {
  id: string;
  tenantId: string;
  prefix: string;
  name: string;
  permissions: ClientPermission[];
  entity: Pick<Entity, 'id' | 'code' | 'name' | 'timezone' | 'status'> | null;
  createdBy: Pick<User, 'id' | 'login' | 'name'>;
  creatorStatus: User['status'];
  createdAtMs: number;
  expiresAtMs: number | null;
  lastUsedAtMs: number | null;
  revokedAtMs: number | null;
  revokedBy: Pick<User, 'login' | 'name'> | null;
  rotatedFrom: string | null;
  rotatedTo: string | null;
  /** Networks that it may be used from, in the form of `parseNetwork`; empty = from anywhere. */
  allowedIps: string[];
  note: string | null;
  lastUsedIp: string | null;
}

/** A key to be kept: the row, and the hash of its secret (`hashOf`). */
export interface NewKey
  extends Omit<
    Key,
    | 'entity'
    | 'createdBy'
    | 'creatorStatus'
    | 'lastUsedAtMs'
    | 'lastUsedIp'
    | 'revokedAtMs'
    | 'revokedBy'
    | 'rotatedTo'
  > {
  secretHash: string;
  entityId: string;
  createdBy: string;
}

/** All that the check of an API call needs, in one read. */
export interface Credential
  extends Pick<
    Key,
    | 'prefix'
    | 'name'
    | 'permissions'
    | 'expiresAtMs'
    | 'revokedAtMs'
    | 'allowedIps'
    | 'entity'
    | 'creatorStatus'
  > {
  keyId: string;
  tenant: Omit<Tenant, 'createdAtMs' | 'longestLifetimeDays'>;
}

export interface KeyUse {
  atMs: number;
  ip: string;
}

export interface KeyFilter {
  /** States at `nowMs`; empty or absent = all. */
  statuses?: readonly KeyStatus[];
  nowMs: number;
  entityId?: string;
  /** Bound to one of these entities. */
  entityIds?: readonly string[];
  /** Expires at or before this instant (and is not yet expired). */
  expiringByMs?: number;
  /** Expired after this instant, and no active key of the same name and entity was created later; the entity is still there. */
  expiredSinceMs?: number;
  /** Lives longer than this from its creation, or never expires. */
  livesLongerThanMs?: number;
  /** Not used since this instant (never used and created before it counts too). */
  unusedSinceMs?: number;
  createdBeforeMs?: number;
  /** Part of name, note, prefix, entity code or entity name, whatever its case; what begins a prefix finds by that alone. */
  search?: string;
  /** Exactly this name. */
  name?: string;
  /** Its creator is inactive, or its entity is inactive or removed, so that the API refuses it whatever its state. */
  refused?: true;
}

export type KeyStatus = 'Active' | 'Expired' | 'Revoked';

/** A page of a list: after a key, which may have left that list; without one, the first page. */
export interface KeyPageRequest {
  limit: number;
  after?: Pick<Key, 'createdAtMs' | 'expiresAtMs' | 'id'>;
}

export interface KeyStore {
  /** The change counter of keys, users and entities: a credential that was read is valid for one value of it. */
  changeCounter(): MaybePromise<number>;
  /** Keys of a tenant, newest first, those that expire by an instant soonest first; a page costs the same at any depth. */
  list(tenantId: string, filter: KeyFilter, page: KeyPageRequest): MaybePromise<Key[]>;
  count(tenantId: string, filter: KeyFilter): MaybePromise<number>;
  /** By id or prefix. */
  find(tenantId: string, ref: string): MaybePromise<Key | undefined>;
  prefixTaken(prefix: string): MaybePromise<boolean>;
  /**
   * Throws `entity_inactive` if the entity is not active any more, `duplicate` for a taken prefix. `pending` is then due after the
   * key.
   */
  insert(key: NewKey, audit: AuditDraft, pending?: StepOfKey): MaybePromise<void>;
  /**
   * Revokes the old keys and inserts their successors, all or nothing. Returns the ids of old keys that were not active
   * any more at `nowMs` (then nothing was changed).
   */
  rotate(
    pairs: readonly { oldKeyId: string; next: NewKey }[],
    nowMs: number,
    audit: readonly AuditDraft[],
    options?: RotateOptions,
  ): MaybePromise<string[]>;
  /** Revokes, all or nothing; returns the ids that were not active any more (then nothing was changed). */
  revoke(
    ids: readonly string[],
    by: string,
    nowMs: number,
    audit: readonly AuditDraft[],
  ): MaybePromise<string[]>;
  /** The credential behind a hash, over all tenants; as committed at the time of the call by any process. */
  credential(secretHash: string): MaybePromise<Credential | undefined>;
  /** The key a hash belongs to, if it is of this tenant. */
  findByHash(tenantId: string, secretHash: string): MaybePromise<Key | undefined>;
  /** Waits for changes in progress, also of killed processes: a key that is then not found will never appear. `store_locked`. */
  awaitPending(): MaybePromise<void>;
  /** Active keys created by a user or bound to an entity, shown before either is deactivated. */
  activeOf(owner: { createdBy: string } | { entityId: string }, nowMs: number): MaybePromise<Key[]>;
  /** Sets or clears the note of a key, whatever its state; false if the key is missing (then nothing was changed). */
  setNote(id: string, note: string | null, audit: AuditDraft): MaybePromise<boolean>;
  /**
   * Records last uses by the ids of keys, and adds to their usage. A time moves back only from more than a day ahead, where a
   * wrong clock had put it. No audit event.
   */
  recordUse(uses: ReadonlyMap<string, KeyUse>, usage?: UsageMerge): MaybePromise<void>;
}

export interface RotateOptions {
  /** The step that is then due after each successor. */
  pending?: StepOfKey | undefined;
  /** The holder of leases on the old keys; `state_forbids` if another one has taken them over. */
  lease?: string | undefined;
}

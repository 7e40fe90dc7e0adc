/** What can happen, as audit records name it. */
export type AuditAction =
  | 'store.init'
  | 'profile.use'
  | 'key.create'
  | 'key.rotate'
  | 'key.revoke'
  | 'key.list'
  | 'key.verify'
  | 'user.list'
  | 'user.add'
  | 'user.activate'
  | 'user.deactivate'
  | 'user.set_role'
  | 'entity.list'
  | 'entity.add'
  | 'entity.activate'
  | 'entity.deactivate'
  | 'entity.remove'
  | 'tenant.list'
  | 'tenant.add'
  | 'tenant.set'
  | 'records.import'
  | 'sensors.export'
  | 'audit.read'
  | 'store.migrate'
  | 'store.backup'
  | 'store.restore'
  | 'store.doctor'
  | 'store.accept_clock';

/** An event before the store gives it a place in the chain. Never holds a secret. */
export interface AuditDraft {
  tenantId: string | null;
  atMs: number;
  action: AuditAction;
  /** The profile that acted; null where there was none. */
  actor: { id: string; login: string } | null;
  /** The account of the operating system that acted. */
  osAccount: string;
  /** What it was done to: a key's prefix, a login, an entity's code, a resource. */
  target: string;
  outcome: 'done' | 'denied' | 'failed';
  /** Small, flat facts beside it. */
  detail: Readonly<Record<string, string | number | boolean | null>>;
}

/** An event in its place. `hash` covers all of it and the hash before. */
export interface AuditRecord extends AuditDraft {
  seq: number;
  previousHash: string;
  hash: string;
}

/** Where a chain ends: how many records it holds, and the hash of the last one. Kept elsewhere, it is an anchor. */
export interface AuditHead {
  count: number;
  hash: string;
}

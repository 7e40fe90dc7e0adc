import type { Role } from '../access/roles.ts';
import type { AuditDraft } from './audit.ts';
import type { MaybePromise } from './maybe-promise.ts';

export interface User {
  id: string;
  tenantId: string;
  /** Unique in the store, over all tenants. */
  login: string;
  name: string;
  role: Role;
  status: 'active' | 'inactive';
  createdAtMs: number;
}

export interface UserStore {
  list(tenantId: string): MaybePromise<User[]>;
  findByLogin(login: string): MaybePromise<User | undefined>;
  insert(user: User, audit: AuditDraft): MaybePromise<void>;
  /**
   * Changes role or status. Returns false, with nothing changed, if that would leave the tenant without an active Super
   * user; checked inside the transaction, so that two processes cannot do it together.
   */
  update(id: string, change: { role?: Role; status?: User['status'] }, audit: AuditDraft): MaybePromise<boolean>;
}

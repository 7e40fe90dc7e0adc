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
  /** Changes role or status; false, with nothing changed, if the tenant would lose its last active Super user. */
  update(
    id: string,
    change: { role?: Role; status?: User['status'] },
    audit: AuditDraft,
  ): MaybePromise<boolean>;
}

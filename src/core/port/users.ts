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
  /** The ids of the entities to which the user is confined; null for a user who sees every entity of the tenant. */
  entityIds: readonly string[] | null;
}

/** Changes of a user; absent fields stay. */
export type UserChange = Partial<Pick<User, 'role' | 'status' | 'entityIds'>>;

export interface UserStore {
  list(tenantId: string): MaybePromise<User[]>;
  findByLogin(login: string): MaybePromise<User | undefined>;
  insert(user: User, audit: AuditDraft): MaybePromise<void>;
  /** Changes role, status or entities; false, with nothing changed, if the tenant would lose its last active Super user. */
  update(id: string, change: UserChange, audit: AuditDraft): MaybePromise<boolean>;
}

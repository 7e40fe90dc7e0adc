import type { AuditDraft } from '../audit/events.ts';
import type { WeekDay } from '../time/calendar.ts';
import type { Entity } from './entities.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { User } from './users.ts';

/** An organization. */
export interface Tenant {
  id: string;
  name: string;
  weekStart: WeekDay;
  createdAtMs: number;
}

/** All organizations. */
export interface TenantStore {
  /** All tenants, oldest first. */
  list(): MaybePromise<Tenant[]>;
  find(id: string): MaybePromise<Tenant | undefined>;
  /** Adds an organization with its first user, and its first entity where one is given. `duplicate` for a taken login. */
  insert(tenant: Tenant, admin: User, entity: Entity | undefined, audit: AuditDraft): MaybePromise<void>;
  update(id: string, change: { name?: string; weekStart?: WeekDay }, audit: AuditDraft): MaybePromise<void>;
}

import type { WeekDay } from '../time/calendar.ts';
import type { AuditDraft } from './audit.ts';
import type { Entity } from './entities.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { User } from './users.ts';

export interface Tenant {
  id: string;
  name: string;
  weekStart: WeekDay;
  createdAtMs: number;
  /** Readings older than this many days are dropped, and only their sums stay, by quarters of an hour; null = kept forever. */
  retainReadingsDays: number | null;
  /** A new key expires within so many days; null = it need not expire. */
  longestLifetimeDays: number | null;
}

/** Changes of a tenant; absent fields stay. */
export type TenantChange = Partial<
  Pick<Tenant, 'name' | 'weekStart' | 'retainReadingsDays' | 'longestLifetimeDays'>
>;

export interface TenantStore {
  /** All tenants in the order in which they were made, whatever the clock said. */
  list(): MaybePromise<Tenant[]>;
  /** The id of the first one, also of a store of an older version. */
  firstId(): MaybePromise<string | undefined>;
  find(id: string): MaybePromise<Tenant | undefined>;
  /** Adds an organization with its first user, and its first entity if one is given. `duplicate` for a taken login. */
  insert(
    tenant: Tenant,
    admin: User,
    entity: Entity | undefined,
    audit: AuditDraft,
  ): MaybePromise<void>;
  update(id: string, change: TenantChange, audit: AuditDraft): MaybePromise<void>;
}

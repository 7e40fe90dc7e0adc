import type { AuditDraft } from './audit.ts';
import type { MaybePromise } from './maybe-promise.ts';

export interface Entity {
  id: string;
  tenantId: string;
  code: string;
  name: string;
  timezone: string;
  status: 'active' | 'inactive';
  createdAtMs: number;
}

/** Changes of an entity; absent fields stay. */
export type EntityChange = Partial<Pick<Entity, 'name' | 'timezone'>>;

export interface EntityStore {
  list(tenantId: string): MaybePromise<Entity[]>;
  find(tenantId: string, code: string): MaybePromise<Entity | undefined>;
  insert(entity: Entity, audit: AuditDraft): MaybePromise<void>;
  update(id: string, change: EntityChange, audit: AuditDraft): MaybePromise<void>;
  setStatus(id: string, status: Entity['status'], audit: AuditDraft): MaybePromise<void>;
  /** Removes the entity, its records, sensors, readings and heartbeats; its keys stay, without an entity. */
  remove(id: string, audit: AuditDraft): MaybePromise<void>;
  /** Deletes what an interrupted removal has left, in an engine where nothing else does so soon. Takes as long as a removal. */
  finishRemovals?(): Promise<void>;
}

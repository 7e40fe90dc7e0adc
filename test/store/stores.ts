import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditDraft } from '../../src/core/port/audit.ts';
import type { Entity } from '../../src/core/port/entities.ts';
import type { NewKey } from '../../src/core/port/keys.ts';
import type { Store } from '../../src/core/port/store.ts';
import type { Tenant } from '../../src/core/port/tenants.ts';
import type { User } from '../../src/core/port/users.ts';
import { engineAt } from '../../src/store/open.ts';
import { atEndOfFile } from '../ends.ts';

/** The time at which tests stand: 2026-11-20T08:15:00Z. */
export const nowMs = Date.UTC(2026, 10, 20, 8, 15);

/** The threads of the build. */
export const threads = {
  writer: join(process.cwd(), 'dist', 'writer.cjs'),
  reader: join(process.cwd(), 'dist', 'readings.cjs'),
};

/** How tests open a store; those of real processes take the clock of the machine. */
export const storeOptions = {
  clock: () => nowMs,
  migrationsFolder: join(process.cwd(), 'migrations'),
  threads,
};

/** A store in a temporary folder; it is closed and removed at the end of the file of tests. */
export async function temporaryStore(given?: { isThreaded: boolean }): Promise<Store> {
  const { store, remove } = await fileStore(given);
  atEndOfFile(remove);
  return store;
}

/** A store in a folder of its own; `remove` closes and deletes it. Without threads its clock is written at once. */
export async function fileStore({ isThreaded } = { isThreaded: true }): Promise<{
  path: string;
  store: Store;
  remove: () => Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-store-'));
  const path = join(folder, 'hkctl.db');
  const store = await engineAt(path, {
    ...storeOptions,
    threads: isThreaded ? threads : undefined,
  }).create();
  return {
    path,
    store,
    async remove() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A store in a PostgreSQL database of its own on the shared server, dropped at the end of the file of tests. */
export async function postgresStore(address?: string): Promise<Store> {
  const { newDatabase } = await import('./postgres/databases.ts');
  return engineAt(address ?? (await newDatabase('store')), storeOptions).open();
}

/** A tenant with one entity and one Super user, put into a store. */
export interface Plant {
  tenant: Tenant;
  entity: Entity;
  user: User;
}

/** Fills a store with a plant. */
export async function plantIn(store: Store, name = 'Acme'): Promise<Plant> {
  const tenant: Tenant = {
    id: randomUUID(),
    name,
    weekStart: 'monday',
    createdAtMs: nowMs,
    retainReadingsDays: null,
    longestLifetimeDays: null,
  };
  const user: User = {
    id: randomUUID(),
    tenantId: tenant.id,
    login: `${name.toLowerCase()}-admin`,
    name: 'Ada',
    role: 'super_user',
    status: 'active',
    createdAtMs: nowMs,
    entityIds: null,
  };
  const entity: Entity = {
    id: randomUUID(),
    tenantId: tenant.id,
    code: 'BER',
    name: 'Berlin',
    timezone: 'Europe/Berlin',
    status: 'active',
    createdAtMs: nowMs,
  };
  await store.tenants.insert(tenant, user, entity, draftOf(tenant.id, 'store.init', name));
  return { tenant, entity, user };
}

/** An audit event of a tenant. */
export function draftOf(
  tenantId: string,
  action: AuditDraft['action'],
  target: string,
): AuditDraft {
  return {
    tenantId,
    atMs: nowMs,
    action,
    actor: null,
    osAccount: 'tester',
    target,
    outcome: 'done',
    detail: {},
  };
}

/** A key of a plant, with a number in its prefix and hash. */
export function newKey(
  { tenant, entity, user }: Plant,
  n: number,
  change: Partial<NewKey> = {},
): NewKey {
  return {
    id: randomUUID(),
    tenantId: tenant.id,
    prefix: `hk_${String(n).padStart(5, '0')}`,
    secretHash: `hash-${n}`,
    name: `key ${n}`,
    permissions: ['parts.view'],
    entityId: entity.id,
    createdBy: user.id,
    createdAtMs: nowMs + n,
    expiresAtMs: null,
    rotatedFrom: null,
    allowedIps: [],
    note: null,
    ...change,
  };
}

import { asc, eq, sql } from 'drizzle-orm';
import type { TenantStore } from '../../../core/port/tenants.ts';
import { lazily } from '../connection/lazily.ts';
import type { AppendAudit } from './audit.ts';
import type { Registry } from './registry.ts';
import { entities, tenants, users } from './tables.ts';

/** The columns of a tenant. */
const columns = {
  id: tenants.id,
  name: tenants.name,
  weekStart: tenants.weekStart,
  createdAtMs: tenants.createdAtMs,
};

/** Organizations. */
export function createTenantStore(registry: Registry, append: AppendAudit): TenantStore {
  const { db } = registry;
  const list = lazily(() => db.select(columns).from(tenants).orderBy(asc(tenants.createdAtMs), sql`rowid`).prepare());
  const find = lazily(() =>
    db
      .select(columns)
      .from(tenants)
      .where(eq(tenants.id, sql.placeholder('id')))
      .prepare(),
  );
  return {
    list: () => registry.read(() => list().all()),
    find: (id) => registry.read(() => find().get({ id })),
    insert: (tenant, admin, entity, audit) =>
      registry.change(() => {
        db.insert(tenants).values(tenant).run();
        db.insert(users).values(admin).run();
        if (entity) db.insert(entities).values(entity).run();
        append(audit);
      }),
    update: (id, change, audit) =>
      registry.change(() => {
        if (change.name !== undefined || change.weekStart !== undefined) {
          db.update(tenants).set(change).where(eq(tenants.id, id)).run();
        }
        append(audit);
      }),
  };
}

import { asc, eq, sql } from 'drizzle-orm';
import { lazily } from '../../../core/lazily.ts';
import type { TenantStore } from '../../../core/port/tenants.ts';
import type { AppendAudit } from './audit.ts';
import type { Registry } from './registry.ts';
import { entities, tenants, users } from './tables.ts';

/** Organizations. */
export function createTenantStore(registry: Registry, append: AppendAudit): TenantStore {
  const { db } = registry;
  const list = lazily(() => db.select().from(tenants).orderBy(asc(tenants.createdAtMs), sql`rowid`).prepare());
  const find = lazily(() =>
    db
      .select()
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
        if (Object.keys(change).length > 0) {
          db.update(tenants).set(change).where(eq(tenants.id, id)).run();
        }
        append(audit);
      }),
  };
}

import { eq, sql } from 'drizzle-orm';
import { lazily } from '../../../core/lazily.ts';
import type { TenantStore } from '../../../core/port/tenants.ts';
import type { AppendAudit } from './audit.ts';
import type { Registry } from './registry.ts';
import { entities, tenants, users } from './tables.ts';

/** Organizations. */
export function createTenantStore(registry: Registry, append: AppendAudit): TenantStore {
  const { db } = registry;
  const list = lazily(() => db.select().from(tenants).orderBy(sql`rowid`).prepare());
  const find = lazily(() =>
    db
      .select()
      .from(tenants)
      .where(eq(tenants.id, sql.placeholder('id')))
      .prepare(),
  );
  const first = lazily(() =>
    registry.connection.prepare<[], string>('select id from tenants order by rowid limit 1').pluck(),
  );
  return {
    list: () => registry.read(() => list().all()),
    firstId: () => registry.read(() => first().get()),
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

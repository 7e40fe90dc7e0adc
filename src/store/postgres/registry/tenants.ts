import { asc, eq, getTableColumns } from 'drizzle-orm';
import type { TenantStore } from '../../../core/port/tenants.ts';
import { appendAudit } from './audit.ts';
import type { Registry } from './registry.ts';
import { entities, tenants, users } from './tables.ts';

const { number: _, ...columns } = getTableColumns(tenants);

/** Organizations. */
export function createTenantStore({ database, db, change }: Registry): TenantStore {
  return {
    list: () => db.select(columns).from(tenants).orderBy(asc(tenants.number)),
    async firstId() {
      const [first] = await database.query<{ id: string }>(
        'tenants.first',
        'select id from tenants order by number limit 1',
      );
      return first?.id;
    },
    async find(id) {
      const [tenant] = await db.select(columns).from(tenants).where(eq(tenants.id, id));
      return tenant;
    },
    insert: (tenant, admin, entity, audit) =>
      change(async ({ db, session }) => {
        await db.insert(tenants).values(tenant);
        await db.insert(users).values(admin);
        if (entity) await db.insert(entities).values(entity);
        await appendAudit(session, audit);
      }),
    update: (id, changes, audit) =>
      change(async ({ db, session }) => {
        if (Object.values(changes).some((value) => value !== undefined)) {
          await db.update(tenants).set(changes).where(eq(tenants.id, id));
        }
        await appendAudit(session, audit);
      }),
  };
}

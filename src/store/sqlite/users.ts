import { and, asc, count, eq, ne, sql } from 'drizzle-orm';
import type { User, UserStore } from '../../core/store.ts';
import type { AppendAudit } from './audit.ts';
import { lazily } from './lazily.ts';
import type { Registry } from './registry.ts';
import { users } from './registry-tables.ts';

/** Profiles. */
export function createUserStore(registry: Registry, append: AppendAudit): UserStore {
  const { db } = registry;
  // Every command asks this first: put together by drizzle, it would take as long as opening the store.
  const byLogin = lazily(() =>
    registry.connection.prepare<[string], User>(
      'select id, tenant_id as tenantId, login, name, role, status, created_at_ms as createdAtMs from users where login = ?',
    ),
  );
  const list = lazily(() =>
    db
      .select()
      .from(users)
      .where(eq(users.tenantId, sql.placeholder('tenantId')))
      .orderBy(asc(users.login))
      .prepare(),
  );
  return {
    list: (tenantId) => registry.read(() => list().all({ tenantId })),
    findByLogin: (login) => registry.read(() => byLogin().get(login)),
    insert: (user, audit) =>
      registry.change(() => {
        db.insert(users).values(user).run();
        append(audit);
      }),
    update: (id, change, audit) =>
      registry.change(() => {
        const user = db.select().from(users).where(eq(users.id, id)).get();
        if (!user) return false;
        const next = { ...user, ...change };
        const staysSuper = next.role === 'super_user' && next.status === 'active';
        if (user.role === 'super_user' && user.status === 'active' && !staysSuper) {
          const others = db
            .select({ n: count() })
            .from(users)
            .where(
              and(
                eq(users.tenantId, user.tenantId),
                ne(users.id, id),
                eq(users.role, 'super_user'),
                eq(users.status, 'active'),
              ),
            )
            .get();
          if (others?.n === 0) return false;
        }
        db.update(users).set({ role: next.role, status: next.status }).where(eq(users.id, id)).run();
        append(audit);
        return true;
      }),
  };
}

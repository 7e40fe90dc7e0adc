import { and, asc, count, eq, ne } from 'drizzle-orm';
import { isActiveSuperUser } from '../../../core/access/roles.ts';
import type { UserStore } from '../../../core/port/users.ts';
import { appendAudit } from './audit.ts';
import type { Registry } from './registry.ts';
import { users } from './tables.ts';

/** Users. */
export function createUserStore({ db, change }: Registry): UserStore {
  return {
    list: (tenantId) => db.select().from(users).where(eq(users.tenantId, tenantId)).orderBy(asc(users.login)),
    async findByLogin(login) {
      const [user] = await db.select().from(users).where(eq(users.login, login));
      return user;
    },
    insert: (user, audit) =>
      change(async ({ db, session }) => {
        await db.insert(users).values(user);
        await appendAudit(session, audit);
      }),
    update: (id, changes, audit) =>
      change(async ({ db, session }) => {
        const [user] = await db.select().from(users).where(eq(users.id, id)).for('update');
        if (!user) return false;
        const { role, status } = { ...user, ...changes };
        if (isActiveSuperUser(user) && !isActiveSuperUser({ role, status })) {
          const [others] = await db
            .select({ n: count() })
            .from(users)
            .where(
              and(
                eq(users.tenantId, user.tenantId),
                ne(users.id, id),
                eq(users.role, 'super_user'),
                eq(users.status, 'active'),
              ),
            );
          if (others?.n === 0) return false;
        }
        await db.update(users).set({ role, status }).where(eq(users.id, id));
        await appendAudit(session, audit);
        return true;
      }),
  };
}

import { asc, eq } from 'drizzle-orm';
import type { UserStore } from '../../../core/port/users.ts';
import { losesSuperUser, otherSuperUsers } from '../../registry/users.ts';
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
        if (losesSuperUser(user, changes)) {
          const others = await db.select({ id: users.id }).from(users).where(otherSuperUsers(users, user)).limit(1);
          if (others.length === 0) return false;
        }
        const { role, status } = { ...user, ...changes };
        await db.update(users).set({ role, status }).where(eq(users.id, id));
        await appendAudit(session, audit);
        return true;
      }),
  };
}

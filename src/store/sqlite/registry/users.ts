import { asc, eq, sql } from 'drizzle-orm';
import { commonRole, roleExceeds } from '../../../core/access/roles.ts';
import { lazily } from '../../../core/lazily.ts';
import type { User, UserStore } from '../../../core/port/users.ts';
import type { StateEntry, StateEvent } from '../../journal-lines.ts';
import { losesSuperUser, otherSuperUsers } from '../../registry/users.ts';
import { changeWithJournal } from '../journal/journaled-change.ts';
import type { AppendAudit } from './audit.ts';
import type { Registry } from './registry.ts';
import { users } from './tables.ts';

/** Users. `journal` is the file that names what was stopped. */
export function createUserStore(registry: Registry, append: AppendAudit, journal: string): UserStore {
  const { db } = registry;
  // Every command runs this statement first; built by drizzle, it would take as long as opening the store.
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
    update(id, change, audit) {
      const read = () => db.select().from(users).where(eq(users.id, id)).get();
      // A role may be a lower one.
      const kind = change.status === 'active' ? 'change' : 'stop';
      const changed = changeWithJournal(registry, { journal, kind }, () => {
        const user = read();
        if (!user) return undefined;
        if (losesSuperUser(user, change)) {
          const others = db.select({ id: users.id }).from(users).where(otherSuperUsers(users, user)).limit(1);
          if (!others.get()) return undefined;
        }
        const { role, status } = { ...user, ...change };
        return {
          ...entriesOf(user, change, audit.atMs),
          commit() {
            db.update(users).set({ role, status }).where(eq(users.id, id)).run();
            append(audit);
            return true;
          },
          stillHolds() {
            const now = read();
            return now !== undefined && Object.entries(change).every(([name, value]) => now[name as 'role'] === value); // the names of a change
          },
        };
      });
      return changed ?? false;
    },
  };
}

/**
 * The journal entries of a change. A new role that grants some permissions and removes others is first recorded as a role
 * with no permission beyond both.
 */
function entriesOf(
  user: User,
  change: Parameters<UserStore['update']>[1],
  atMs: number,
): { stops: StateEntry[]; starts: StateEntry[] } {
  const entry = (event: StateEvent): StateEntry => ({ atMs, event, of: 'user', id: user.id, name: user.login });
  const stops: StateEntry[] = [];
  const starts: StateEntry[] = [];
  if (change.status === 'inactive') stops.push(entry('deactivated'));
  if (change.status === 'active') starts.push(entry('activated'));
  if (change.role !== undefined) {
    const lower = roleExceeds(user.role, change.role) ? commonRole(user.role, change.role) : undefined;
    if (lower !== undefined) stops.push(entry(`role:${lower}`));
    if (lower !== change.role) starts.push(entry(`role:${change.role}`));
  }
  return { stops, starts };
}

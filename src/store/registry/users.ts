import { and, type Column, eq, ne, type SQL } from 'drizzle-orm';
import { isActiveSuperUser } from '../../core/access/roles.ts';
import type { User } from '../../core/port/users.ts';

/** Whether a change takes an active Super user from an organization, of which another one must be left. */
export function losesSuperUser(user: User, change: Partial<Pick<User, 'role' | 'status'>>): boolean {
  return isActiveSuperUser(user) && !isActiveSuperUser({ ...user, ...change });
}

/** The other active Super users of a user's organization. */
export function otherSuperUsers(
  users: Record<'id' | 'tenantId' | 'role' | 'status', Column>,
  { id, tenantId }: User,
): SQL | undefined {
  const isOther = and(eq(users.tenantId, tenantId), ne(users.id, id));
  return and(isOther, eq(users.role, 'super_user'), eq(users.status, 'active'));
}

import { type AuditAction, isActiveSuperUser, type Role } from '../access/roles.ts';
import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { AuditDraft } from '../port/audit.ts';
import type { Key } from '../port/keys.ts';
import type { User, UserChange } from '../port/users.ts';
import { holdsSecret } from '../secrets.ts';
import { requireLabel } from '../text/labels.ts';
import { quotedName } from '../text/shown-text.ts';
import { didYouMean, nearest } from '../text/words.ts';
import { requireEntity } from './entities.ts';

/** Adds a profile. `duplicate` (exit 5) if the login is taken, in whatever tenant. Needs `users.manage`. */
export async function addUser(
  domain: Domain,
  actor: Actor,
  input: { login: string; name: string; role: Role; entities?: readonly string[] },
): Promise<User> {
  await requirePermissions(domain, actor, 'user.add', input.login);
  const { login, role, entities = [] } = input;
  requireLogin(login);
  requireConfinable(role, entities);

  const isConfined = entities.length > 0;
  const user: User = {
    login,
    role,
    name: requireLabel(input.name, 'The name of a user'),
    id: domain.newId(),
    tenantId: actor.user.tenantId,
    status: 'active',
    createdAtMs: domain.clock(),
    entityIds: isConfined ? await entityIdsOf(domain, actor, entities) : null,
  };

  const detail = { name: user.name, role, ...confinementDetail(entities) };
  const audit = auditDraft(domain, actor, 'user.add', user.login, detail);
  await domain.store.users.insert(user, audit);
  return user;
}

/** A Super user sees every entity. Throws `usage`. */
function requireConfinable(role: Role, entities: readonly string[]): void {
  if (role !== 'super_user' || entities.length === 0) return;

  throw new HkctlError('usage', 'A Super user sees every entity: leave out --entity.', {
    hint: 'Choose another role, such as entity_admin, for a user of some entities.',
  });
}

async function entityIdsOf(
  domain: Domain,
  actor: Actor,
  codes: readonly string[],
): Promise<string[]> {
  const entityIds = new Set<string>();
  for (const code of codes) {
    const { id } = await requireEntity(domain, actor, code);
    entityIds.add(id);
  }
  return [...entityIds];
}

function confinementDetail(entities: readonly string[] | 'all'): { entities?: string } {
  if (entities === 'all') return { entities: 'all' };
  return entities.length === 0 ? {} : { entities: entities.join(' ') };
}

/** The keys that stop and work again with a profile: not the keys of inactive entities, and none of an inactive profile. */
export async function workingKeysOfUser(
  domain: Domain,
  actor: Actor,
  login: string,
): Promise<Key[]> {
  const user = await requireUser(domain, actor, login);
  if (user.status === 'inactive') return [];
  const keys = await domain.store.keys.activeOf({ createdBy: user.id }, domain.clock());
  return keys.filter(({ entity }) => entity?.status === 'active');
}

/** Throws `state_forbids` for the last active Super user of a tenant, before the question. */
export async function requireAnotherSuperUser(
  domain: Domain,
  actor: Actor,
  login: string,
): Promise<void> {
  const user = await requireUser(domain, actor, login);
  const users = await domain.store.users.list(actor.user.tenantId);
  const hasAnother = users.some((other) => other.id !== user.id && isActiveSuperUser(other));
  if (isActiveSuperUser(user) && !hasAnother) throw lastSuperUser(login);
}

function lastSuperUser(login: string): HkctlError {
  return new HkctlError(
    'state_forbids',
    `${login} is the last active Super user of this organization.`,
    {
      hint: 'Give another profile the role first: hkctl users set-role LOGIN super_user',
    },
  );
}

/** A role, and the codes of the entities to which it is confined; without them the profile stays confined as it is. */
interface RoleChange {
  role: Role;
  entities?: readonly string[] | 'all';
}

type ProfileChange = RoleChange | { status: User['status'] };

/**
 * Changes the status of a profile, or its role and the entities to which it is confined; a Super user is confined to none. The last
 * active Super user of a tenant cannot be lost (exit 5). Needs `users.manage`.
 */
export async function updateUser(
  domain: Domain,
  actor: Actor,
  login: string,
  change: ProfileChange,
): Promise<User> {
  const action = actionOf(change);
  await requirePermissions(domain, actor, action, login);
  const user = await requireUser(domain, actor, login);

  const userChange = 'role' in change ? await roleChange(domain, actor, change) : change;
  const audit = auditDraft(domain, actor, action, login, detailOf(change));
  const isUpdated = await domain.store.users.update(user.id, userChange, audit);
  if (!isUpdated) throw lastSuperUser(login);
  return { ...user, ...userChange };
}

function actionOf(change: ProfileChange): AuditAction {
  if ('role' in change) return 'user.set_role';
  return change.status === 'active' ? 'user.activate' : 'user.deactivate';
}

function detailOf(change: ProfileChange): AuditDraft['detail'] {
  if (!('role' in change)) {
    return { status: change.status };
  }
  return { role: change.role, ...confinementDetail(change.entities ?? []) };
}

async function roleChange(
  domain: Domain,
  actor: Actor,
  { role, entities = [] }: RoleChange,
): Promise<UserChange> {
  if (entities !== 'all') requireConfinable(role, entities);
  if (role === 'super_user' || entities === 'all') {
    return { role, entityIds: null };
  }
  if (entities.length === 0) return { role };
  return { role, entityIds: await entityIdsOf(domain, actor, entities) };
}

async function requireUser(domain: Domain, actor: Actor, login: string): Promise<User> {
  const { tenantId } = actor.user;
  const user = await domain.store.users.findByLogin(login);
  if (user?.tenantId === tenantId) return user;

  const users = await domain.store.users.list(tenantId);
  const logins = users.map((other) => other.login);
  const suggestion = nearest(login, logins);
  throw new HkctlError('not_found', `No user ${quotedName(login)} in this organization.`, {
    hint: `${didYouMean(suggestion)}hkctl users list shows them.`,
  });
}

function isLogin(loginText: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.@\\$-]{0,63}$/.test(loginText);
}

/** A login as operating systems allow it, domain accounts included. Throws `bad_input`. */
export function requireLogin(login: string): void {
  if (!isLogin(login) || holdsSecret(login)) {
    throw new HkctlError(
      'bad_input',
      `${quotedName(login)} is not a login: use 1 to 64 letters, digits and _ . @ - \\ $.`,
    );
  }
}

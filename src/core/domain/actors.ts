import {
  type AuditAction,
  actions,
  roleHolds,
  roles,
  rolesHolding,
  type UserPermission,
} from '../access/roles.ts';
import { HkctlError } from '../errors.ts';
import type { AuditDraft } from '../port/audit.ts';
import type { User } from '../port/users.ts';
import { withoutSecrets } from '../secrets.ts';
import { shellWord } from '../text/quoting.ts';
import { cutText, printable } from '../text/shown-text.ts';
import { isSameEntities } from './confinement.ts';
import type { Domain } from './domain.ts';

/** Who acts: the profile, and the account of the operating system it was called from. Audit records hold both. */
export interface Actor {
  user: User;
  osAccount: string;
}

/** An actor who holds the permissions for some actions, as {@link requirePermissions} found; nothing else makes one. */
export type Permitted<A extends AuditAction> = Actor & {
  readonly [granted]: { readonly [P in (typeof actions)[A][number]]: true };
};

declare const granted: unique symbol;

/** Finds the profile of a login. Throws `no_profile` or `profile_inactive` (exit 4) and audits such an attempt. */
export async function findActor(domain: Domain, login: string, osAccount: string): Promise<Actor> {
  const user = await domain.store.users.findByLogin(login);
  if (user?.status !== 'active') {
    await domain.store.audit.append(refusedProfile(domain, login, osAccount, user));
  }

  if (!user) {
    throw new HkctlError('no_profile', `No user profile has the login "${printable(login)}".`, {
      hint: `Ask a Super user to run: hkctl users add ${shellWord(login)} --name NAME --role ROLE. Or name another profile with --as LOGIN.`,
    });
  }
  if (user.status === 'inactive') {
    throw new HkctlError('profile_inactive', `The user profile "${login}" is inactive.`, {
      hint: `Ask a Super user to run: hkctl users activate ${shellWord(login)}`,
    });
  }
  return { user, osAccount };
}

/** After a wait for a person: `not_permitted`, audited, if the profile is inactive, gone or has another role by now. */
export async function requireUnchanged(domain: Domain, { user, osAccount }: Actor): Promise<void> {
  const currentActor = await findActor(domain, user.login, osAccount);
  const { id, role, entityIds } = currentActor.user;
  const isSameRole = id === user.id && role === user.role;
  if (isSameRole && isSameEntities(entityIds, user.entityIds)) return;

  const detail = { reason: 'role_changed' };
  const draft = auditDraft(domain, currentActor, 'profile.use', user.login, detail);
  await domain.store.audit.append({ ...draft, outcome: 'denied' });
  const message = `The role of "${printable(user.login)}" was changed meanwhile; nothing was changed.`;
  throw new HkctlError('not_permitted', message, { hint: 'Give the command again.' });
}

/** An unknown login belongs to no tenant; record the event for the store. */
function refusedProfile(
  domain: Domain,
  login: string,
  osAccount: string,
  user: User | undefined,
): AuditDraft {
  return {
    tenantId: user?.tenantId ?? null,
    atMs: domain.clock(),
    action: 'profile.use',
    actor: user ? { id: user.id, login: user.login } : null,
    osAccount,
    // Nothing has validated this text, and no valid login is longer. Secrets are cut first: half of one would not be recognised.
    target: cutText(withoutSecrets(login), 64),
    outcome: 'denied',
    detail: { reason: user ? 'profile_inactive' : 'no_profile' },
  };
}

export function actorHolds(actor: Actor, permission: UserPermission): boolean {
  return roleHolds(actor.user.role, permission);
}

/** Returns the actor, marked as permitted to do an action. Throws `not_permitted` (exit 4), and audits the refused attempt. */
export async function requirePermissions<A extends AuditAction>(
  domain: Domain,
  actor: Actor,
  action: A,
  target: string,
): Promise<Permitted<A>> {
  const needed: readonly UserPermission[] = actions[action];
  const missing = needed.filter((permission) => !actorHolds(actor, permission));
  const [firstMissing] = missing;
  const isOfOtherTenant =
    needed.includes('store.manage') && !(await isOfFirstTenant(domain, actor));
  if (firstMissing === undefined && !isOfOtherTenant) return actor as Permitted<A>; // the mark exists for the compiler only

  const detail: AuditDraft['detail'] =
    firstMissing === undefined
      ? { reason: 'not_of_first_organization' }
      : { missing: missing.join(' ') };
  await domain.store.audit.append({
    ...auditDraft(domain, actor, action, target, detail),
    outcome: 'denied',
  });

  if (firstMissing === undefined) {
    throw new HkctlError(
      'not_permitted',
      'Only a Super user of the first organization may do this, since it concerns the data of every organization.',
      {
        hint: 'Ask one of them: hkctl tenants list shows the first organization to its own Super users.',
      },
    );
  }
  throw new HkctlError(
    'not_permitted',
    `This needs the permission ${missing.join(' and ')}, which the role ${roles[actor.user.role].label} does not hold.`,
    {
      hint: `Ask someone with the role ${rolesHolding(firstMissing).join(' or ')}, or a Super user to change yours.`,
    },
  );
}

/** Whether the actor is of the first organization, whose Super users look after the store as a whole. */
export async function isOfFirstTenant(
  { store }: Pick<Domain, 'store'>,
  { user }: Actor,
): Promise<boolean> {
  return (await store.tenants.firstId()) === user.tenantId;
}

/** Builds the audit event of an action that was done; a refused or failed one needs another `outcome`. */
export function auditDraft(
  domain: Pick<Domain, 'clock'>,
  actor: Actor,
  action: AuditAction,
  target: string,
  detail: AuditDraft['detail'] = {},
): AuditDraft {
  return {
    tenantId: actor.user.tenantId,
    atMs: domain.clock(),
    action,
    actor: { id: actor.user.id, login: actor.user.login },
    osAccount: actor.osAccount,
    target,
    outcome: 'done',
    detail,
  };
}

import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Entity } from '../port/entities.ts';
import type { Tenant, TenantChange } from '../port/tenants.ts';
import type { User } from '../port/users.ts';
import { requireLabel } from '../text/labels.ts';
import type { WeekDay } from '../time/calendar.ts';
import { newEntity } from './entities.ts';
import { requireLogin } from './users.ts';

/** The most days of a retention and of a lifetime; no limit at all is more. */
const mostDays = 36_500;

/** Reads a retention such as `400d` to days, `forever` to null. Throws `usage`. */
export function parseRetention(retentionText: string): number | null {
  const rule = `days such as 400d, at most ${mostDays}d, or forever`;
  return parseDays(retentionText, 'forever', `a retention: give ${rule}`);
}

export function shownRetention(days: number | null): string {
  return days === null ? 'forever' : `${days}d`;
}

/** Reads a longest lifetime such as `365d` to days, `off` to null. Throws `usage`. */
export function parseLongestLifetime(lifetimeText: string): number | null {
  const rule = `days such as 365d, at most ${mostDays}d, or off`;
  return parseDays(lifetimeText, 'off', `a longest lifetime: give ${rule}`);
}

export function shownLongestLifetime(days: number | null): string {
  return days === null ? 'off' : `${days}d`;
}

function parseDays(daysText: string, unlimitedWord: string, rule: string): number | null {
  if (daysText === unlimitedWord) return null;

  const isInDays = /^[1-9]\d{0,4}d$/.test(daysText);
  const days = isInDays ? Number(daysText.slice(0, -1)) : Number.POSITIVE_INFINITY;
  if (days <= mostDays) return days;
  throw new HkctlError('usage', `"${daysText}" is not ${rule}.`);
}

export interface FirstTenantInput {
  name: string;
  weekStart: WeekDay;
  entity: { code: string; name: string; timezone: string };
  admin: { login: string; name: string };
}

/** Fills an empty store: the first organization, its first entity and its first Super user (`hkctl init`). */
export async function initialise(
  domain: Domain,
  input: FirstTenantInput,
  osAccount: string,
): Promise<{ tenant: Tenant; entity: Entity; user: User }> {
  const { tenant, user } = newTenant(domain, input);
  const entity = newEntity(domain, tenant.id, input.entity);
  const audit = auditDraft(domain, { user, osAccount }, 'store.init', tenant.name, {
    entity: entity.code,
    admin: user.login,
  });
  await domain.store.tenants.insert(tenant, user, entity, audit);
  return { tenant, entity, user };
}

/** Organizations the actor may see: all for a Super user of the first, else their own. */
export async function listTenants(domain: Domain, actor: Actor): Promise<Tenant[]> {
  await requirePermissions(domain, actor, 'tenant.list', 'tenants');
  const { tenantId } = actor.user;
  const tenants = await domain.store.tenants.list();
  const isOfFirst = tenants[0]?.id === tenantId;
  return isOfFirst ? tenants : tenants.filter((tenant) => tenant.id === tenantId);
}

/** Adds an organization with its first Super user. For a Super user of the first organization only. */
export async function addTenant(
  domain: Domain,
  actor: Actor,
  input: Omit<FirstTenantInput, 'entity'>,
): Promise<Tenant> {
  await requirePermissions(domain, actor, 'tenant.add', input.name);
  const { tenant, user } = newTenant(domain, input);
  const audit = auditDraft(domain, actor, 'tenant.add', tenant.name, {
    admin: user.login,
    week_start: tenant.weekStart,
  });
  await domain.store.tenants.insert(tenant, user, undefined, audit);
  return tenant;
}

/** Changes name, week start, retention or the longest lifetime of keys of the actor's own organization. Needs `tenant.manage`. */
export async function updateTenant(
  domain: Domain,
  actor: Actor,
  change: TenantChange,
): Promise<Tenant> {
  await requirePermissions(domain, actor, 'tenant.set', 'tenant');
  const name =
    change.name === undefined
      ? undefined
      : requireLabel(change.name, 'The name of an organization');
  const tenant = await domain.store.tenants.find(actor.user.tenantId);
  if (!tenant) throw new HkctlError('not_found', 'This organization is no longer in the store.');

  // A missing field stays as it is; an undefined one would replace it.
  const changes = {
    ...(name !== undefined && { name }),
    ...(change.weekStart !== undefined && { weekStart: change.weekStart }),
    ...(change.retainReadingsDays !== undefined && {
      retainReadingsDays: change.retainReadingsDays,
    }),
    ...(change.longestLifetimeDays !== undefined && {
      longestLifetimeDays: change.longestLifetimeDays,
    }),
  };
  const detail = {
    name: name ?? null,
    week_start: change.weekStart ?? null,
    ...(change.retainReadingsDays !== undefined && {
      retain_readings: shownRetention(change.retainReadingsDays),
    }),
    ...(change.longestLifetimeDays !== undefined && {
      longest_lifetime: shownLongestLifetime(change.longestLifetimeDays),
    }),
  };

  const audit = auditDraft(domain, actor, 'tenant.set', tenant.name, detail);
  await domain.store.tenants.update(tenant.id, changes, audit);
  return { ...tenant, ...changes };
}

function newTenant(
  domain: Domain,
  input: Omit<FirstTenantInput, 'entity'>,
): { tenant: Tenant; user: User } {
  requireLogin(input.admin.login);
  const nowMs = domain.clock();
  const tenant: Tenant = {
    id: domain.newId(),
    name: requireLabel(input.name, 'The name of an organization'),
    weekStart: input.weekStart,
    createdAtMs: nowMs,
    retainReadingsDays: null,
    longestLifetimeDays: null,
  };
  const user: User = {
    ...input.admin,
    name: requireLabel(input.admin.name, 'The name of a user'),
    id: domain.newId(),
    tenantId: tenant.id,
    role: 'super_user',
    status: 'active',
    createdAtMs: nowMs,
    entityIds: null,
  };
  return { tenant, user };
}

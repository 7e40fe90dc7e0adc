import { clientPermissions } from '../../core/access/permissions.ts';
import { roleHolds } from '../../core/access/roles.ts';
import type { Domain } from '../../core/domain/domain.ts';
import type { Context } from '../command/context.ts';
import type { Candidate, ValueKind } from './point.ts';

/** As many keys as a person can choose from. */
const mostKeys = 200;

/**
 * The values of a kind, for the beginning of a word behind flags that may name the store and the profile. Pressing Tab is never refused: if the profile may not
 * list them, there are none, and nothing is audited.
 */
export async function valuesOfKind(
  context: Context,
  kind: ValueKind,
  begin: string,
  flags: ReadonlyMap<string, string>,
): Promise<Candidate[]> {
  if (kind === 'permissions') return clientPermissions.map((value) => ({ value, doc: '' }));
  if (kind === 'resources') {
    const resources = (await context.services.resources()).map(({ name, title }) => ({ value: name, doc: title }));
    return [...resources, { value: 'readings', doc: 'Readings of sensors' }];
  }
  const path = flags.get('store');
  const login = flags.get('as') ?? context.login;
  if (path === undefined) return storedValues(await context.domain(), login, kind, begin);
  const store = await (await context.services.engine(path)).open();
  try {
    return await storedValues(context.domainOf(store), login, kind, begin);
  } finally {
    await store.close();
  }
}

async function storedValues(
  { store, clock }: Domain,
  login: string,
  kind: Exclude<ValueKind, 'permissions' | 'resources'>,
  begin: string,
): Promise<Candidate[]> {
  const user = await store.users.findByLogin(login);
  if (user?.status !== 'active') return [];
  const { tenantId, role } = user;
  if (kind === 'entities') {
    return (await store.entities.list(tenantId)).map(({ code, name }) => ({ value: code, doc: name }));
  }
  if (kind === 'users') {
    if (!roleHolds(role, 'users.manage')) return [];
    return (await store.users.list(tenantId)).map(({ login, name }) => ({ value: login, doc: name }));
  }
  if (!roleHolds(role, 'api_keys.view')) return [];
  const statuses = kind === 'active-keys' ? (['Active'] as const) : [];
  const search = begin.length > 'hk_'.length ? begin : undefined;
  const keys = await store.keys.list(tenantId, { nowMs: clock(), statuses, search }, { limit: mostKeys });
  return keys.map(({ prefix, name }) => ({ value: prefix, doc: name }));
}

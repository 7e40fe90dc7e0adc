import { clientPermissions } from '../../core/access/permissions.ts';
import { roleHolds } from '../../core/access/roles.ts';
import type { Store } from '../../core/port/store.ts';
import type { User } from '../../core/port/users.ts';
import type { Context } from '../context.ts';
import type { Candidate, ValueKind } from './point.ts';

/** As many keys as a person can choose from. */
const mostKeys = 200;

/**
 * The values of a kind, for the beginning of a word. Somebody who only presses Tab is not refused: where the profile may not
 * list them there are none, and nothing is audited.
 */
export async function valuesOfKind(
  context: Context,
  kind: ValueKind,
  begin: string,
  { store: path, login = context.login }: { store: string | undefined; login: string | undefined },
): Promise<Candidate[]> {
  if (kind === 'permissions') return clientPermissions.map((value) => ({ value, doc: '' }));
  if (kind === 'resources') {
    return (await context.services.resources()).map(({ name, title }) => ({ value: name, doc: title }));
  }
  const store = await context.services.openStore(path ?? context.storePath);
  try {
    const user = await store.users.findByLogin(login);
    return user?.status === 'active' ? await storedValues(store, user, kind, begin, context.io.clock()) : [];
  } finally {
    await store.close();
  }
}

async function storedValues(
  store: Store,
  { tenantId, role }: User,
  kind: Exclude<ValueKind, 'permissions' | 'resources'>,
  begin: string,
  nowMs: number,
): Promise<Candidate[]> {
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
  const keys = await store.keys.list(tenantId, { nowMs, statuses, search }, { limit: mostKeys });
  return keys.map(({ prefix, name }) => ({ value: prefix, doc: name }));
}

import { type Actor, actorHolds, type Domain } from '../../../core/actors.ts';
import { statusOf } from '../../../core/keys.ts';
import type { Key, KeyFilter } from '../../../core/store.ts';
import type { FlagValues } from '../../flags.ts';
import { baseUrlOf } from './base-url.ts';
import { filterOf, type listFlags } from './list.ts';

/** What the settings page shows at a moment (specification 5.4); both its forms, drawn and linear, are made from it. */
export interface PageView {
  keys: readonly Key[];
  /** Keys before the first of `keys`. */
  offset: number;
  total: number;
  /** How many keys there are without the search; for the empty states. */
  inactiveOnly: boolean;
  showInactive: boolean;
  search: string;
  documentation: string | undefined;
  mayView: boolean;
  mayCreate: boolean;
  mayRevoke: boolean;
  mayRotate: boolean;
  nowMs: number;
}

/** What the person has chosen to see. */
export interface PageWish {
  /** The filters of the command line, which hold beside what is chosen on the page. */
  given: FlagValues<typeof listFlags>;
  showInactive: boolean;
  search: string;
  baseUrl: string | undefined;
  offset: number;
  limit: number;
}

/** Reads what a wish asks for. Without `api_keys.view` nothing is read. */
export async function readPage(domain: Domain, actor: Actor, wish: PageWish): Promise<PageView> {
  const nowMs = domain.clock();
  const mayView = actorHolds(actor, 'api_keys.view');
  const mayCreate = actorHolds(actor, 'api_keys.create');
  const mayRevoke = actorHolds(actor, 'api_keys.delete');
  const common = {
    showInactive: wish.showInactive,
    search: wish.search,
    documentation: await documentationOf(domain, wish.baseUrl),
    mayView,
    mayCreate,
    mayRevoke,
    mayRotate: mayCreate && mayRevoke,
    nowMs,
  };
  if (!mayView) return { ...common, keys: [], offset: 0, total: 0, inactiveOnly: false };
  const search = wish.search === '' ? undefined : wish.search;
  const filter = { ...(await filterOf(domain, actor, { ...wish.given, all: wish.showInactive })), search };
  const { keys: store } = domain.store;
  const total = await store.count(actor.user.tenantId, filter);
  const offset = Math.max(0, Math.min(wish.offset, total - 1));
  const keys = await pageAt(domain, actor, filter, offset, wish.limit);
  const inactiveOnly =
    total === 0 && !wish.showInactive && (await store.count(actor.user.tenantId, { ...filter, statuses: [] })) > 0;
  return { ...common, keys, offset, total, inactiveOnly };
}

/** The store pages by position, never by number: the pages before are read over, 500 keys at a time. */
async function pageAt(domain: Domain, actor: Actor, filter: KeyFilter, offset: number, limit: number): Promise<Key[]> {
  let after: { createdAtMs: number; id: string } | undefined;
  for (let left = offset; left > 0; ) {
    const step = await domain.store.keys.list(actor.user.tenantId, filter, { limit: Math.min(left, 500), after });
    const last = step.at(-1);
    if (!last) return [];
    after = last;
    left -= step.length;
  }
  return domain.store.keys.list(actor.user.tenantId, filter, { limit, after });
}

async function documentationOf(domain: Domain, given: string | undefined): Promise<string | undefined> {
  const baseUrl = await baseUrlOf(domain, given);
  return baseUrl && `${baseUrl}/api/v1/docs`;
}

/** Whether a tile offers Rotate and Revoke: only on active keys, and only to those who may. */
export function offersOf(view: PageView, key: Key): { rotate: 'offered' | 'disabled' | 'none'; revoke: boolean } {
  if (statusOf(key, view.nowMs) !== 'Active') return { rotate: 'none', revoke: false };
  return { rotate: view.mayRotate ? 'offered' : 'disabled', revoke: view.mayRevoke };
}

/** The sentences of an empty page: what there is to do. */
export function emptyLines(view: PageView): string[] {
  if (!view.mayView) {
    return [
      'You do not have permission to view API keys.',
      'Ask for a role that holds api_keys.view, such as Entity admin.',
    ];
  }
  const create = view.mayCreate ? 'Create key' : undefined;
  if (view.search !== '' && !view.inactiveOnly) return [`No keys match "${view.search}".`];
  if (view.inactiveOnly) return ['No active keys.', ['Show inactive keys', create].filter(Boolean).join(' or ')];
  return ['No API keys yet.', ...(create ? [create] : [])];
}

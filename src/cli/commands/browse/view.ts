import { type Actor, actorHolds } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { expiresSoonMs } from '../../../core/keys/attention.ts';
import { statusOf } from '../../../core/keys/keys.ts';
import { type DayUsage, usageOf } from '../../../core/keys/usage.ts';
import type { Key, KeyFilter, KeyPageRequest, KeyPosition } from '../../../core/port/keys.ts';
import { baseUrlOf } from '../../command/command.ts';
import type { FlagValues } from '../../command/flags.ts';
import { filterOf, type listFlags } from '../keys/list.ts';
import { type Order, readSorted } from './sorted.ts';

/** The content of the settings page (specification 5.4), for both its forms, drawn and linear. */
export interface PageView {
  keys: readonly Key[];
  offset: number;
  /** Index in `keys` of the key at the requested place, or nearest to it. */
  chosen: number;
  usage: readonly DayUsage[];
  total: number;
  /** How many of them are active and expire within 14 days. */
  expiringSoon: number;
  /** Whether the list is empty only because inactive keys are hidden. */
  inactiveOnly: boolean;
  showInactive: boolean;
  activeOnly: boolean;
  search: string;
  order: Order;
  expiringOnly: boolean;
  documentation: string | undefined;
  mayView: boolean;
  mayCreate: boolean;
  mayRevoke: boolean;
  mayRotate: boolean;
  nowMs: number;
}

/**
 * A place in the list: a key with its number there (counted if it is not known), or one of the ends. Reading a page costs
 * the same at any place.
 */
export type Place = { key: KeyPosition; number: number | undefined } | 'start' | 'end';

/** The choices that decide which keys the page shows. */
export interface PageSettings {
  /** The filters of the command line, which apply in addition to the choices on the page. */
  given: FlagValues<typeof listFlags>;
  showInactive: boolean;
  search: string;
  order: Order;
  expiringOnly: boolean;
  baseUrl: string | undefined;
  at: Place;
  /** How many keys to show above the place, and from it on. */
  above: number;
  below: number;
}

/** Creates the function that reads the page for given settings. Without `api_keys.view` it reads no keys. */
export function createPageReader(domain: Domain, actor: Actor): (settings: PageSettings) => Promise<PageView> {
  const count = createCounter(domain, actor);
  const countSoon = createCounter(domain, actor);
  return async (settings) => {
    const nowMs = domain.clock();
    const mayView = actorHolds(actor, 'api_keys.view');
    const mayCreate = actorHolds(actor, 'api_keys.create');
    const mayRevoke = actorHolds(actor, 'api_keys.delete');
    const common = {
      showInactive: settings.showInactive,
      activeOnly: !settings.showInactive && (settings.given.status ?? 'active') === 'active',
      search: settings.search,
      order: settings.order,
      expiringOnly: settings.expiringOnly,
      documentation: await documentationOf(domain, settings.baseUrl),
      mayView,
      mayCreate,
      mayRevoke,
      mayRotate: mayCreate && mayRevoke,
      nowMs,
    };
    const nothing = { keys: [], offset: 0, chosen: 0, usage: [], total: 0, expiringSoon: 0, inactiveOnly: false };
    if (!mayView) return { ...common, ...nothing };
    const { showInactive: all, search, order, expiringOnly, at } = settings;
    const given = await filterOf(domain, actor, { ...settings.given, all, search });
    const filter = expiringOnly ? (soonExpiring(given) ?? given) : given;
    const window =
      order === 'newest'
        ? await readWindow(domain, actor, filter, settings, count)
        : await readSorted(domain, actor, filter, { at, order });
    const inactiveOnly = window.total === 0 && !settings.showInactive && (await count({ ...filter, statuses: [] })) > 0;
    const { total } = window;
    const soon = soonExpiring(filter);
    const expiringSoon = total === 0 || !soon ? 0 : await countSoon(soon);
    const chosen = window.keys[window.chosen];
    const usage = chosen ? await usageOf(domain, chosen) : [];
    return { ...common, ...window, usage, inactiveOnly, expiringSoon };
  };
}

type Counter = (filter: KeyFilter) => Promise<number>;

/** The active keys of a filter that expire within 14 days; undefined if it excludes active keys. */
function soonExpiring(filter: KeyFilter): KeyFilter | undefined {
  const { nowMs, statuses = [], expiringByMs = Number.POSITIVE_INFINITY } = filter;
  if (statuses.length > 0 && !statuses.includes('Active')) return undefined;
  return { ...filter, statuses: ['Active'], expiringByMs: Math.min(expiringByMs, nowMs + expiresSoonMs) };
}

/**
 * Counts again only if the choices of the page differ, keys may have changed, or a minute has passed, in which a key may
 * have expired: counting costs more than all else on the page.
 */
function createCounter({ store }: Domain, actor: Actor): Counter {
  let last: { of: string; total: number } | undefined;
  return async (filter) => {
    const { statuses, search, nowMs } = filter;
    const minute = Math.floor(nowMs / 60_000);
    // The other instants of the filter lie at fixed distances from now.
    const of = JSON.stringify({ statuses, search, minute, version: await store.keys.version() });
    if (last?.of !== of) last = { of, total: await store.keys.count(actor.user.tenantId, filter) };
    return last.total;
  };
}

/** Reads the keys around a place, or at the start if all of those are gone. */
async function readWindow(
  domain: Domain,
  actor: Actor,
  filter: KeyFilter,
  { at, above, below }: Pick<PageSettings, 'at' | 'above' | 'below'>,
  count: Counter,
): Promise<Pick<PageView, 'keys' | 'offset' | 'chosen' | 'total'>> {
  const list = async (page: KeyPageRequest) =>
    page.limit === 0 ? [] : domain.store.keys.list(actor.user.tenantId, filter, page);
  const place = typeof at === 'string' ? undefined : at.key;
  const before = at === 'start' ? [] : await list({ limit: above, before: place ?? 'end' });
  const from = at === 'end' ? [] : await list({ limit: below, from: place });
  const keys = [...before, ...from];
  if (keys.length === 0 && place) return readWindow(domain, actor, filter, { at: 'start', above, below }, count);
  const isFirst = at === 'start' || before.length < above;
  const isLast = at === 'end' || from.length < below;
  const total = isFirst && isLast ? keys.length : await count(filter);
  // How many keys of the list precede the place.
  const preceding = async ({ createdAtMs }: KeyPosition) => {
    const createdBeforeMs = Math.min(filter.createdBeforeMs ?? Number.POSITIVE_INFINITY, createdAtMs + 1);
    const notNewer = await domain.store.keys.count(actor.user.tenantId, { ...filter, createdBeforeMs });
    // Keys made at the same instant are ordered by id.
    const equallyOld = before.filter((key) => key.createdAtMs === createdAtMs).length;
    return total - notNewer + equallyOld;
  };
  const placed = typeof at === 'string' ? 0 : (at.number ?? (await preceding(at.key)));
  const number = placed - before.length;
  return {
    keys,
    // Other processes may have changed the keys above meanwhile; at both ends the number is exact again.
    offset: isFirst ? 0 : Math.max(0, isLast ? total - keys.length : Math.min(number, total - keys.length)),
    chosen: Math.max(0, Math.min(before.length, keys.length - 1)),
    total,
  };
}

/** The place of a read key by its index, clamped to the first and last. */
export function placeAt({ keys, offset }: PageView, index: number): Place {
  const at = Math.max(0, Math.min(index, keys.length - 1));
  const key = keys[at];
  return key ? { key, number: offset + at } : 'start';
}

/** The place of the chosen key in another list, if its number is not known yet. */
export function chosenPlace({ keys, chosen }: PageView): Place {
  const key = keys[chosen];
  return key ? { key, number: undefined } : 'start';
}

async function documentationOf(domain: Domain, given: string | undefined): Promise<string | undefined> {
  const baseUrl = await baseUrlOf(domain, given);
  return baseUrl && `${baseUrl}/api/v1/docs`;
}

/** Whether a tile offers Rotate and Revoke: only for active keys, and by the actor's permissions. */
export function offersOf(view: PageView, key: Key): { rotate: 'offered' | 'disabled' | 'none'; revoke: boolean } {
  if (statusOf(key, view.nowMs) !== 'Active') return { rotate: 'none', revoke: false };
  return { rotate: view.mayRotate ? 'offered' : 'disabled', revoke: view.mayRevoke };
}

export function emptyLines(view: PageView): string[] {
  if (!view.mayView) {
    return [
      'You do not have permission to view API keys.',
      'Ask for a role that holds api_keys.view, such as Entity admin.',
    ];
  }
  const create = view.mayCreate ? 'Create key' : undefined;
  if (view.search !== '' && !view.inactiveOnly) return [`No keys match "${view.search}".`];
  if (view.expiringOnly) return ['No key expires within 14 days.'];
  if (view.inactiveOnly) return ['No active keys.', ['Show inactive keys', create].filter(Boolean).join(' or ')];
  return ['No API keys yet.', ...(create ? [create] : [])];
}

import { type Actor, actorHolds } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { expiresSoon } from '../../../core/keys/keys.ts';
import { usageOf } from '../../../core/keys/usage.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { UsageCount } from '../../../core/port/usage.ts';
import { baseUrlOf } from '../../command/command.ts';
import type { FlagValues } from '../../command/flags.ts';
import { filterOf, type listFlags } from '../keys/list.ts';

export type PageOptions = FlagValues<typeof listFlags> & { baseUrl?: string };

export const keyOrders = ['newest', 'expiry', 'last use', 'name'] as const;

/** The choices on the page that decide which keys it shows, in addition to the filters of the command line. */
export interface Choices {
  showInactive: boolean;
  search: string;
  order: (typeof keyOrders)[number];
  expiringOnly: boolean;
}

/** The content of the settings page (promise 3.10), for both its forms, drawn and linear. */
export interface PageView extends Choices {
  /** All keys that match the choices, in their order, but at most {@link mostKeys}. */
  keys: readonly Key[];
  /** Index in `keys` of the chosen one. */
  chosen: number;
  usage: readonly UsageCount[];
  /** Whether the list is empty only because inactive keys are hidden. */
  inactiveOnly: boolean;
  activeOnly: boolean;
  documentation: string | undefined;
  mayView: boolean;
  mayCreate: boolean;
  mayRevoke: boolean;
  mayRotate: boolean;
  nowMs: number;
}

/** More than a plant has. Keys beyond the newest ones are found by a search. */
export const mostKeys = 20_000;

export function firstChoices({ all, search = '' }: PageOptions): Choices {
  return { showInactive: all, search, order: 'newest', expiringOnly: false };
}

/**
 * Creates the function that reads the page for given choices and the chosen key, by default the first. Without `api_keys.view`
 * it reads no keys.
 */
export function createKeyPageReader(
  domain: Domain,
  actor: Actor,
  options: PageOptions,
): (choices: Choices, at?: Key) => Promise<PageView> {
  const { keys: store } = domain.store;
  let last: Pick<PageView, 'keys' | 'inactiveOnly'> & { of: string } = {
    of: '',
    keys: [],
    inactiveOnly: false,
  };
  const list = async (
    { showInactive: all, search, order, expiringOnly }: Choices,
    nowMs: number,
  ) => {
    const { filter } = await filterOf(domain, actor, { ...options, all, search });
    const keys = await store.list(actor.user.tenantId, filter, { limit: mostKeys });
    const isEmpty = keys.length === 0 && !all;
    const inactiveOnly =
      isEmpty && (await store.count(actor.user.tenantId, { ...filter, statuses: [] })) > 0;
    const shown = expiringOnly ? keys.filter((key) => expiresSoon(key, nowMs)) : keys;
    return { keys: order === 'newest' ? shown : shown.toSorted(comparisons[order]), inactiveOnly };
  };
  return async (choices, at) => {
    const nowMs = domain.clock();
    const mayView = actorHolds(actor, 'api_keys.view');
    const mayCreate = actorHolds(actor, 'api_keys.create');
    const mayRevoke = actorHolds(actor, 'api_keys.delete');
    const baseUrl = await baseUrlOf(domain, options.baseUrl);
    // Again only if the choices differ, keys may have changed, or five seconds have passed: a key may have expired or been used.
    const stateKey = JSON.stringify([choices, Math.floor(nowMs / 5000), await store.version()]);
    if (mayView && last.of !== stateKey) last = { of: stateKey, ...(await list(choices, nowMs)) };
    const { keys, inactiveOnly } = last;
    const chosen = at ? indexOf(keys, at) : 0;
    const key = keys[chosen];
    return {
      ...choices,
      keys,
      chosen,
      usage: key ? await usageOf(domain, key) : [],
      inactiveOnly,
      activeOnly: !choices.showInactive && (options.status ?? 'active') === 'active',
      documentation: baseUrl && `${baseUrl}/api/v1/docs`,
      mayView,
      mayCreate,
      mayRevoke,
      mayRotate: mayCreate && mayRevoke,
      nowMs,
    };
  };
}

/** The index of a key, or of one nearly as old if it is not listed any more. */
function indexOf(keys: readonly Key[], { id, createdAtMs }: Key): number {
  const at = keys.findIndex((key) => key.id === id);
  const older = at === -1 ? keys.findIndex((key) => key.createdAtMs <= createdAtMs) : at;
  return Math.max(0, older === -1 ? keys.length - 1 : older);
}

const never = Number.MAX_SAFE_INTEGER;

/** The key that expires next, or that was not used for longest, comes first. */
const comparisons: Record<Exclude<Choices['order'], 'newest'>, (a: Key, b: Key) => number> = {
  expiry: (a, b) => (a.expiresAtMs ?? never) - (b.expiresAtMs ?? never),
  'last use': (a, b) => (a.lastUsedAtMs ?? 0) - (b.lastUsedAtMs ?? 0),
  // By the numbers in names: line 9 comes before line 10.
  name: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }),
};

export function emptyLines(view: PageView): string[] {
  if (!view.mayView) {
    return [
      'You do not have permission to view API keys.',
      'Ask for a role that holds api_keys.view, such as Entity admin.',
    ];
  }
  const create = view.mayCreate ? ['Create key'] : [];
  if (view.search !== '' && !view.inactiveOnly) return [`No keys match "${view.search}".`];
  if (view.expiringOnly) return ['No key expires within 14 days.'];
  if (view.inactiveOnly) return ['No active keys.', ['Show inactive keys', ...create].join(' or ')];
  return ['No API keys yet.', ...create];
}

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

/** More than a plant has. A search finds keys beyond the newest ones. */
export const mostKeys = 20_000;

export function firstChoices({ all, search = '' }: PageOptions): Choices {
  return { showInactive: all, search, order: 'newest', expiringOnly: false };
}

type Listed = Pick<PageView, 'keys' | 'inactiveOnly'>;

/**
 * Creates the function that reads the page for given choices and the chosen key, by default the first. Without `api_keys.view`
 * it reads no keys.
 */
export function createKeyPageReader(
  domain: Domain,
  actor: Actor,
  options: PageOptions,
): (choices: Choices, chosenKey?: Key) => Promise<PageView> {
  const { keys: keyStore } = domain.store;
  let cached: Listed & { stateKey: string } = { stateKey: '', keys: [], inactiveOnly: false };

  const listKeys = async (choices: Choices, nowMs: number): Promise<Listed> => {
    const { showInactive, search, order } = choices;
    const { tenantId } = actor.user;
    const { filter } = await filterOf(domain, actor, { ...options, all: showInactive, search });
    const keys = await keyStore.list(tenantId, filter, { limit: mostKeys });

    let inactiveOnly = false;
    if (keys.length === 0 && !showInactive) {
      const countOfAll = await keyStore.count(tenantId, { ...filter, statuses: [] });
      inactiveOnly = countOfAll > 0;
    }

    const shownKeys = choices.expiringOnly ? keys.filter((key) => expiresSoon(key, nowMs)) : keys;
    const sortedKeys = order === 'newest' ? shownKeys : shownKeys.toSorted(comparisons[order]);
    return { keys: sortedKeys, inactiveOnly };
  };

  return async (choices, chosenKey) => {
    const nowMs = domain.clock();
    const mayView = actorHolds(actor, 'api_keys.view');
    const mayCreate = actorHolds(actor, 'api_keys.create');
    const mayRevoke = actorHolds(actor, 'api_keys.delete');
    const baseUrl = await baseUrlOf(domain, options.baseUrl);

    // Reads again only if the choices differ, keys may have changed, or five seconds have passed: a key may have expired or been used.
    const interval = Math.floor(nowMs / 5000);
    const stateKey = JSON.stringify([choices, interval, await keyStore.changeCounter()]);
    if (mayView && cached.stateKey !== stateKey)
      cached = { stateKey, ...(await listKeys(choices, nowMs)) };

    const { keys, inactiveOnly } = cached;
    const chosen = chosenKey ? indexOf(keys, chosenKey) : 0;
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
  const sameIndex = keys.findIndex((key) => key.id === id);
  if (sameIndex !== -1) return sameIndex;
  const olderIndex = keys.findIndex((key) => key.createdAtMs <= createdAtMs);
  return olderIndex === -1 ? Math.max(0, keys.length - 1) : olderIndex;
}

const never = Number.MAX_SAFE_INTEGER;

type KeyComparison = (a: Key, b: Key) => number;

/** The key that expires next, or that was not used for longest, comes first. */
const comparisons: Record<Exclude<Choices['order'], 'newest'>, KeyComparison> = {
  expiry: (a, b) => (a.expiresAtMs ?? never) - (b.expiresAtMs ?? never),
  'last use': (a, b) => (a.lastUsedAtMs ?? 0) - (b.lastUsedAtMs ?? 0),
  // Numbers in names count as numbers: line 9 comes before line 10.
  name: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }),
};

export function emptyLines(view: PageView): string[] {
  if (!view.mayView) {
    return [
      'You do not have permission to view API keys.',
      'Ask for a role that holds api_keys.view, such as Entity admin.',
    ];
  }

  const createStep = view.mayCreate ? ['Create key'] : [];
  if (view.search !== '' && !view.inactiveOnly) return [`No keys match "${view.search}".`];
  if (view.expiringOnly) return ['No key expires within 14 days.'];
  if (view.inactiveOnly)
    return ['No active keys.', ['Show inactive keys', ...createStep].join(' or ')];
  return ['No API keys yet.', ...createStep];
}

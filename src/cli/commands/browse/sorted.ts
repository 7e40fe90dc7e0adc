import type { Actor } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import type { Key, KeyFilter } from '../../../core/port/keys.ts';

/** The orders of the list. The store pages through the newest first; any other is sorted here. */
export const orders = ['newest', 'expiry', 'last use', 'name'] as const;
export type Order = (typeof orders)[number];

/** More keys are only shown newest first: sorting reads them all. */
export const mostSorted = 5000;

/** Reads all keys of a filter in an order other than the newest first. */
export async function readSorted(
  { store }: Domain,
  actor: Actor,
  filter: KeyFilter,
  { at, order }: { at: { key: { id: string } } | 'start' | 'end'; order: Exclude<Order, 'newest'> },
) {
  const keys = await store.keys.list(actor.user.tenantId, filter, { limit: mostSorted });
  const sorted = keys.toSorted(comparisons[order]);
  const found = typeof at === 'string' ? -1 : sorted.findIndex(({ id }) => id === at.key.id);
  return {
    keys: sorted,
    offset: 0,
    chosen: at === 'end' ? sorted.length - 1 : Math.max(0, found),
    total: sorted.length,
  };
}

const never = Number.POSITIVE_INFINITY;

/** The key that expires next, or that was not used for longest, comes first. */
const comparisons: Record<Exclude<Order, 'newest'>, (a: Key, b: Key) => number> = {
  expiry: (a, b) => compare(a.expiresAtMs ?? never, b.expiresAtMs ?? never),
  'last use': (a, b) => compare(a.lastUsedAtMs ?? 0, b.lastUsedAtMs ?? 0),
  // By the numbers in names: line 9 comes before line 10.
  name: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }),
};

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import { counted } from '../text/words.ts';
import { dateOf, dayAt } from '../time/calendar.ts';
import { formatInstantMs } from '../time/instants.ts';
import { dayMs } from '../time/spans.ts';

/** The longest lifetime of new keys in an organization, in days; null if they need not expire. */
export async function longestLifetimeOf(
  { store }: Pick<Domain, 'store'>,
  tenantId: string,
): Promise<number | null> {
  const tenant = await store.tenants.find(tenantId);
  return tenant?.longestLifetimeDays ?? null;
}

/** The expiry of a successor: that of its predecessor, or the latest one that is allowed. */
export function successorExpiryMs(
  expiresAtMs: number | null,
  longestDays: number | null,
  nowMs: number,
): number | null {
  if (longestDays === null) return expiresAtMs;
  const latestMs = nowMs + longestDays * dayMs;
  return Math.min(expiresAtMs ?? latestMs, latestMs);
}

/** Refuses a later expiry than the longest lifetime allows, and none at all: `state_forbids` (exit 5). */
export function requireWithinLifetime(
  expiresAtMs: number | null,
  longestDays: number | null,
  nowMs: number,
  timezone: string,
): void {
  if (longestDays === null) return;
  const latestMs = nowMs + longestDays * dayMs;
  if (expiresAtMs !== null && expiresAtMs <= latestMs) return;

  const expiry = expiresAtMs === null ? 'never expires' : 'expires later';
  throw new HkctlError(
    'state_forbids',
    `A key of this organization may last ${counted(longestDays, 'day')}, now until ${formatInstantMs(latestMs)}; this one ${expiry}.`,
    {
      hint: `Give --expires ${longestDays}d, or a date up to ${latestDate(longestDays, nowMs, timezone)}.`,
    },
  );
}

/** The last date that ends within the longest lifetime. */
export function latestDate(longestDays: number, nowMs: number, timezone: string): string {
  const latestMs = nowMs + longestDays * dayMs;
  const { day, untilMs } = dayAt(latestMs, timezone);
  return dateOf(untilMs - 1 <= latestMs ? day : day - 1);
}

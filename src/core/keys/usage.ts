import type { Domain } from '../access/actors.ts';
import type { SteadyTime } from '../port/clock.ts';
import type { Key } from '../port/keys.ts';
import type { DayRange, UsageCount } from '../port/usage.ts';
import { dayAt } from '../time/calendar.ts';
import { dayMs } from '../time/spans.ts';

/** The number of days for which usage is kept and shown, today included. */
export const usageDays = 90;

/** What a key did on one day of its entity. */
export interface DayUsage {
  /** Days from 1970-01-01. */
  day: number;
  /** All requests with the key, refused ones included. */
  requests: number;
  /** Refused requests by code. */
  refused: Record<string, number>;
  readings: { accepted: number; duplicates: number; rejected: Record<string, number> };
  lastRejected: { atMs: number; code: string; sensor: string | null } | null;
}

/** The days of which counts are kept in a store; undefined while no clock is steady, since a wrong one would remove all. */
export function keptDays({ ms, isSteady }: SteadyTime): DayRange | undefined {
  if (!isSteady) return undefined;
  const today = Math.floor(ms / dayMs);
  // In some zones it is still yesterday, in others already tomorrow.
  return { first: today - usageDays, last: today + 1 };
}

/** The usage of a key on each of the last 90 days on which there was any, the oldest first. */
export async function usageOf({ store, clock }: Domain, key: Pick<Key, 'id' | 'entity'>): Promise<DayUsage[]> {
  const { day: today } = dayAt(clock(), key.entity?.timezone ?? 'UTC');
  return byDay(await store.usage.of([key.id], { first: today - usageDays + 1, last: today }));
}

/** Sums counts of one key, which are in the order of days. */
function byDay(counts: readonly UsageCount[]): DayUsage[] {
  const days: DayUsage[] = [];
  for (const count of counts) {
    let last = days.at(-1);
    if (last?.day !== count.day) {
      last = { ...emptyDay(), day: count.day };
      days.push(last);
    }
    add(last, count);
  }
  return days;
}

function emptyDay(): Omit<DayUsage, 'day'> {
  return {
    requests: 0,
    refused: {},
    readings: { accepted: 0, duplicates: 0, rejected: {} },
    lastRejected: null,
  };
}

function add(to: DayUsage, { kind, code, count, lastAtMs, lastSensor }: UsageCount): void {
  if (kind === 'request') to.requests = count;
  else if (kind === 'refused') to.refused[code] = count;
  else if (kind === 'accepted') to.readings.accepted = count;
  else if (kind === 'duplicate') to.readings.duplicates = count;
  else {
    to.readings.rejected[code] = count;
    if (lastAtMs !== null && lastAtMs >= (to.lastRejected?.atMs ?? Number.NEGATIVE_INFINITY))
      to.lastRejected = { atMs: lastAtMs, code, sensor: lastSensor };
  }
}

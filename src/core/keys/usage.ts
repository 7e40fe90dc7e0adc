import type { Domain } from '../domain/domain.ts';
import type { SteadyTime } from '../port/clock.ts';
import type { Key } from '../port/keys.ts';
import type { DayRange, UsageCount } from '../port/usage.ts';
import { dayAt } from '../time/calendar.ts';
import { dayMs } from '../time/spans.ts';

/** The number of days for which usage is kept and shown, today included. */
export const usageDays = 90;

export interface Usage {
  /** All requests with the key, refused ones included. */
  requests: number;
  refused: Record<string, number>;
  readings: { accepted: number; duplicates: number; rejected: Record<string, number> };
  lastRejected: { atMs: number; code: string; sensor: string | null } | null;
}

export interface DayUsage extends Usage {
  /** Days from 1970-01-01. */
  day: number;
}

/** The days of which counts are kept in a store; undefined while no clock is steady, since a wrong one would remove all. */
export function keptDays({ ms, isSteady }: SteadyTime): DayRange | undefined {
  if (!isSteady) return undefined;
  const today = Math.floor(ms / dayMs);
  // In some zones it is still yesterday, in others already tomorrow.
  return { first: today - usageDays, last: today + 1 };
}

/** Counts of a key on the last 90 days. */
export async function usageOf(
  { store, clock }: Domain,
  key: Pick<Key, 'id' | 'entity'>,
): Promise<UsageCount[]> {
  const { day: today } = dayAt(clock(), key.entity?.timezone ?? 'UTC');
  return store.usage.of([key.id], { first: today - usageDays + 1, last: today });
}

/** The usage on each day on which there was any, in the order of the counts: the oldest first. */
export function byDay(counts: readonly UsageCount[]): DayUsage[] {
  const days = [...new Set(counts.map(({ day }) => day))];
  return days.map((day) => ({ day, ...sumOf(counts.filter((count) => count.day === day)) }));
}

export function sumOf(counts: readonly UsageCount[]): Usage {
  const readings: Usage['readings'] = { accepted: 0, duplicates: 0, rejected: {} };
  const sum: Usage = { requests: 0, refused: {}, readings, lastRejected: null };
  for (const { kind, code, count, lastAtMs: atMs, lastSensor: sensor } of counts) {
    if (kind === 'request') sum.requests += count;
    else if (kind === 'refused') addCount(sum.refused, code, count);
    else if (kind === 'accepted') readings.accepted += count;
    else if (kind === 'duplicate') readings.duplicates += count;
    else {
      addCount(readings.rejected, code, count);
      if (atMs !== null && atMs >= (sum.lastRejected?.atMs ?? atMs))
        sum.lastRejected = { atMs, code, sensor };
    }
  }
  return sum;
}

export function totalOf(codes: Readonly<Record<string, number>>): number {
  return Object.values(codes).reduce((sum, count) => sum + count, 0);
}

function addCount(to: Record<string, number>, code: string, count: number): void {
  to[code] = (to[code] ?? 0) + count;
}

/** Refusals of a key; the most frequent code first. */
export interface Refusals {
  count: number;
  codes: string[];
}

/** Codes that say nothing about a key and its integration. */
const harmless: ReadonlySet<string> = new Set([
  'not_found',
  'sync_token_expired',
  'internal',
  'unavailable',
]);

/** The keys of which requests were refused or readings rejected today or yesterday, by id; days are those of each key's entity. */
export async function refusalsOf(
  { store, clock }: Pick<Domain, 'store' | 'clock'>,
  keys: readonly Pick<Key, 'id' | 'entity'>[],
): Promise<Map<string, Refusals>> {
  if (keys.length === 0) return new Map();

  const nowMs = clock();
  const todayInUtc = Math.floor(nowMs / dayMs);
  const zones = new Map(keys.map(({ id, entity }) => [id, entity?.timezone ?? 'UTC']));
  const codes = new Map<string, Record<string, number>>();

  // In some zones today is still the day before, in others already the next one.
  const days = { first: todayInUtc - 2, last: todayInUtc + 1 };
  for (const { keyId, day, kind, code, count } of await store.usage.of([...zones.keys()], days)) {
    if ((kind !== 'refused' && kind !== 'rejected') || harmless.has(code)) continue;

    // Asked only here: the first use of a time zone costs a command a sixth of its start.
    const { day: today } = dayAt(nowMs, zones.get(keyId) ?? 'UTC');
    if (day < today - 1 || day > today) continue;

    const ofKey = codes.get(keyId) ?? {};
    addCount(ofKey, code, count);
    codes.set(keyId, ofKey);
  }

  return new Map(
    [...codes].map(([id, ofKey]) => [
      id,
      { count: totalOf(ofKey), codes: byCount(ofKey).map(([code]) => code) },
    ]),
  );
}

export interface KeyRejections {
  prefix: string;
  count: number;
  /** The most frequent code first, each with the sensor that the last reading named. */
  codes: { code: string; count: number; sensor: string | null }[];
  lastAtMs: number;
}

/** The keys with readings rejected in the last 24 hours, the most affected first; all of the day with the same code count. */
export async function rejectionsOf(
  { store, clock }: Domain,
  tenantId: string,
): Promise<KeyRejections[]> {
  const nowMs = clock();
  const today = Math.floor(nowMs / dayMs);
  const keys = new Map<string, KeyRejections>();
  // In some zones it is still the day before, in others already the next one.
  for (const row of await store.usage.rejected(tenantId, { first: today - 2, last: today + 1 })) {
    const { prefix, code, count, lastAtMs, lastSensor: sensor } = row;
    if (lastAtMs === null || lastAtMs <= nowMs - dayMs) continue;
    const keyUsage = keys.get(prefix) ?? { prefix, count: 0, codes: [], lastAtMs };
    keys.set(prefix, keyUsage);
    keyUsage.count += count;
    keyUsage.lastAtMs = Math.max(keyUsage.lastAtMs, lastAtMs);
    const same = keyUsage.codes.find((one) => one.code === code);
    // Rows come in the order of days.
    if (same) Object.assign(same, { count: same.count + count, sensor });
    else keyUsage.codes.push({ code, count, sensor });
  }
  for (const { codes } of keys.values()) codes.sort((a, b) => b.count - a.count);
  return [...keys.values()].sort((a, b) => b.count - a.count);
}

/** Codes with their counts, the most frequent first. */
export function byCount(codes: Readonly<Record<string, number>>): [code: string, count: number][] {
  return Object.entries(codes).sort(([, a], [, b]) => b - a);
}

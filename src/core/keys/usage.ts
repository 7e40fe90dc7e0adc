import type { Domain } from '../domain/domain.ts';
import type { SteadyTime } from '../port/clock.ts';
import type { Key } from '../port/keys.ts';
import type { DayRange, UsageCount } from '../port/usage.ts';
import { dayAt } from '../time/calendar.ts';
import { dayMs } from '../time/spans.ts';

/** The number of days for which usage is kept and shown, today included. */
export const usageDays = 90;

/** Codes with which a request of an expired or revoked key is refused; the last one over the limit of failed checks. */
export const lapsedCodes: readonly string[] = [
  'key_revoked',
  'key_expired',
  'too_many_failed_checks',
];

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

/** The days whose counts a store keeps; undefined while no clock is steady, since a wrong clock would remove all. */
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
  const timezone = key.entity?.timezone ?? 'UTC';
  const { day: today } = dayAt(clock(), timezone);
  const days = { first: today - usageDays + 1, last: today };
  return store.usage.of([key.id], days);
}

/** The usage on each day on which there was any, in the order of the counts: the oldest first. */
export function byDay(counts: readonly UsageCount[]): DayUsage[] {
  const days = new Set(counts.map(({ day }) => day));

  return [...days].map((day) => {
    const dayCounts = counts.filter((count) => count.day === day);
    return { day, ...sumOf(dayCounts) };
  });
}

export function sumOf(counts: readonly UsageCount[]): Usage {
  const sum: Usage = {
    requests: 0,
    refused: {},
    readings: { accepted: 0, duplicates: 0, rejected: {} },
    lastRejected: null,
  };
  for (const usageCount of counts) addToSum(sum, usageCount);
  return sum;
}

function addToSum(sum: Usage, usageCount: UsageCount): void {
  const { kind, code, count } = usageCount;
  switch (kind) {
    case 'request':
      sum.requests += count;
      break;
    case 'refused':
      addCount(sum.refused, code, count);
      break;
    case 'accepted':
      sum.readings.accepted += count;
      break;
    case 'duplicate':
      sum.readings.duplicates += count;
      break;
    default:
      addCount(sum.readings.rejected, code, count);
      noteLastRejected(sum, usageCount);
  }
}

function noteLastRejected(sum: Usage, { code, lastAtMs, lastSensor }: UsageCount): void {
  if (lastAtMs === null) return;

  const isOlder = sum.lastRejected !== null && lastAtMs < sum.lastRejected.atMs;
  if (!isOlder) {
    sum.lastRejected = { atMs: lastAtMs, code, sensor: lastSensor };
  }
}

export function totalOf(countsByCode: Readonly<Record<string, number>>): number {
  return Object.values(countsByCode).reduce((sum, count) => sum + count, 0);
}

function addCount(counts: Record<string, number>, code: string, count: number): void {
  counts[code] = (counts[code] ?? 0) + count;
}

/** Refusals of a key; the most frequent code first. */
export interface Refusals {
  count: number;
  codes: string[];
}

/** Codes of failures that no key and no client causes. */
const harmlessCodes: ReadonlySet<string> = new Set([
  'not_found',
  'sync_token_expired',
  'internal',
  'unavailable',
]);

/** The keys with requests refused or readings rejected today or yesterday, by id; each key counts the days of its entity. */
export async function refusalsOf(
  { store, clock }: Pick<Domain, 'store' | 'clock'>,
  keys: readonly Pick<Key, 'id' | 'entity'>[],
): Promise<Map<string, Refusals>> {
  if (keys.length === 0) return new Map();

  const nowMs = clock();
  const todayInUtc = Math.floor(nowMs / dayMs);
  const zonesByKey = new Map<string, string>();
  for (const { id, entity } of keys) {
    zonesByKey.set(id, entity?.timezone ?? 'UTC');
  }

  // In some zones today is still the day before, in others already the next one.
  const days = { first: todayInUtc - 2, last: todayInUtc + 1 };
  const counts = await store.usage.of([...zonesByKey.keys()], days);

  const codesByKey = new Map<string, Record<string, number>>();
  for (const { keyId, day, kind, code, count } of counts) {
    if (kind !== 'refused' && kind !== 'rejected') continue;
    if (harmlessCodes.has(code)) continue;

    // Computed only here, since a time zone is slow at its first use.
    const { day: today } = dayAt(nowMs, zonesByKey.get(keyId) ?? 'UTC');
    if (day < today - 1 || day > today) continue;

    const keyCodes = codesByKey.get(keyId) ?? {};
    addCount(keyCodes, code, count);
    codesByKey.set(keyId, keyCodes);
  }

  const refusalsByKey = new Map<string, Refusals>();
  for (const [keyId, keyCodes] of codesByKey) {
    const codes = byCount(keyCodes).map(([code]) => code);
    refusalsByKey.set(keyId, { count: totalOf(keyCodes), codes });
  }
  return refusalsByKey;
}

export interface KeyRejections {
  prefix: string;
  count: number;
  /** The most frequent code first, each with the sensor that the last reading named. */
  codes: { code: string; count: number; sensor: string | null }[];
  lastAtMs: number;
}

/** The keys with readings rejected in the last 24 hours, the most affected first; a day's count of a code counts as a whole. */
export async function rejectionsOf(
  { store, clock }: Domain,
  tenantId: string,
): Promise<KeyRejections[]> {
  const nowMs = clock();
  const today = Math.floor(nowMs / dayMs);
  const rejectionsByKey = new Map<string, KeyRejections>();
  // In some zones it is still the day before, in others already the next one.
  const days = { first: today - 2, last: today + 1 };
  const rejectedCounts = await store.usage.rejected(tenantId, days);

  for (const { prefix, code, count, lastAtMs, lastSensor } of rejectedCounts) {
    if (lastAtMs === null || lastAtMs <= nowMs - dayMs) continue;

    const keyRejections = rejectionsByKey.get(prefix) ?? { prefix, count: 0, codes: [], lastAtMs };
    rejectionsByKey.set(prefix, keyRejections);
    keyRejections.count += count;
    keyRejections.lastAtMs = Math.max(keyRejections.lastAtMs, lastAtMs);

    const codeEntry = keyRejections.codes.find((entry) => entry.code === code);
    if (codeEntry) {
      codeEntry.count += count;
      codeEntry.sensor = lastSensor; // counts come in the order of days
    } else {
      keyRejections.codes.push({ code, count, sensor: lastSensor });
    }
  }

  const rejections = [...rejectionsByKey.values()];
  for (const { codes } of rejections) codes.sort(mostFrequentFirst);
  return rejections.sort(mostFrequentFirst);
}

function mostFrequentFirst(left: { count: number }, right: { count: number }): number {
  return right.count - left.count;
}

/** Codes with their counts, the most frequent first. */
export function byCount(
  countsByCode: Readonly<Record<string, number>>,
): [code: string, count: number][] {
  return Object.entries(countsByCode).sort(([, a], [, b]) => b - a);
}

import type { MaybePromise } from './maybe-promise.ts';

/** Counts of a key: its requests, those that were refused, and the results of its readings. */
export const usageKinds = ['request', 'refused', 'accepted', 'duplicate', 'rejected'] as const;
export type UsageKind = (typeof usageKinds)[number];

export interface UsageCount {
  keyId: string;
  /** Days from 1970-01-01 to the day by the wall clock of the key's entity. */
  day: number;
  kind: UsageKind;
  /** Why it was refused or rejected; empty for the other kinds. */
  code: string;
  count: number;
  /** Of rejected readings and refused requests: when the last one was (epoch ms). */
  lastAtMs: number | null;
  /** Of a rejected reading: the sensor as its client named it. */
  lastSensor: string | null;
  /** Of a refused request: the address of its client. */
  lastAddress: string | null;
}

/** Both days are included. */
export interface DayRange {
  first: number;
  last: number;
}

/** Counts of a daemon since its last merge. */
export interface UsageMerge {
  /** Several may be of the same key, day, kind and code. */
  counts: readonly UsageCount[];
  /** Counts of other days are removed, a few thousand with each merge; none while no clock says which those are. */
  kept: DayRange | undefined;
}

/** The usage of keys by day; `KeyStore.recordUse` adds to it. */
export interface UsageStore {
  of(keyIds: readonly string[], days: DayRange): MaybePromise<UsageCount[]>;
  /** The counts of rejected readings of a tenant's keys within a range of days, with the prefix of each key. */
  rejected(tenantId: string, days: DayRange): MaybePromise<(UsageCount & { prefix: string })[]>;
  /** The ids of a tenant's keys with a request refused since an instant, within a range of days, as those of a revoked or expired key are. */
  usedInactive(tenantId: string, sinceMs: number, days: DayRange): MaybePromise<string[]>;
}

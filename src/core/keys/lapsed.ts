import { presetOf } from '../access/permissions.ts';
import type { Actor } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import type { Key, KeyFilter } from '../port/keys.ts';
import type { KeyExpiry } from '../port/metrics.ts';
import { shellWord } from '../text/quoting.ts';
import { dayMs } from '../time/spans.ts';
import { statusOf } from './keys.ts';
import { latestOf } from './references.ts';
import { lapsedCodes, usageDays } from './usage.ts';

/** A key that has ended although its client may still need one. */
export interface LapsedKey {
  key: Key;
  status: 'Expired' | 'Revoked';
  /** When it expired or was revoked. */
  endedMs: number;
  /** How many of its requests were refused since, as far as days of usage are kept. */
  refusedCount: number;
  /** The last refused request; null if there was none since. */
  lastRefused: { atMs: number; address: string | null } | null;
  /** Whether it expired in the last 30 days, and no active key of the same name and entity replaces it. */
  isMissed: boolean;
  /** Whether a request was refused in the last day. */
  isInUse: boolean;
  /** An active key that was not used yet: the one to which it was rotated, or a younger one of the same name and entity. */
  successor: Key | undefined;
}

/** A key that expired longer ago than this needs attention only if something still uses it. */
const recentlyExpiredMs = 30 * dayMs;

const keysPageSize = 100;

/** All keys of a tenant that pass a filter. */
export async function* everyKey(
  { store }: Pick<Domain, 'store'>,
  tenantId: string,
  filter: KeyFilter,
): AsyncGenerator<Key> {
  let page: Key[] = [];
  do {
    const request = { limit: keysPageSize, after: page.at(-1) };
    page = await store.keys.list(tenantId, filter, request);
    yield* page;
  } while (page.length === keysPageSize);
}

/** Keys that expired in the last 30 days, and that no active key of the same name and entity replaces. */
export function missedFilter(nowMs: number): KeyFilter {
  return { nowMs, expiredSinceMs: nowMs - recentlyExpiredMs };
}

/** The keys of a tenant that pass {@link missedFilter}. */
export function recentlyExpired(
  domain: Pick<Domain, 'store' | 'clock'>,
  tenantId: string,
): AsyncGenerator<Key> {
  return everyKey(domain, tenantId, missedFilter(domain.clock()));
}

/** The keys of all tenants that expired in the last 30 days, and that no other one replaces. */
export async function recentExpiries(
  domain: Pick<Domain, 'store' | 'clock'>,
): Promise<KeyExpiry[]> {
  const expiries: KeyExpiry[] = [];
  for (const { id: tenantId } of await domain.store.tenants.list()) {
    for await (const { prefix, entity, expiresAtMs } of recentlyExpired(domain, tenantId)) {
      expiries.push({ prefix, entity: entity?.code ?? '', atMs: expiresAtMs ?? 0 });
    }
  }
  return expiries;
}

/** The keys of a tenant that are missed, or are expired or revoked and in use. */
export async function* endedKeys(
  domain: Pick<Domain, 'store' | 'clock'>,
  tenantId: string,
): AsyncGenerator<Pick<LapsedKey, 'key' | 'status' | 'isMissed' | 'isInUse'>> {
  const { store, clock } = domain;
  const nowMs = clock();
  const todayInUtc = Math.floor(nowMs / dayMs);
  // In some zones it is still the day before, in others already the next one.
  const recentDays = { first: todayInUtc - 2, last: todayInUtc + 1 };
  const usedIds = new Set(await store.usage.usedInactive(tenantId, nowMs - dayMs, recentDays));

  const keys = new Map<string, Key>();
  for await (const key of recentlyExpired(domain, tenantId)) keys.set(key.id, key);
  const missedIds = new Set(keys.keys());
  for (const id of usedIds) {
    const key = keys.get(id) ?? (await store.keys.find(tenantId, id));
    if (key) keys.set(id, key);
  }

  for (const key of keys.values()) {
    const status = statusOf(key, nowMs);
    // A clock that was set back, or a restored store, may have made it active again.
    if (status === 'Active') continue;
    yield { key, status, isMissed: missedIds.has(key.id), isInUse: usedIds.has(key.id) };
  }
}

/** The {@link endedKeys} of an actor's tenant, those with the most refused requests first. */
export async function lapsedKeys(domain: Domain, actor: Actor): Promise<LapsedKey[]> {
  const lapsed: LapsedKey[] = [];
  for await (const ended of endedKeys(domain, actor.user.tenantId)) {
    const { key, status } = ended;
    const endedMs = (status === 'Revoked' ? key.revokedAtMs : key.expiresAtMs) ?? domain.clock();
    lapsed.push({
      ...ended,
      endedMs,
      ...(await refusedSince(domain, key, endedMs)),
      successor: await successorOf(domain, actor, key),
    });
  }
  return lapsed.sort((first, second) => second.refusedCount - first.refusedCount);
}

async function successorOf(domain: Domain, actor: Actor, key: Key): Promise<Key | undefined> {
  const nowMs = domain.clock();
  const [latestKey = key] = await latestOf(domain, actor, [key]);
  const isReplaced = statusOf(latestKey, nowMs) === 'Active';
  const successor = isReplaced ? latestKey : await youngerNamesake(domain, actor, key);
  // One in use has a client already, which a rotation would cut off.
  return successor?.lastUsedAtMs === null ? successor : undefined;
}

async function youngerNamesake(domain: Domain, actor: Actor, key: Key): Promise<Key | undefined> {
  const { name, entity, createdAtMs } = key;
  if (entity === null) return undefined;

  const filter = {
    nowMs: domain.clock(),
    statuses: ['Active'],
    name,
    entityId: entity.id,
  } as const;
  const [namesake] = await domain.store.keys.list(actor.user.tenantId, filter, { limit: 1 });
  return namesake && namesake.createdAtMs > createdAtMs ? namesake : undefined;
}

async function refusedSince(
  { store, clock }: Domain,
  key: Key,
  endedMs: number,
): Promise<Pick<LapsedKey, 'refusedCount' | 'lastRefused'>> {
  const today = Math.floor(clock() / dayMs);
  const firstDay = Math.max(Math.floor(endedMs / dayMs) - 1, today - usageDays);
  const counts = await store.usage.of([key.id], { first: firstDay, last: today + 1 });

  let refusedCount = 0;
  let lastRefused: LapsedKey['lastRefused'] = null;
  for (const { kind, code, count, lastAtMs, lastAddress } of counts) {
    if (kind !== 'refused' || !lapsedCodes.includes(code)) continue;
    refusedCount += count;
    if (lastAtMs !== null && lastAtMs >= (lastRefused?.atMs ?? 0)) {
      lastRefused = { atMs: lastAtMs, address: lastAddress };
    }
  }
  return { refusedCount, lastRefused };
}

/** The command that gives the client of a key a working secret, for as long as that key was valid. */
export function cureOf({ key, successor }: LapsedKey): string {
  if (successor) return `hkctl keys rotate ${successor.prefix}`;
  if (key.entity?.status !== 'active') return `hkctl keys show ${key.prefix}`;

  const { createdAtMs, expiresAtMs } = key;
  const lifetimeDays = expiresAtMs === null ? null : Math.ceil((expiresAtMs - createdAtMs) / dayMs);
  const expiryWords = lifetimeDays === null ? [] : ['--expires', `${lifetimeDays}d`];
  return creationCommand({ ...key, entity: key.entity }, ...expiryWords);
}

/** The command that creates a key like one, which may not exist. */
export function creationCommand(
  key: Pick<Key, 'name' | 'permissions' | 'allowedIps'> & { entity: { code: string } },
  ...moreWords: readonly string[]
): string {
  const words = ['keys', 'create', '--name', key.name, '--entity', key.entity.code];
  const presetName = presetOf(key.permissions);
  if (presetName) words.push('--preset', presetName);
  else for (const permission of key.permissions) words.push('--permission', permission);
  for (const network of key.allowedIps) words.push('--allow-ip', network);
  return `hkctl ${[...words, ...moreWords].map(shellWord).join(' ')}`;
}

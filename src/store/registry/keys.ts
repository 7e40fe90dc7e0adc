import { and, type Column, desc, eq, gt, gte, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { KeyFilter, KeyPageRequest, KeyStatus, KeyStore } from '../../core/port/keys.ts';

type Columns<Name extends string> = Record<Name, Column>;

const ofKey = ['prefix', 'name', 'permissions', 'expiresAtMs', 'revokedAtMs', 'allowedIps'] as const;
const ofListedKey = [...ofKey, 'id', 'tenantId', 'createdAtMs', 'rotatedFrom', 'rotatedTo', 'note'] as const;
const ofEntity = ['id', 'code', 'name', 'timezone', 'status'] as const;
const ofUser = ['id', 'login', 'name'] as const;
const ofRevoker = ['login', 'name'] as const;
const ofUse = ['lastUsedAtMs', 'lastUsedIp'] as const;
const ofTenant = ['id', 'name', 'weekStart', 'retainReadingsDays'] as const;

/** The columns of a key and of its related facts; `revokers` is a second table of users, `uses` has the times of last use. */
export function keyColumns<
  K extends Columns<(typeof ofListedKey)[number]>,
  E extends Columns<(typeof ofEntity)[number]>,
  U extends Columns<(typeof ofUser)[number]>,
  R extends Columns<(typeof ofRevoker)[number]>,
  L extends Columns<(typeof ofUse)[number]>,
>({ keys, entities, users, revokers, uses }: { keys: K; entities: E; users: U; revokers: R; uses: L }) {
  return {
    ...pick(keys, ofListedKey),
    entity: pick(entities, ofEntity),
    createdBy: pick(users, ofUser),
    revokedBy: pick(revokers, ofRevoker),
    ...pick(uses, ofUse),
  };
}

export function credentialColumns<
  K extends Columns<(typeof ofKey)[number] | 'id'>,
  E extends Columns<(typeof ofEntity)[number]>,
  U extends Columns<'status'>,
  T extends Columns<(typeof ofTenant)[number]>,
>({ keys, entities, users, tenants }: { keys: K; entities: E; users: U; tenants: T }) {
  return {
    ...pick(keys, ofKey),
    keyId: keys.id as K['id'], // a property of a generic table loses its type
    creatorStatus: users.status as U['status'],
    entity: pick(entities, ofEntity),
    tenant: pick(tenants, ofTenant),
  };
}

function pick<T, N extends keyof T>(table: T, names: readonly N[]): Pick<T, N> {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<T, N>; // exactly these columns
}

export function statusCondition(
  { revokedAtMs, expiresAtMs }: Columns<'revokedAtMs' | 'expiresAtMs'>,
  status: KeyStatus,
  nowMs: number,
): SQL | undefined {
  if (status === 'Revoked') return isNotNull(revokedAtMs);
  if (status === 'Expired') return and(isNull(revokedAtMs), lte(expiresAtMs, nowMs));
  return and(isNull(revokedAtMs), or(isNull(expiresAtMs), gt(expiresAtMs, nowMs)));
}

interface OwnConditions {
  ofTenant: SQL | undefined;
  isExpiring: SQL | undefined;
  isFound: SQL | undefined;
}

export function listCondition(
  keys: Columns<'name' | 'entityId' | 'createdAtMs' | 'expiresAtMs' | 'revokedAtMs'>,
  { lastUsedAtMs }: Columns<'lastUsedAtMs'>,
  { nowMs, statuses = [], entityId, unusedSinceMs, createdBeforeMs, name }: KeyFilter,
  { ofTenant, isExpiring, isFound }: OwnConditions,
): SQL | undefined {
  const isAny = statuses.length === 0 || statuses.length === 3;
  return and(
    ofTenant,
    isAny ? undefined : or(...statuses.map((status) => statusCondition(keys, status, nowMs))),
    entityId === undefined ? undefined : eq(keys.entityId, entityId),
    isExpiring,
    unusedSinceMs === undefined
      ? undefined
      : and(lt(keys.createdAtMs, unusedSinceMs), or(isNull(lastUsedAtMs), lt(lastUsedAtMs, unusedSinceMs))),
    createdBeforeMs === undefined ? undefined : lt(keys.createdAtMs, createdBeforeMs),
    isFound,
    name === undefined ? undefined : eq(keys.name, name),
  );
}

/** Where a page of keys begins, and the order in which it is read: from newer to older keys. */
export function pageOf(
  { createdAtMs, id }: Columns<'createdAtMs' | 'id'>,
  { after }: KeyPageRequest,
): { boundary: SQL | undefined; order: SQL[] } {
  return {
    boundary: after && sql`(${createdAtMs}, ${id}) < (${after.createdAtMs}, ${after.id})`,
    order: [createdAtMs, id].map(desc),
  };
}

/** The active keys of a user or an entity, and their order: the newest first. */
export function ownedBy(
  keys: Columns<'createdBy' | 'entityId' | 'createdAtMs' | 'id' | 'expiresAtMs' | 'revokedAtMs'>,
  owner: Parameters<KeyStore['activeOf']>[0],
  nowMs: number,
): { condition: SQL | undefined; order: SQL[] } {
  const isOwn = 'createdBy' in owner ? eq(keys.createdBy, owner.createdBy) : eq(keys.entityId, owner.entityId);
  return {
    condition: and(isOwn, statusCondition(keys, 'Active', nowMs)),
    order: [keys.createdAtMs, keys.id].map(desc),
  };
}

export function expiringCondition(
  { revokedAtMs, expiresAtMs }: Columns<'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
  byMs: number,
): SQL | undefined {
  return and(isNull(revokedAtMs), gt(expiresAtMs, nowMs), lte(expiresAtMs, byMs));
}

/** The pattern for `like` that finds a text anywhere; a backslash takes the meaning of `%` and `_`. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Keys whose prefix begins with a text; undefined if the text cannot begin one. */
export function prefixCondition({ prefix }: Columns<'prefix'>, text: string): SQL | undefined {
  // `{` sorts right after every character of a prefix.
  return /^hk_[0-9A-Za-z]{1,5}$/.test(text) ? and(gte(prefix, text), lt(prefix, `${text}{`)) : undefined;
}

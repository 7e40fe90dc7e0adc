import { HkctlError } from '../errors.ts';
import type { Entity, EntityStore } from '../port/entities.ts';
import type { Key, KeyFilter, KeyStore } from '../port/keys.ts';
import { chain } from '../port/maybe-promise.ts';
import type { Store } from '../port/store.ts';
import type { UsageStore } from '../port/usage.ts';
import type { User } from '../port/users.ts';
import type { Domain } from './domain.ts';

/** The entities to which a user is confined, by their ids; null for all entities of the tenant. */
export type Confinement = User['entityIds'];

/**
 * The domain as a user sees it: for one who is confined to some entities everything else is absent, so that no command can show or
 * change it. Records, readings and sensors are reached by an entity only, and so need no check of their own.
 */
export function domainSeenBy(domain: Domain, { entityIds }: Pick<User, 'entityIds'>): Domain {
  if (entityIds === null) return domain;
  return { ...domain, store: confinedStore(domain.store, new Set(entityIds)) };
}

function confinedStore(store: Store, entityIds: ReadonlySet<string>): Store {
  const keys = confinedKeys(store.keys, entityIds);
  return {
    ...store,
    keys,
    entities: confinedEntities(store.entities, entityIds),
    usage: confinedUsage(store.usage, keys),
  };
}

function confinedEntities(entities: EntityStore, entityIds: ReadonlySet<string>): EntityStore {
  const isInside = ({ id }: Entity) => entityIds.has(id);
  return {
    ...entities,
    list: (tenantId) => chain(entities.list(tenantId), (all) => all.filter(isInside)),
    find: (tenantId, code) =>
      chain(entities.find(tenantId, code), (entity) =>
        entity && isInside(entity) ? entity : undefined,
      ),
  };
}

function confinedKeys(keys: KeyStore, entityIds: ReadonlySet<string>): KeyStore {
  /** A key without an entity, whose entity was removed, is seen by those who see every entity. */
  const isInside = ({ entity }: Key) => entity !== null && entityIds.has(entity.id);
  const ifInside = (key: Key | undefined) => (key && isInside(key) ? key : undefined);
  const within = (filter: KeyFilter): KeyFilter => ({ ...filter, entityIds: [...entityIds] });
  return {
    ...keys,
    list: (tenantId, filter, page) => keys.list(tenantId, within(filter), page),
    count: (tenantId, filter) => keys.count(tenantId, within(filter)),
    find: (tenantId, ref) => chain(keys.find(tenantId, ref), ifInside),
    findByHash: (tenantId, hash) => chain(keys.findByHash(tenantId, hash), ifInside),
    activeOf: (owner, nowMs) => chain(keys.activeOf(owner, nowMs), (all) => all.filter(isInside)),
    insert(key, audit) {
      requireInside(entityIds, key.entityId);
      return keys.insert(key, audit);
    },
  };
}

function confinedUsage(usage: UsageStore, keys: KeyStore): UsageStore {
  return {
    ...usage,
    async rejected(tenantId, days) {
      const rows = await usage.rejected(tenantId, days);
      const seen = new Set<string>();
      for (const id of new Set(rows.map(({ keyId }) => keyId)))
        if (await keys.find(tenantId, id)) seen.add(id);
      return rows.filter(({ keyId }) => seen.has(keyId));
    },
  };
}

/** An entity is found before a key is created for it: anything else is a fault of a command. */
function requireInside(entityIds: ReadonlySet<string>, id: string): void {
  if (!entityIds.has(id)) throw new HkctlError('not_found', 'There is no such entity.');
}

/** The entities that both allow. */
export function commonEntities(one: Confinement, other: Confinement): Confinement {
  if (one === null || other === null) return one ?? other;
  return one.filter((id) => other.includes(id));
}

export function isSameEntities(one: Confinement, other: Confinement): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((id) => other.includes(id));
}

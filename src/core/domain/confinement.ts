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
 * The domain as a user sees it. For a user who is confined to some entities everything else is absent: no command can show or
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
  const entityIfInside = (entity: Entity | undefined) =>
    entity && isInside(entity) ? entity : undefined;

  return {
    ...entities,
    list: (tenantId) => chain(entities.list(tenantId), (entityList) => entityList.filter(isInside)),
    find: (tenantId, code) => chain(entities.find(tenantId, code), entityIfInside),
  };
}

function confinedKeys(keys: KeyStore, entityIds: ReadonlySet<string>): KeyStore {
  /** Only users who see every entity see a key whose entity was removed. */
  const isInside = ({ entity }: Key) => entity !== null && entityIds.has(entity.id);
  const keyIfInside = (key: Key | undefined) => (key && isInside(key) ? key : undefined);
  const confinedFilter = (filter: KeyFilter): KeyFilter => ({
    ...filter,
    entityIds: [...entityIds],
  });

  return {
    ...keys,
    list: (tenantId, filter, page) => keys.list(tenantId, confinedFilter(filter), page),
    count: (tenantId, filter) => keys.count(tenantId, confinedFilter(filter)),
    find: (tenantId, ref) => chain(keys.find(tenantId, ref), keyIfInside),
    findByHash: (tenantId, hash) => chain(keys.findByHash(tenantId, hash), keyIfInside),
    activeOf: (owner, nowMs) =>
      chain(keys.activeOf(owner, nowMs), (activeKeys) => activeKeys.filter(isInside)),
    insert(key, ...rest) {
      requireInside(entityIds, key.entityId);
      return keys.insert(key, ...rest);
    },
  };
}

function confinedUsage(usage: UsageStore, keys: KeyStore): UsageStore {
  return {
    ...usage,
    async rejected(tenantId, days) {
      const rejectedCounts = await usage.rejected(tenantId, days);
      const rejectedIds = new Set(rejectedCounts.map(({ keyId }) => keyId));

      const visibleIds = new Set<string>();
      for (const keyId of rejectedIds) {
        if (await keys.find(tenantId, keyId)) {
          visibleIds.add(keyId);
        }
      }
      return rejectedCounts.filter(({ keyId }) => visibleIds.has(keyId));
    },
  };
}

/** An entity is found before a key is created for it: anything else is a fault of a command. */
function requireInside(entityIds: ReadonlySet<string>, entityId: string): void {
  if (!entityIds.has(entityId)) {
    throw new HkctlError('not_found', 'There is no such entity.');
  }
}

/** The entities that both confinements allow. */
export function commonEntities(confinement: Confinement, other: Confinement): Confinement {
  if (confinement === null) return other;
  if (other === null) return confinement;
  return confinement.filter((id) => other.includes(id));
}

export function isSameEntities(confinement: Confinement, other: Confinement): boolean {
  if (confinement === null || other === null) return confinement === other;
  if (confinement.length !== other.length) return false;
  return confinement.every((id) => other.includes(id));
}

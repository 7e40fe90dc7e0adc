import { and, count, eq, ilike, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { alias } from 'drizzle-orm/pg-core';
import type { KeyFilter, KeyStore } from '../../../core/port/keys.ts';
import { createKeyChanges } from '../../registry/key-changes.ts';
import {
  containing,
  credentialColumns,
  expiringCondition,
  keyColumns,
  listCondition,
  ownedBy,
  pageOf,
  prefixCondition,
} from '../../registry/keys.ts';
import type { Runner } from '../../registry/statements.ts';
import type { Generations } from '../daemons/generations.ts';
import type { Registry } from './registry.ts';
import { entities, keys, keyUses, tenants, users } from './tables.ts';
import { createRecordUse } from './usage.ts';

export function createKeyStore(registry: Registry, runner: Runner, generations: Generations): KeyStore {
  const { database, db } = registry;
  const credential = selectCredentials(db)
    .where(eq(keys.secretHash, sql.placeholder('hash')))
    .prepare('keys.credential');

  /** A text that begins a prefix finds by that alone, if there is such a key. */
  const conditionOf = async (tenantId: string, filter: KeyFilter): Promise<SQL | undefined> => {
    const { search, ...others } = filter;
    const byPrefix = search === undefined ? undefined : prefixCondition(keys, search);
    if (!byPrefix) return filterCondition(db, tenantId, filter);
    const inTenant = and(eq(keys.tenantId, tenantId), byPrefix);
    const found = await db.select({ id: keys.id }).from(keys).where(inTenant).limit(1);
    return found.length > 0
      ? and(byPrefix, filterCondition(db, tenantId, others))
      : filterCondition(db, tenantId, filter);
  };

  return {
    version: () => generations.keys(),
    async list(tenantId, filter, page) {
      const { boundary, order } = pageOf(keys, page);
      return selectKeys(db)
        .where(and(await conditionOf(tenantId, filter), boundary))
        .orderBy(...order)
        .limit(page.limit);
    },
    async count(tenantId, filter) {
      const [found] = await db
        .select({ n: count() })
        .from(keys)
        .leftJoin(keyUses, eq(keyUses.keyId, keys.id))
        .where(await conditionOf(tenantId, filter));
      return found?.n ?? 0;
    },
    async find(tenantId, ref) {
      const [key] = await selectKeys(db).where(
        and(eq(keys.tenantId, tenantId), or(eq(keys.id, ref), eq(keys.prefix, ref))),
      );
      return key;
    },
    async findByHash(tenantId, hash) {
      const [key] = await selectKeys(db).where(and(eq(keys.tenantId, tenantId), eq(keys.secretHash, hash)));
      return key;
    },
    // Each change begins by locking this row, and keeps it while it waits for a standby, even if its process is gone.
    settle: () =>
      database.transaction(async (session) => {
        await session.query('keys.settle', "select from generations where name = 'keys' for share");
      }),
    async prefixTaken(prefix) {
      const found = await db.select({ id: keys.id }).from(keys).where(eq(keys.prefix, prefix));
      return found.length > 0;
    },
    async credential(hash) {
      const [found] = await credential.execute({ hash });
      return found;
    },
    activeOf(owner, nowMs) {
      const { condition, order } = ownedBy(keys, owner, nowMs);
      return selectKeys(db)
        .where(condition)
        .orderBy(...order);
    },
    ...createKeyChanges(runner),
    recordUse: createRecordUse(database),
  };
}

function filterCondition(db: NodePgDatabase, tenantId: string, filter: KeyFilter): SQL | undefined {
  const { nowMs, expiringByMs, search } = filter;
  return listCondition(keys, keyUses, filter, {
    ofTenant: eq(keys.tenantId, tenantId),
    isExpiring: expiringByMs === undefined ? undefined : expiringCondition(keys, nowMs, expiringByMs),
    isFound: search === undefined ? undefined : searchCondition(db, search),
  });
}

function searchCondition(db: NodePgDatabase, search: string): SQL | undefined {
  const pattern = containing(search);
  const found = db
    .select({ id: entities.id })
    .from(entities)
    .where(or(ilike(entities.code, pattern), ilike(entities.name, pattern)));
  const columns = [keys.name, keys.note, keys.prefix].map((column) => ilike(column, pattern));
  return or(...columns, inArray(keys.entityId, found));
}

function selectKeys(db: NodePgDatabase) {
  const revokers = alias(users, 'revokers');
  return db
    .select(keyColumns({ keys, entities, users, revokers, uses: keyUses }))
    .from(keys)
    .innerJoin(users, eq(keys.createdBy, users.id))
    .leftJoin(entities, eq(keys.entityId, entities.id))
    .leftJoin(revokers, eq(keys.revokedBy, revokers.id))
    .leftJoin(keyUses, eq(keyUses.keyId, keys.id));
}

function selectCredentials(db: NodePgDatabase) {
  return db
    .select(credentialColumns({ keys, entities, users, tenants }))
    .from(keys)
    .innerJoin(users, eq(keys.createdBy, users.id))
    .innerJoin(tenants, eq(keys.tenantId, tenants.id))
    .leftJoin(entities, eq(keys.entityId, entities.id));
}

import { and, count, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { lazily } from '../../../core/lazily.ts';
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
import type { Registry } from './registry.ts';
import { entities, keys, tenants, users } from './tables.ts';
import { createRecordUse } from './usage.ts';

export function createKeyStore(registry: Registry, runner: Runner): KeyStore {
  const { db } = registry;
  const find = lazily(() =>
    selectKeys(registry)
      .where(
        and(
          eq(keys.tenantId, sql.placeholder('tenantId')),
          or(eq(keys.id, sql.placeholder('ref')), eq(keys.prefix, sql.placeholder('ref'))),
        ),
      )
      .prepare(),
  );
  const byHash = lazily(() =>
    selectKeys(registry)
      .where(and(eq(keys.tenantId, sql.placeholder('tenantId')), eq(keys.secretHash, sql.placeholder('hash'))))
      .prepare(),
  );
  const byPrefix = lazily(() =>
    db
      .select({ id: keys.id })
      .from(keys)
      .where(eq(keys.prefix, sql.placeholder('prefix')))
      .prepare(),
  );
  // Guesses come in floods: an unknown hash must cost no more than one index search.
  const isKnown = lazily(() =>
    registry.connection.prepare<[string], number>('select 1 from keys where secret_hash = ?').pluck(),
  );
  const credential = lazily(() =>
    selectCredential(registry)
      .where(eq(keys.secretHash, sql.placeholder('hash')))
      .prepare(),
  );

  return {
    version: registry.version,
    list: (tenantId, filter, page) =>
      registry.read(() => {
        const { boundary, order } = pageOf(keys, page);
        return selectKeys(registry)
          .where(and(filterCondition(registry, tenantId, filter), boundary))
          .orderBy(...order)
          .limit(page.limit)
          .all();
      }),
    count: (tenantId, filter) =>
      registry.read(
        () =>
          db
            .select({ n: count() })
            .from(keys)
            .where(filterCondition(registry, tenantId, filter))
            .get()?.n ?? 0,
      ),
    find: (tenantId, ref) => registry.read(() => find().get({ tenantId, ref })),
    findByHash: (tenantId, hash) => registry.read(() => byHash().get({ tenantId, hash })),
    // A change in progress is that of a process that is still there: what it has not committed ends with it.
    settle() {},
    prefixTaken: (prefix) => registry.read(() => byPrefix().get({ prefix }) !== undefined),
    credential: (hash) =>
      registry.read(() => (isKnown().get(hash) === undefined ? undefined : credential().get({ hash }))),
    activeOf(owner, nowMs) {
      const { condition, order } = ownedBy(keys, owner, nowMs);
      return registry.read(() =>
        selectKeys(registry)
          .where(condition)
          .orderBy(...order)
          .all(),
      );
    },
    ...createKeyChanges(runner),
    recordUse: createRecordUse(registry),
  };
}

function selectKeys({ db }: Registry) {
  const revokers = alias(users, 'revokers');
  return db
    .select(keyColumns({ keys, entities, users, revokers, uses: keys }))
    .from(keys)
    .innerJoin(users, eq(keys.createdBy, users.id))
    .leftJoin(entities, eq(keys.entityId, entities.id))
    .leftJoin(revokers, eq(keys.revokedBy, revokers.id));
}

function selectCredential({ db }: Registry) {
  return db
    .select(credentialColumns({ keys, entities, users, tenants }))
    .from(keys)
    .innerJoin(users, eq(keys.createdBy, users.id))
    .innerJoin(tenants, eq(keys.tenantId, tenants.id))
    .leftJoin(entities, eq(keys.entityId, entities.id));
}

/**
 * The condition of a list of keys, written so that SQLite picks the index that reads the fewest rows; a plus before a
 * column keeps SQLite from using an index for it. Only a search by name, note or entity reads all keys of the tenant, about 1 µs
 * a key; a trigram index would read as much for a part that many names share, and would slow down every new key.
 */
function filterCondition(registry: Registry, tenantId: string, filter: KeyFilter): SQL | undefined {
  const { nowMs, expiringByMs, search } = filter;
  const byPrefix = search === undefined ? undefined : usedPrefix(registry, tenantId, search);
  return listCondition(keys, keys, filter, {
    ofTenant: byPrefix ?? eq(keys.tenantId, tenantId),
    isExpiring: expiringByMs === undefined ? undefined : expiringSoon(registry, tenantId, nowMs, expiringByMs),
    isFound: search === undefined || byPrefix ? undefined : searchCondition(registry, search),
  });
}

/** Up to this number expiring keys are read by their index and sorted; if there are more, a walk from the newest is faster. */
const fewExpiring = 5000;

function expiringSoon({ connection }: Registry, tenantId: string, nowMs: number, byMs: number): SQL | undefined {
  const expiring = connection
    .prepare<[string, number, number], number>(
      `select count(*) from (select 1 from keys where tenant_id = ? and revoked_at_ms is null
        and expires_at_ms > ? and expires_at_ms <= ? limit ${fewExpiring + 1})`,
    )
    .pluck()
    .get(tenantId, nowMs, byMs);
  return Number(expiring) <= fewExpiring
    ? expiringCondition(keys, nowMs, byMs)
    : and(isNull(keys.revokedAtMs), sql`+${keys.expiresAtMs} > ${nowMs} and +${keys.expiresAtMs} <= ${byMs}`);
}

/** Keys of the tenant whose prefix begins with a text, by the index on prefixes; undefined if there are none. */
function usedPrefix({ db }: Registry, tenantId: string, text: string): SQL | undefined {
  const isFound = prefixCondition(keys, text);
  if (!isFound) return undefined;
  const condition = and(sql`+${keys.tenantId} = ${tenantId}`, isFound);
  return db.select({ id: keys.id }).from(keys).where(condition).limit(1).get() && condition;
}

function searchCondition({ db }: Registry, search: string): SQL | undefined {
  const pattern = containing(search);
  const like = (column: SQLiteColumn) => sql`${column} like ${pattern} escape '\\'`;
  const found = db
    .select({ id: entities.id })
    .from(entities)
    .where(or(like(entities.code), like(entities.name)));
  return or(like(keys.name), like(keys.note), like(keys.prefix), inArray(keys.entityId, found));
}

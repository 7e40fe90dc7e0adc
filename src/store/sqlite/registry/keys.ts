import { and, count, eq, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { lazily } from '../../../core/lazily.ts';
import type { KeyStore } from '../../../core/port/keys.ts';
import { createKeyChanges } from '../../registry/key-changes.ts';
import { credentialColumns, keyColumns, ownedBy, pageOf } from '../../registry/keys.ts';
import type { Runner } from '../../registry/statements.ts';
import { filterCondition } from './key-filters.ts';
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
        const rows = selectKeys(registry)
          .where(and(filterCondition(registry, tenantId, filter), boundary))
          .orderBy(...order)
          .limit(page.limit)
          .all();
        return page.before === undefined ? rows : rows.reverse();
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

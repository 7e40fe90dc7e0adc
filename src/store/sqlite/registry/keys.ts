import { and, count, eq, inArray, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { AuditDraft } from '../../../core/audit/events.ts';
import { lazily } from '../../../core/lazily.ts';
import type { KeyStore, NewKey } from '../../../core/port/keys.ts';
import type { Revocation } from '../../journal-lines.ts';
import {
  credentialColumns,
  entityInactive,
  type KeyStop,
  keyColumns,
  ownedBy,
  pageOf,
  statusCondition,
  stopsOf,
} from '../../registry/keys.ts';
import { withJournal } from '../journal/journal.ts';
import type { AppendAudit } from './audit.ts';
import { createCommandStore } from './commands.ts';
import { filterCondition } from './key-filters.ts';
import type { Registry } from './registry.ts';
import { entities, keys, tenants, users } from './tables.ts';
import { createRecordUse } from './usage.ts';

/** Keys. `journal` is the file that names what was stopped. */
export function createKeyStore(registry: Registry, append: AppendAudit, journal: string): KeyStore {
  const { db } = registry;
  const commands = createCommandStore(registry);
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

  /** Revokes all or none; returns the ids that were not active any more. */
  const revokeAll = (
    changes: readonly KeyStop[],
    nowMs: number,
    audit: readonly AuditDraft[],
    insertNext: () => void,
  ): string[] =>
    registry.stop(() => {
      const ids = changes.map(({ id }) => id);
      const active = activeAmong(registry, ids, nowMs);
      if (active.length < ids.length) return ids.filter((id) => !active.some((row) => row.keyId === id));
      // Inside the transaction no other process can change them; the journal is synced before the commit.
      return withJournal(journal, active, () => {
        insertNext();
        for (const { id, by, rotatedTo } of changes) {
          db.update(keys).set({ revokedAtMs: nowMs, revokedBy: by, rotatedTo }).where(eq(keys.id, id)).run();
        }
        for (const draft of audit) append(draft);
        return [];
      });
    });

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
    insert: (key, audit) =>
      registry.change(() => {
        requireActiveEntity(registry, key);
        db.insert(keys).values(key).run();
        append(audit);
      }),
    rotate: (pairs, nowMs, audit, command) =>
      revokeAll(stopsOf(pairs), nowMs, audit, () => {
        for (const { next } of pairs) db.insert(keys).values(next).run();
        for (const { oldKeyId, next } of pairs) commands.carry(oldKeyId, next.id, command);
      }),
    revoke: (ids, by, nowMs, audit) =>
      revokeAll(
        ids.map((id) => ({ id, by, rotatedTo: null })),
        nowMs,
        audit,
        () => {},
      ),
    setNote: (id, note, audit) =>
      registry.change(() => {
        if (db.update(keys).set({ note }).where(eq(keys.id, id)).run().changes === 0) return false;
        append(audit);
        return true;
      }),
    recordUse: createRecordUse(registry),
  };
}

function requireActiveEntity({ db }: Registry, key: NewKey): void {
  const entity = db.select().from(entities).where(eq(entities.id, key.entityId)).get();
  if (entity?.status === 'active') return;
  throw entityInactive();
}

function activeAmong({ db }: Registry, ids: readonly string[], nowMs: number): Revocation[] {
  const rows = [];
  // SQLite limits the parameters of a statement; a bulk revoke may name more keys.
  for (let at = 0; at < ids.length; at += 500) {
    rows.push(
      ...db
        .select({ keyId: keys.id, prefix: keys.prefix, secretHash: keys.secretHash })
        .from(keys)
        .where(and(inArray(keys.id, ids.slice(at, at + 500)), statusCondition(keys, 'Active', nowMs)))
        .all(),
    );
  }
  return rows.map((row) => ({ ...row, atMs: nowMs }));
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

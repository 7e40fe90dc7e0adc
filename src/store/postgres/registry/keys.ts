import { and, asc, count, eq, or, type SQL, sql } from 'drizzle-orm';
import type { AuditDraft } from '../../../core/audit/events.ts';
import type { KeyFilter, KeyStore, NewKey } from '../../../core/port/keys.ts';
import {
  entityInactive,
  type KeyStop,
  ownedBy,
  pageOf,
  prefixCondition,
  statusCondition,
  stopsOf,
} from '../../registry/keys.ts';
import type { Generations } from '../daemons/generations.ts';
import { appendAudit } from './audit.ts';
import { carryCommands } from './commands.ts';
import { filterCondition } from './key-filters.ts';
import { selectCredentials, selectKeys } from './key-selects.ts';
import type { Change, Registry } from './registry.ts';
import { entities, keys, keyUses } from './tables.ts';
import { createRecordUse } from './usage.ts';

/** Keys. */
export function createKeyStore(registry: Registry, generations: Generations): KeyStore {
  const { database, db, change } = registry;
  const credential = selectCredentials(db)
    .where(eq(keys.secretHash, sql.placeholder('hash')))
    .prepare('keys.credential');

  /** A text that begins a prefix finds by that alone, where there is such a key. */
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

  /** Revokes all or none; returns the ids that were not active any more. */
  const revokeAll = (
    changes: readonly KeyStop[],
    nowMs: number,
    audit: readonly AuditDraft[],
    insertNext: (change: Change) => Promise<void>,
  ): Promise<string[]> =>
    change(async (underWay) => {
      const { db, session } = underWay;
      const ids = changes.map(({ id }) => id);
      const rows = await db
        .select({ id: keys.id })
        .from(keys)
        .where(and(sql`${keys.id} = any(${sql.param(ids)}::text[])`, statusCondition(keys, 'Active', nowMs)))
        .orderBy(asc(keys.id))
        .for('update');
      const active = new Set(rows.map(({ id }) => id));
      const stale = ids.filter((id) => !active.has(id));
      if (stale.length > 0) return stale;
      await insertNext(underWay);
      const columns = [ids, changes.map(({ by }) => by), changes.map(({ rotatedTo }) => rotatedTo)];
      await session.query('keys.revoke', revokeKeys, [...columns, nowMs]);
      for (const draft of audit) await appendAudit(session, draft);
      return [];
    });

  return {
    version: () => generations.keys(),
    async list(tenantId, filter, page) {
      const { boundary, order } = pageOf(keys, page);
      const rows = await selectKeys(db)
        .where(and(await conditionOf(tenantId, filter), boundary))
        .orderBy(...order)
        .limit(page.limit);
      return page.before === undefined ? rows : rows.reverse();
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
    insert: (key, audit) =>
      change(async (underWay) => {
        await requireActiveEntity(underWay, key);
        await underWay.db.insert(keys).values(key);
        await appendAudit(underWay.session, audit);
      }),
    rotate: (pairs, nowMs, audit, digest) =>
      revokeAll(stopsOf(pairs), nowMs, audit, async ({ db, session }) => {
        for (const { oldKeyId: from, next } of pairs) {
          await db.insert(keys).values(next);
          await carryCommands(session, { from, to: next.id, digest });
        }
      }),
    revoke: (ids, by, nowMs, audit) =>
      revokeAll(
        ids.map((id) => ({ id, by, rotatedTo: null })),
        nowMs,
        audit,
        async () => {},
      ),
    setNote: (id, note, audit) =>
      change(async ({ db, session }) => {
        const changed = await db.update(keys).set({ note }).where(eq(keys.id, id)).returning({ id: keys.id });
        if (changed.length === 0) return false;
        await appendAudit(session, audit);
        return true;
      }),
    recordUse: createRecordUse(database),
  };
}

/** One statement for any number of keys: a leak may be of tens of thousands. */
const revokeKeys = `update keys set revoked_at_ms = $4, revoked_by = u.by, rotated_to = u.next
  from unnest($1::text[], $2::text[], $3::text[]) as u (id, by, next) where keys.id = u.id`;

async function requireActiveEntity({ db }: Change, key: NewKey): Promise<void> {
  const [entity] = await db.select().from(entities).where(eq(entities.id, key.entityId)).for('share');
  if (entity?.status === 'active') return;
  throw entityInactive();
}

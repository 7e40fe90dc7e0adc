import { and, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm/sql';
import { HkctlError } from '../../../core/errors.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { KeyStore, NewKey } from '../../../core/port/keys.ts';
import { carrySteps, createPendingStatements, putStep, requireLeases } from './pending-steps.ts';
import {
  type Change,
  type Dialect,
  placeholders,
  type Runner,
  resultOf,
  type StatementSteps,
  statement,
} from './statements.ts';

export function createKeyChanges({
  change,
  dialect,
}: Runner): Pick<KeyStore, 'insert' | 'rotate' | 'revoke' | 'setNote'> {
  const statements = createStatements(dialect);

  /** Revokes all or none; returns the ids that were not active any more. */
  const revokeAll = (
    ids: readonly string[],
    nowMs: number,
    audit: readonly AuditDraft[],
    applyChange: (change: Change) => StatementSteps<void>,
    lease?: string,
  ) =>
    change(function* (currentChange) {
      const { query, stop, append } = currentChange;
      const idList = JSON.stringify(ids);
      const activeKeys = yield* resultOf(query(statements.active, { ids: idList, nowMs }));
      const activeIds = new Set(activeKeys.map(({ id }) => id));
      const staleIds = ids.filter((id) => !activeIds.has(id));
      if (staleIds.length > 0) return staleIds;

      // Before the journal, which is not undone.
      if (lease !== undefined) yield* requireLeases(currentChange, statements.ofSteps, ids, lease);
      yield stop(activeKeys.map((key) => ({ ...key, atMs: nowMs, event: 'revoked', of: 'key' })));
      yield* applyChange(currentChange);
      for (const draft of audit) yield append(draft);
      return [];
    }, 'stop');

  return {
    insert: (key, audit, pending) =>
      change(function* (currentChange) {
        const { query, first, append } = currentChange;
        const entity = yield* resultOf(first(statements.entityStatus, { id: key.entityId }));
        if (entity?.status !== 'active') throw entityInactive();
        yield query(statements.insert, key);
        yield* putStep(currentChange, statements.ofSteps, key.id, pending);
        yield append(audit);
      }),
    rotate: (pairs, nowMs, audit, options = {}) => {
      const { pending, lease } = options;
      const oldKeyIds = pairs.map(({ oldKeyId }) => oldKeyId);
      return revokeAll(
        oldKeyIds,
        nowMs,
        audit,
        function* (currentChange) {
          const { query } = currentChange;
          const { ofSteps } = statements;
          for (const { oldKeyId, next } of pairs) {
            const by = next.createdBy;
            yield query(statements.insert, next);
            yield* carrySteps(currentChange, ofSteps, { from: oldKeyId, to: next.id });
            yield* putStep(currentChange, ofSteps, next.id, pending);
            yield query(statements.replace, { id: oldKeyId, nowMs, by, nextId: next.id });
          }
        },
        lease,
      );
    },
    revoke: (ids, by, nowMs, audit) =>
      revokeAll(ids, nowMs, audit, function* ({ query }) {
        yield query(statements.revoke, { ids: JSON.stringify(ids), nowMs, by });
      }),
    setNote: (id, note, audit) =>
      change(function* ({ query, first, append }) {
        const key = yield first(statements.byId, { id });
        if (!key) return false;
        yield query(statements.setNote, { id, note });
        yield append(audit);
        return true;
      }),
  };
}

function createStatements(dialect: Dialect) {
  const { builder, elementsOf } = dialect;
  const { keys, entities } = dialect.tables;
  const { id, ids, nowMs, by, nextId, note } = placeholders(
    'id',
    'ids',
    'nowMs',
    'by',
    'nextId',
    'note',
  );
  const newKey = placeholders(...fieldsOfNewKey);
  const hasId = eq(keys.id, id);
  const isAmongIds = inArray(keys.id, elementsOf(ids));
  const isUnexpired = or(isNull(keys.expiresAtMs), gt(keys.expiresAtMs, nowMs));

  return {
    ofSteps: createPendingStatements(dialect),
    insert: statement(() => builder.insert(keys).values(newKey)),
    byId: statement(() => {
      const selectId = builder.select({ id: keys.id }).from(keys);
      return selectId.where(hasId);
    }),
    entityStatus: statement(() => {
      const selectStatus = builder.select({ status: entities.status }).from(entities);
      return selectStatus.where(eq(entities.id, id));
    }),
    active: statement(() =>
      builder
        .select({ id: keys.id, name: keys.prefix, secretHash: keys.secretHash })
        .from(keys)
        .where(and(isAmongIds, isNull(keys.revokedAtMs), isUnexpired)),
    ),
    // A single statement for any number of keys: a leak may be of tens of thousands.
    revoke: statement(() =>
      builder
        .update(keys)
        .set({ revokedAtMs: sql`${nowMs}`, revokedBy: sql`${by}` })
        .where(isAmongIds),
    ),
    replace: statement(() =>
      builder
        .update(keys)
        .set({
          revokedAtMs: sql`${nowMs}`,
          revokedBy: sql`${by}`,
          rotatedTo: sql`${nextId}`,
        })
        .where(hasId),
    ),
    setNote: statement(() =>
      builder
        .update(keys)
        .set({ note: sql`${note}` })
        .where(hasId),
    ),
  };
}

const fieldsOfNewKey = [
  'id',
  'tenantId',
  'prefix',
  'secretHash',
  'name',
  'permissions',
  'entityId',
  'createdBy',
  'createdAtMs',
  'expiresAtMs',
  'rotatedFrom',
  'allowedIps',
  'note',
] as const satisfies readonly (keyof NewKey)[];

function entityInactive(): HkctlError {
  return new HkctlError(
    'entity_inactive',
    'The entity was deactivated or removed meanwhile; no key was created.',
    {
      hint: 'The secret that was just delivered is worthless; discard it.',
    },
  );
}

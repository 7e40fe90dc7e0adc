import { HkctlError } from '../../core/errors.ts';
import type { AuditDraft } from '../../core/port/audit.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { KeyStore } from '../../core/port/keys.ts';
import type { JournalEntry } from '../engine/journal-lines.ts';
import { addCommand, carryCommands } from './commands.ts';
import { requireLeases } from './leases.ts';
import { insertRow } from './rows.ts';
import { type Change, type Runner, resultOf, type Steps } from './statements.ts';

type KeyNames = Pick<JournalEntry, 'id' | 'name' | 'secretHash'>;

export function createKeyChanges({
  change,
  dialect,
}: Runner): Pick<KeyStore, 'insert' | 'rotate' | 'revoke' | 'setNote'> {
  const among = `id in (select value from ${dialect.each})`;
  const activeAmong = `select id, prefix as name, secret_hash as "secretHash" from keys
    where ${among} and revoked_at_ms is null and (expires_at_ms is null or expires_at_ms > $2)`;
  // One statement for any number of keys: a leak may be of tens of thousands.
  const revokeKeys = `update keys set revoked_at_ms = $2, revoked_by = $3 where ${among}`;

  /** Revokes all or none; returns the ids that were not active any more. */
  const revokeAll = (
    ids: readonly string[],
    nowMs: number,
    audit: readonly AuditDraft[],
    update: (change: Change) => Steps<void>,
    lease?: string,
  ) =>
    change(function* (running) {
      const { query, stop, append } = running;
      const found = query<KeyNames>(activeAmong, [JSON.stringify(ids), nowMs]);
      const rows = yield* resultOf(found);
      const active = new Set(rows.map(({ id }) => id));
      const stale = ids.filter((id) => !active.has(id));
      if (stale.length > 0) return stale;
      // Before the journal, which is not undone.
      if (lease !== undefined) yield* requireLeases(running, dialect.each, ids, lease);
      yield stop(rows.map((row) => ({ ...row, atMs: nowMs, event: 'revoked', of: 'key' })));
      yield* update(running);
      for (const draft of audit) yield append(draft);
      return [];
    }, 'stop');

  return {
    insert: (key, audit, command) =>
      change(function* (change) {
        const { first, append } = change;
        const entity = first<Pick<Entity, 'status'>>('select status from entities where id = $1', [
          key.entityId,
        ]);
        if ((yield* resultOf(entity))?.status !== 'active') throw entityInactive();
        yield insertRow(change, 'keys', key);
        yield* addCommand(change, key.id, command);
        yield append(audit);
      }),
    rotate: (pairs, nowMs, audit, { command, lease } = {}) => {
      const ids = pairs.map(({ oldKeyId }) => oldKeyId);
      return revokeAll(
        ids,
        nowMs,
        audit,
        function* (running) {
          for (const { oldKeyId, next } of pairs) {
            yield insertRow(running, 'keys', next);
            yield* carryCommands(running, { from: oldKeyId, to: next.id });
            yield* addCommand(running, next.id, command);
            yield running.query(rotateKey, [oldKeyId, nowMs, next.createdBy, next.id]);
          }
        },
        lease,
      );
    },
    revoke: (ids, by, nowMs, audit) =>
      revokeAll(ids, nowMs, audit, function* ({ query }) {
        yield query(revokeKeys, [JSON.stringify(ids), nowMs, by]);
      }),
    setNote: (id, note, audit) =>
      change(function* ({ first, append }) {
        if (!(yield first('update keys set note = $2 where id = $1 returning id', [id, note])))
          return false;
        yield append(audit);
        return true;
      }),
  };
}

const rotateKey =
  'update keys set revoked_at_ms = $2, revoked_by = $3, rotated_to = $4 where id = $1';

function entityInactive(): HkctlError {
  return new HkctlError(
    'entity_inactive',
    'The entity was deactivated or removed meanwhile; no key was created.',
    {
      hint: 'The secret that was just delivered is worthless; discard it.',
    },
  );
}

import { afterChange } from '../../core/errors.ts';
import type { AuditDraft } from '../../core/port/audit.ts';
import type { EntityStore } from '../../core/port/entities.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { JournalEntry } from '../engine/journal-lines.ts';
import { insertRow, selectAll } from './rows.ts';
import type { Change, Runner } from './statements.ts';

const select = selectAll('entities');

export function createEntityStore(
  { query, first, run, change }: Runner,
  purge: () => MaybePromise<void>,
): EntityStore {
  return {
    list: (tenantId) => query(`${select} where tenant_id = $1 order by code`, [tenantId]),
    find: (tenantId, code) =>
      first(`${select} where tenant_id = $1 and code = $2`, [tenantId, code]),
    insert: (entity, audit) =>
      change(function* (change) {
        yield insertRow(change, 'entities', entity);
        yield change.append(audit);
      }),
    update: (id, { name, timezone }, audit) =>
      change(function* ({ query, append }) {
        const set = 'name = coalesce($2, name), timezone = coalesce($3, timezone)';
        yield query(`update entities set ${set} where id = $1`, [
          id,
          name ?? null,
          timezone ?? null,
        ]);
        yield append(audit);
      }),
    setStatus(id, status, audit) {
      const isStop = status === 'inactive';
      const entries = [entryOf(isStop ? 'deactivated' : 'activated', id, audit)];
      const update = function* ({ query, append, stop, start }: Change) {
        if (isStop) yield stop(entries);
        yield query('update entities set status = $2 where id = $1', [id, status]);
        yield append(audit);
        const stillHolds = 'select 1 from entities where id = $1 and status = $2';
        if (!isStop) start(entries, stillHolds, [id, status]);
      };
      return change(update, isStop ? 'stop' : 'change');
    },
    remove: (id, audit) =>
      run(function* () {
        // In a commit of its own: the entity's keys are refused from then on, even if the purge takes long or is interrupted.
        yield change(function* ({ query, append, stop }) {
          yield stop([entryOf('removed', id, audit)]);
          yield query('delete from entities where id = $1', [id]);
          yield query('insert into purges (entity_id) values ($1) on conflict do nothing', [id]);
          yield append(audit);
        }, 'stop');
        try {
          yield purge();
        } catch (thrown) {
          throw afterChange(thrown, dataLeft);
        }
      }),
  };
}

const dataLeft =
  'The entity was removed, and its keys are refused. Its records and readings are deleted later.';

function entryOf(
  event: JournalEntry['event'],
  id: string,
  { atMs, target }: AuditDraft,
): JournalEntry {
  return { atMs, event, of: 'entity', id, name: target };
}

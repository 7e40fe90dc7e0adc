import { and, asc, eq, sql } from 'drizzle-orm';
import type { AuditDraft } from '../../../core/audit/events.ts';
import { afterChange } from '../../../core/errors.ts';
import { lazily } from '../../../core/lazily.ts';
import type { EntityStore } from '../../../core/port/entities.ts';
import type { StateEntry, StateEvent } from '../../journal-lines.ts';
import { dataLeft } from '../../registry/entities.ts';
import { changeWithJournal } from '../journal/journaled-change.ts';
import type { AppendAudit } from './audit.ts';
import type { Registry } from './registry.ts';
import { entities, purges } from './tables.ts';

/** Entities. `journal` is the file that names what was stopped; `purge` deletes the data of removed entities from the other files. */
export function createEntityStore(
  registry: Registry,
  append: AppendAudit,
  journal: string,
  purge: () => void,
): EntityStore {
  const { db } = registry;
  const list = lazily(() =>
    db
      .select()
      .from(entities)
      .where(eq(entities.tenantId, sql.placeholder('tenantId')))
      .orderBy(asc(entities.code))
      .prepare(),
  );
  const find = lazily(() =>
    db
      .select()
      .from(entities)
      .where(and(eq(entities.tenantId, sql.placeholder('tenantId')), eq(entities.code, sql.placeholder('code'))))
      .prepare(),
  );
  return {
    list: (tenantId) => registry.read(() => list().all({ tenantId })),
    find: (tenantId, code) => registry.read(() => find().get({ tenantId, code })),
    insert: (entity, audit) =>
      registry.change(() => {
        db.insert(entities).values(entity).run();
        append(audit);
      }),
    setStatus(id, status, audit) {
      const event = status === 'active' ? 'activated' : 'deactivated';
      const entries = [entryOf(event, id, audit)];
      changeWithJournal(registry, { journal, kind: status === 'inactive' ? 'stop' : 'change' }, () => ({
        stops: status === 'inactive' ? entries : [],
        starts: status === 'active' ? entries : [],
        commit() {
          db.update(entities).set({ status }).where(eq(entities.id, id)).run();
          append(audit);
        },
        stillHolds: () => db.select().from(entities).where(eq(entities.id, id)).get()?.status === status,
      }));
    },
    remove(id, audit) {
      // The registry first: from this commit on the entity's keys are refused, even if the purge is interrupted.
      changeWithJournal(registry, { journal, kind: 'stop' }, () => ({
        stops: [entryOf('removed', id, audit)],
        starts: [],
        commit() {
          db.delete(entities).where(eq(entities.id, id)).run();
          db.insert(purges).values({ entityId: id }).run();
          append(audit);
        },
        stillHolds: () => false,
      }));
      try {
        purge();
      } catch (thrown) {
        throw afterChange(thrown, dataLeft);
      }
    },
  };
}

function entryOf(event: StateEvent, id: string, { atMs, target }: AuditDraft): StateEntry {
  return { atMs, event, of: 'entity', id, name: target };
}

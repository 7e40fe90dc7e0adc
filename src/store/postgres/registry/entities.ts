import { and, asc, eq } from 'drizzle-orm';
import { afterChange } from '../../../core/errors.ts';
import type { EntityStore } from '../../../core/port/entities.ts';
import { stateLine } from '../../journal-lines.ts';
import { dataLeft } from '../../registry/entities.ts';
import { appendAudit } from './audit.ts';
import { addToJournal } from './journal.ts';
import type { Registry } from './registry.ts';
import { entities, purges } from './tables.ts';

/** Entities; `purge` deletes the records and readings of removed ones. */
export function createEntityStore({ db, change }: Registry, purge: () => Promise<void>): EntityStore {
  return {
    list: (tenantId) => db.select().from(entities).where(eq(entities.tenantId, tenantId)).orderBy(asc(entities.code)),
    async find(tenantId, code) {
      const [entity] = await db
        .select()
        .from(entities)
        .where(and(eq(entities.tenantId, tenantId), eq(entities.code, code)));
      return entity;
    },
    insert: (entity, audit) =>
      change(async ({ db, session }) => {
        await db.insert(entities).values(entity);
        await appendAudit(session, audit);
      }),
    setStatus: (id, status, audit) =>
      change(async ({ db, session }) => {
        await db.update(entities).set({ status }).where(eq(entities.id, id));
        await appendAudit(session, audit);
      }),
    async remove(id, audit) {
      // In a commit of its own: the entity's keys are refused from then on, even if the purge takes long or is interrupted.
      await change(async ({ db, session }) => {
        const gone = await db.delete(entities).where(eq(entities.id, id)).returning();
        const { atMs } = audit;
        // A restore of an older backup finds no row of the entity any more.
        const lines = gone.map(({ code: name }) => stateLine({ atMs, event: 'removed', of: 'entity', id, name }));
        await addToJournal(session, lines);
        await db.insert(purges).values({ entityId: id }).onConflictDoNothing();
        await appendAudit(session, audit);
      });
      await purge().catch((thrown: unknown) => {
        throw afterChange(thrown, dataLeft);
      });
    },
    finishRemovals: purge,
  };
}

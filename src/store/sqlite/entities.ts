import { and, asc, eq, sql } from 'drizzle-orm';
import type { EntityStore } from '../../core/store.ts';
import type { AppendAudit } from './audit.ts';
import { lazily } from './lazily.ts';
import type { Registry } from './registry.ts';
import { entities, purges } from './registry-tables.ts';

/** Sites. `purge` empties the other files of what belonged to sites that are gone. */
export function createEntityStore(registry: Registry, append: AppendAudit, purge: () => void): EntityStore {
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
    setStatus: (id, status, audit) =>
      registry.change(() => {
        db.update(entities).set({ status }).where(eq(entities.id, id)).run();
        append(audit);
      }),
    remove(id, audit) {
      // First the registry: from this commit on its keys are refused, whatever becomes of the rest.
      registry.change(() => {
        db.delete(entities).where(eq(entities.id, id)).run();
        db.insert(purges).values({ entityId: id }).run();
        append(audit);
      });
      purge();
    },
  };
}

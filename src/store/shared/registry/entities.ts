import { and, eq, sql } from 'drizzle-orm/sql';
import { afterChange } from '../../../core/errors.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { EntityStore } from '../../../core/port/entities.ts';
import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type { JournalEntry } from '../revocation-journal.ts';
import { type Change, type Dialect, placeholders, type Runner, statement } from './statements.ts';

export function createEntityStore(
  { query, first, run, change, dialect }: Runner,
  purge: () => MaybePromise<void>,
): EntityStore {
  const statements = createStatements(dialect);

  return {
    list: (tenantId) => query(statements.ofTenant, { tenantId }),
    find: (tenantId, code) => first(statements.byCode, { tenantId, code }),
    insert: (entity, audit) =>
      change(function* (change) {
        yield change.query(statements.insert, entity);
        yield change.append(audit);
      }),
    update: (id, changes, audit) =>
      change(function* ({ query, append }) {
        const { name = null, timezone = null } = changes;
        yield query(statements.update, { id, name, timezone });
        yield append(audit);
      }),
    setStatus(id, status, audit) {
      const isStop = status === 'inactive';
      const event = isStop ? 'deactivated' : 'activated';
      const entries = [entryOf(event, id, audit)];
      const setEntityStatus = function* ({ query, append, stop, start }: Change) {
        if (isStop) yield stop(entries);
        yield query(statements.setStatus, { id, status });
        yield append(audit);
        if (!isStop) yield start(entries, statements.withStatus, { id, status });
      };
      return change(setEntityStatus, isStop ? 'stop' : 'change');
    },
    remove: (id, audit) =>
      run(function* () {
        // In a commit of its own: the entity's keys are refused from then on, even if the purge takes long or is interrupted.
        yield change(function* ({ query, append, stop }) {
          yield stop([entryOf('removed', id, audit)]);
          yield query(statements.remove, { id });
          yield query(statements.purge, { entityId: id });
          yield append(audit);
        }, 'stop');
        try {
          yield purge();
        } catch (thrown) {
          throw afterChange(thrown, dataLeftMessage);
        }
      }),
  };
}

/** A new row of an entity. */
export function insertEntity({ builder, tables }: Dialect) {
  const row = placeholders('id', 'tenantId', 'code', 'name', 'timezone', 'status', 'createdAtMs');
  return statement(() => builder.insert(tables.entities).values(row));
}

function createStatements(dialect: Dialect) {
  const { builder } = dialect;
  const { entities, purges } = dialect.tables;
  const { id, tenantId, code, name, timezone, status } = placeholders(
    'id',
    'tenantId',
    'code',
    'name',
    'timezone',
    'status',
  );
  const selectEntities = () => builder.select().from(entities);
  const hasId = eq(entities.id, id);
  const hasCode = eq(entities.code, code);
  const hasStatus = eq(entities.status, status);
  const ofTenant = eq(entities.tenantId, tenantId);

  return {
    insert: insertEntity(dialect),
    ofTenant: statement(() => selectEntities().where(ofTenant).orderBy(entities.code)),
    byCode: statement(() => selectEntities().where(and(ofTenant, hasCode))),
    withStatus: statement(() => selectEntities().where(and(hasId, hasStatus))),
    update: statement(() =>
      builder
        .update(entities)
        .set({
          name: sql`coalesce(${name}, ${entities.name})`,
          timezone: sql`coalesce(${timezone}, ${entities.timezone})`,
        })
        .where(hasId),
    ),
    setStatus: statement(() =>
      builder
        .update(entities)
        .set({ status: sql`${status}` })
        .where(hasId),
    ),
    remove: statement(() => builder.delete(entities).where(hasId)),
    purge: statement(() =>
      builder.insert(purges).values(placeholders('entityId')).onConflictDoNothing(),
    ),
  };
}

const dataLeftMessage =
  'The entity was removed, and its keys are refused. Its records and readings are deleted later.';

function entryOf(
  event: JournalEntry['event'],
  id: string,
  { atMs, target }: AuditDraft,
): JournalEntry {
  return { atMs, event, of: 'entity', id, name: target };
}

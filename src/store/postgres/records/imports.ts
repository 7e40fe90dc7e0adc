import { randomBytes } from 'node:crypto';
import { afterChange, HkctlError } from '../../../core/errors.ts';
import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { readChanges } from '../../shared/records/changes.ts';
import type { ImportSession, ImportTarget } from '../../shared/records/import-session.ts';
import { importInto } from '../../shared/records/imports.ts';
import { copyRowsToServer } from '../connection/copy.ts';
import type { Database } from '../connection/database.ts';
import type { PostgresSession } from '../connection/session.ts';
import { advanceCounter } from '../daemons/change-counters.ts';
import { purgeRemoved } from '../registry/purge.ts';
import { appendAudit } from '../registry/statements.ts';
import type { EntityNumbers } from './entity-numbers.ts';
import { createIncomingWriter } from './import-rows.ts';
import { fillRecords, incoming, readyForChecks, rowsOn } from './imports-fill.ts';
import { pageDialect } from './pages.ts';

/**
 * Imports records in one transaction: readers see the old set until the commit. If the entity has records of the resource,
 * the rows go by COPY into a temporary table first. The database finds repeated values, so that memory does not grow with the
 * file. Imports of one resource into one entity wait for each other. Before, removals of entities that were interrupted are
 * completed.
 */
export async function writeImport(
  database: Database,
  numbers: EntityNumbers,
  request: ImportRequest,
): Promise<ImportSummary> {
  const { resource, dryRun, entityId } = request;
  if (!dryRun) await purgeRemoved(database);
  const entity = await numbers.give(entityId);

  const importRecords = async (session: PostgresSession) => {
    await session.query('select pg_advisory_xact_lock($1, hashtext($2))', [entity, resource.name]);
    const { changedAt } = await readChanges(rowsOn(session), pageDialect, resource, entity);
    const importSession = sessionOf(database, session);
    const summary = await importInto(importSession, request, entity, changedAt);
    if (!dryRun) await advanceChangeCounter(session, entityId);
    await appendAudit(session, request.audit(summary));
    return summary;
  };
  // Before the import: a connection that is lost afterwards would look like one that failed.
  const onCitus = !dryRun && (await isOnCitus(database));
  const summary = await database.transaction(importRecords, { idleMs: 0 });
  if (onCitus) {
    await database.query(advanceCounter.records).catch((thrown) => {
      throw afterChange(
        thrown,
        'The import is committed, but daemons may answer with old records until the next one.',
      );
    });
  }
  return summary;
}

/**
 * Workers of Citus commit after the coordinator, but before the commit is answered: a daemon could have kept a page without the
 * import under the change counter that came with it.
 */
async function isOnCitus(database: Database): Promise<boolean> {
  const citusQuery = "select where to_regclass('pg_catalog.pg_dist_partition') is not null";
  const citusRows = await database.query(citusQuery);
  return citusRows.length > 0;
}

function sessionOf(database: Database, session: PostgresSession): ImportSession {
  const runQuery = rowsOn(session);
  return {
    incoming,
    // Citus joins no local table with one that it has distributed, but the result of a subquery that it cannot dissolve.
    ofFile: (columns = '*') => `(select ${columns} from ${incoming} offset 0)`,
    rows: runQuery,
    async beginTimeline() {
      await runQuery("select pg_advisory_xact_lock(hashtext('record_epoch'))");
      await runQuery('delete from record_epoch');
      await runQuery('insert into record_epoch (epoch) values ($1)', [
        randomBytes(6).toString('hex'),
      ]);
    },
    fill: (table, batches) => fillRecords(database, session, table, batches),
    async stage(table, batches) {
      const rowCount = await copyFile(session, table, batches);
      await readyForChecks(session, rowCount);
    },
  };
}

/** Returns the number of rows. */
async function copyFile(
  session: PostgresSession,
  { resource, table, columns }: ImportTarget,
  batches: ImportRequest['rows'],
) {
  const columnList = columns.map((name) => `"${name}"`).join(', ');
  await session.run(
    `create temporary table ${incoming} on commit drop as
      select 0 as n, 0 as line, ${columnList} from ${table} with no data`,
  );
  const writeRows = createIncomingWriter(resource);
  let rowCount = 0;
  const copyTexts = async function* () {
    for await (const batch of batches) {
      rowCount += batch.lines.length;
      if (batch.lines.length > 0) yield writeRows(batch);
    }
  };
  await copyRowsToServer(session, `copy ${incoming} from stdin`, copyTexts());
  return rowCount;
}

/** Daemons notice the import by the change counter. An entity that was removed meanwhile gets no records. */
async function advanceChangeCounter(session: PostgresSession, entityId: string): Promise<void> {
  const findEntity = 'select id from entities where id = $1 for key share';
  const entityRows = await session.query(findEntity, [entityId]);
  if (entityRows.length === 0) {
    throw new HkctlError(
      'not_found',
      'The entity was removed during the import; nothing was imported.',
    );
  }
  await session.query(advanceCounter.records);
}

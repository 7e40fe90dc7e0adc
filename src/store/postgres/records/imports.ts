import { afterChange, HkctlError } from '../../../core/errors.ts';
import { importFields } from '../../../core/fields/fields.ts';
import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import { type ImportTable, isPlain, toImportTable } from '../../records/imports.ts';
import { copyRows } from '../connection/copy.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import { appendAudit } from '../registry/audit.ts';
import { purgeRemoved } from '../registry/purge.ts';
import { correctDates, readChangedAt, recordChange } from './changes.ts';
import type { EntityNumbers } from './entity-numbers.ts';
import { createIncomingWriter } from './import-rows.ts';
import { incoming, rowsOf } from './import-table.ts';
import { checkWhole, readyForChecks } from './imports-checks.ts';
import { fillRecords } from './imports-fill.ts';
import { countChanges, keepLists, writeChanges } from './imports-merge.ts';
import { columnType } from './tables.ts';

/**
 * Imports records in one transaction: readers see the old set until the commit. If the entity has records of the resource,
 * the rows go by COPY into a temporary table first. The database finds repeated values, so that memory does not grow with the
 * file. Imports of one resource into one entity wait for each other. Before, removals of entities that were interrupted are
 * completed.
 */
export async function importRecords(
  database: Database,
  numbers: EntityNumbers,
  request: ImportRequest,
): Promise<ImportSummary> {
  if (!request.dryRun) await purgeRemoved(database);
  const entity = await numbers.give(request.entityId);
  const work = async (session: Session) => {
    const { name } = request.resource;
    await session.query('imports.lock', 'select pg_advisory_xact_lock($1, hashtext($2))', [entity, name]);
    const table = toImportTable(request, entity, await readChangedAt(session, request.resource, entity));
    const corrects = !request.dryRun && table.correctsDates;
    if (corrects) await correctDates(session, table);
    const fills = await isFirst(session, table, request);
    const summary = await (fills
      ? fillRecords(database, session, table, request)
      : mergeRecords(session, table, request));
    const { inserted, updated, removed } = summary;
    if (corrects || (!request.dryRun && inserted + updated + removed > 0)) {
      await recordChange(session, table, inserted, request.nowUs);
    }
    if (!request.dryRun) await advance(session, request.entityId);
    await appendAudit(session, request.audit(summary));
    return summary;
  };
  // Before the import: a connection that is lost afterwards would look like one that failed.
  const onCitus = !request.dryRun && (await isOnCitus(database));
  const summary = await database.transaction(work, { idleMs: 0 });
  if (onCitus) {
    await database
      .query('generations.citus', "update generations set value = value + 1 where name = 'records'")
      .catch((thrown) => {
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
 * import under the generation that came with it.
 */
async function isOnCitus(database: Database): Promise<boolean> {
  const found = "select where to_regclass('pg_catalog.pg_dist_partition') is not null";
  return (await database.query('generations.citus_there', found)).length > 0;
}

/** Whether the rows go straight into the table. Not those of a dry run, which would leave the database to clean up behind it. */
async function isFirst(
  session: Session,
  { table, entity }: ImportTable,
  { resource, dryRun }: ImportRequest,
): Promise<boolean> {
  if (dryRun || !isPlain(resource)) return false;
  return (await rowsOf(session, `select from ${table} where entity = $1 limit 1`, [entity])).length === 0;
}

async function copyFile(session: Session, { resource, rows }: ImportRequest): Promise<number> {
  const fields = Object.entries(importFields(resource));
  const columns = fields.map(([name, field]) => `"${name}" ${columnType(field)}`);
  await session.run(
    `create temporary table ${incoming} (n integer, line integer, ${columns.join(', ')}) on commit drop`,
  );
  const write = createIncomingWriter(resource);
  const texts = async function* () {
    for await (const batch of rows) if (batch.lines.length > 0) yield write(batch);
  };
  return copyRows(session, `copy ${incoming} from stdin`, texts());
}

/** Checks what only the whole file shows before anything is written. */
async function mergeRecords(session: Session, table: ImportTable, request: ImportRequest): Promise<ImportSummary> {
  const rows = await copyFile(session, request);
  await readyForChecks(session, rows);
  const violations = new ViolationList();
  await checkWhole(session, table, violations);
  violations.refuse();
  await keepLists(session, table);
  const counts = await countChanges(session, table);
  await request.confirm?.(counts.summary);
  if (!request.dryRun) await writeChanges(session, table, counts);
  return counts.summary;
}

/** Daemons notice the import by its generation. An entity that was removed meanwhile gets no records. */
async function advance(session: Session, entityId: string): Promise<void> {
  const find = 'select id from entities where id = $1 for key share';
  if ((await session.query('imports.entity', find, [entityId])).length === 0) {
    throw new HkctlError('not_found', 'The entity was removed during the import; nothing was imported.');
  }
  await session.query('generations.records', "update generations set value = value + 1 where name = 'records'");
}

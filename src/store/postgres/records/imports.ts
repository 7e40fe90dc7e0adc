import { randomBytes } from 'node:crypto';
import { afterChange, HkctlError } from '../../../core/errors.ts';
import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import { readChanges } from '../../shared/records/changes.ts';
import { findRepeats } from '../../shared/records/import-checks.ts';
import type { ImportSession, ImportTarget } from '../../shared/records/import-session.ts';
import { importInto } from '../../shared/records/imports.ts';
import { copyRowsToServer, createCopy } from '../connection/copy.ts';
import type { Database } from '../connection/database.ts';
import type { PostgresSession } from '../connection/session.ts';
import { advanceCounter } from '../daemons/change-counters.ts';
import { mayBeRepeated } from '../errors/errors.ts';
import { purgeRemoved } from '../registry/purge.ts';
import { appendAudit } from '../registry/statements.ts';
import type { EntityNumbers } from './entity-numbers.ts';
import { createIdWriter, createIncomingWriter, createRecordWriter } from './import-rows.ts';
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
 * Workers of Citus commit after the coordinator, but before the commit is answered. A daemon could have kept a page without the
 * import under the change counter of the import.
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

/** The temporary table with the rows of the file: their number, their line, and the fields. */
export const incoming = 'pg_temp.incoming';

/** Runs statements of an import, unprepared: the next import has another temporary table. */
function rowsOn(session: PostgresSession): ImportSession['rows'] {
  return async <Row>(statement: string, values: readonly unknown[] = []) => {
    const result = await session.send<Row>({ text: statement, values: [...values] });
    return result.rows;
  };
}

/**
 * Up to this number of rows the planner may choose to look each one up by itself. It knows little of tables that have just been
 * filled, and once took ten minutes for a join of nested loops.
 */
const fewRows = 10_000;

/** Prepares the transaction of a session for statements over the rows of the temporary table. */
async function readyForChecks(session: PostgresSession, rowCount: number): Promise<void> {
  const nestedLoops = rowCount <= fewRows ? 'on' : 'off';
  await session.run(`set local work_mem = '64MB'; set local enable_nestloop = ${nestedLoops}`);
  await session.run(`analyze ${incoming}`);
}

/**
 * Imports into an entity without records of the resource. No row can exist already: all go by COPY straight into the table
 * while the file is read. The ids go with their lines into a temporary table of another connection. If two rows have the same
 * id, the first transaction is lost, and only the second one knows their lines.
 */
async function fillRecords(
  database: Database,
  session: PostgresSession,
  table: ImportTarget,
  batches: ImportRequest['rows'],
): Promise<number> {
  const fillBoth = async (idSession: PostgresSession): Promise<number> => {
    await idSession.run(
      `create temporary table ${incoming} (n integer, line integer, id text collate "C" not null) on commit drop`,
    );
    const idCopy = createCopy(idSession, `copy ${incoming} from stdin`);
    const recordCopy = createCopy(session, copySql(table));
    const writeIds = createIdWriter();
    const writeRows = createRecordWriter(table.resource, String(table.entity), table.updatedAt);

    let rowCount = 0;
    let repeatError: unknown;
    for await (const batch of batches) {
      if (batch.lines.length === 0) continue;
      rowCount += batch.lines.length;
      const recordRows = writeRows(batch);
      await idCopy.write(writeIds(batch));
      // After the first repeated id, only the ids are still written: the check names all repeats.
      repeatError ??= await recordCopy.write(recordRows).then(toUndefined, repeatErrorOf);
    }
    await idCopy.end();
    repeatError ??= await recordCopy.end().then(toUndefined, repeatErrorOf);
    if (repeatError === undefined) return rowCount;

    await readyForChecks(idSession, Number.POSITIVE_INFINITY);
    const violations = new ViolationList();
    const rows = rowsOn(idSession);
    await findRepeats({ incoming, rows }, violations);
    violations.refuse();
    throw repeatError;
  };
  return database.transaction(fillBoth, { idleMs: 0 });
}

function copySql({ table, columns }: ImportTarget): string {
  const columnList = columns.map((column) => `"${column}"`).join(', ');
  return `copy "${table}" (entity, ${columnList}, updated_at) from stdin`;
}

const toUndefined = () => undefined;

/** Returns the error of the database that an id is there already, and throws any other. */
function repeatErrorOf(thrown: unknown): unknown {
  if (mayBeRepeated(thrown)) return thrown;
  throw thrown;
}

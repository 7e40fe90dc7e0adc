import { importFields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import type { ImportBatch, ImportColumn } from '../../../core/fields/import-batch.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import { isPlain, toImportTable } from '../../records/imports.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import { translating } from '../../sqlite-database/errors.ts';
import { correctDates, createChangesReader, recordChange } from './changes.ts';
import type { ImportTarget, OpenTable } from './import-target.ts';
import { createFill } from './imports-fill.ts';
import { createMerge } from './imports-merge.ts';
import { putInOutbox } from './outbox.ts';
import { entityNumber } from './tables.ts';

/**
 * 128 MiB of pages stay in memory, enough for half a million records: a page that does not fit is written to the log of the
 * database, and read again each time it gets rows.
 */
const cachePragma = 'cache_size = -131072';

/**
 * Imports records in one transaction on a connection of its own: readers see the old set until the commit. The database
 * finds repeated values, so that memory does not grow with the file. Returns in `unsettled` the audit event of a dry run,
 * which commits nothing that could hold it.
 */
export async function importRecords(
  connection: Connection,
  path: string,
  request: ImportRequest,
  requireSchema: () => void,
): Promise<{ summary: ImportSummary; unsettled: AuditDraft | undefined }> {
  const run = <T>(work: () => T): T => translating(path, work);
  run(() => connection.pragma(cachePragma));
  run(() => connection.exec('begin immediate'));
  try {
    // Indexes may be dropped and created again from the SQL in the schema; the write lock keeps it unchanged until the commit.
    requireSchema();
    const table = run(() => openTable(connection, request));
    if (table.correctsDates) run(() => correctDates(table));
    const target = run(() => createTarget(table));
    for await (const batch of request.rows) run(() => target.put(stored(batch, request.resource, target.absentList)));
    const summary = run(() => target.finish());
    await request.confirm?.(summary);
    const { inserted, updated, removed } = summary;
    if (inserted + updated + removed > 0 || table.correctsDates)
      run(() => recordChange(table, inserted, request.nowUs));
    const audit = request.audit(summary);
    if (!request.dryRun) run(() => putInOutbox(connection, audit));
    run(() => connection.exec(request.dryRun ? 'rollback' : 'commit'));
    // The log holds all that was written, and a daemon would keep its file at that size for as long as it runs. If a
    // reader is in the way, the pragma returns a row that says so and throws nothing.
    if (!request.dryRun) run(() => connection.pragma('wal_checkpoint(truncate)'));
    return { summary, unsettled: request.dryRun ? audit : undefined };
  } catch (thrown) {
    if (connection.inTransaction) connection.exec('rollback');
    throw thrown;
  }
}

function openTable(connection: Connection, request: ImportRequest): OpenTable {
  const { resource, entityId, dryRun } = request;
  const entity = numberOf(connection, entityId);
  const { changedAt } = createChangesReader(() => connection).changes(resource, entityId);
  return { ...toImportTable(request, entity, changedAt), connection, dryRun, violations: new ViolationList() };
}

/** A merge remembers the line of every row. */
function createTarget(table: OpenTable): ImportTarget {
  const hasRecords = table.connection
    .prepare(`select 1 from ${table.table} where entity = ? limit 1`)
    .get(table.entity);
  return isPlain(table.resource) && !hasRecords ? createFill(table) : createMerge(table);
}

function numberOf(connection: Connection, entityId: string): number {
  connection.prepare('insert or ignore into record_entities (entity_id) values (?)').run(entityId);
  const number = connection.prepare<[string], number>(`select ${entityNumber}`).pluck().get(entityId);
  if (number === undefined) throw new Error('the entity has no number');
  return number;
}

/** The batch with values as the columns store them: SQLite has neither booleans nor lists. */
function stored(
  { lines, columns }: ImportBatch,
  resource: ResourceDefinition,
  absentList: string | undefined,
): ImportBatch {
  const fields = Object.values(importFields(resource));
  const toStored = (column: ImportColumn, i: number): ImportColumn => {
    const kind = fields[i]?.kind;
    if (kind === 'boolean') return column.map((value) => (value === null ? null : Number(value)));
    if (kind !== 'list') return column;
    return column.map((value) => (value === undefined ? absentList : JSON.stringify(value ?? [])));
  };
  return { lines, columns: columns.map(toStored) };
}

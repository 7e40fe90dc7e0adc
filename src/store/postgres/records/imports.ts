import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { HkctlError } from '../../../core/errors.ts';
import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { importFields } from '../../../core/records/fields.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import { changeInstant } from '../../../core/records/sync/changes.ts';
import { tableName } from '../../records/tables.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import { appendAudit } from '../registry/audit.ts';
import { readChangedAt, recordChange } from './changes.ts';
import type { EntityNumbers } from './entity-numbers.ts';
import { createRowWriter } from './import-rows.ts';
import { type ImportTable, incoming } from './import-table.ts';
import { checkWhole } from './imports-checks.ts';
import { countChanges, writeChanges } from './imports-merge.ts';
import { columnType } from './tables.ts';

/**
 * Imports records in one transaction: readers see the old set until the commit. The rows go by COPY into a temporary table, in
 * which the database finds repeated values, so that memory does not grow with the file. Imports of one resource into one
 * entity wait for each other.
 */
export async function importRecords(
  database: Database,
  numbers: EntityNumbers,
  request: ImportRequest,
): Promise<ImportSummary> {
  const entity = await numbers.give(request.entityId);
  const work = async (session: Session) => {
    const { name } = request.resource;
    await session.query('imports.lock', 'select pg_advisory_xact_lock($1, hashtext($2))', [entity, name]);
    const table = toImportTable(request, entity, await readChangedAt(session, request.resource, entity));
    const rows = await copyRows(session, request);
    await session.run(`set local work_mem = '64MB'; set local enable_nestloop = ${rows <= fewRows ? 'on' : 'off'}`);
    await session.run(`analyze ${incoming}`);
    const summary = await apply(session, table, request);
    if (!request.dryRun) await advance(session, request.entityId);
    await appendAudit(session, request.audit(summary));
    return summary;
  };
  return database.transaction(work, { idleMs: 0 });
}

/**
 * So many rows are looked up one by one where the planner likes to. It knows little of tables that have just been filled, and
 * once took ten minutes for a join of nested loops.
 */
const fewRows = 10_000;

function toImportTable({ resource, replace, nowUs }: ImportRequest, entity: number, changedAt: string): ImportTable {
  return {
    resource,
    table: tableName(resource),
    entity,
    columns: Object.keys(importFields(resource)),
    updatedAt: changeInstant(nowUs, changedAt),
    replace,
  };
}

/** Returns the number of rows. */
async function copyRows(session: Session, { resource, rows }: ImportRequest): Promise<number> {
  const fields = Object.entries(importFields(resource));
  const columns = fields.map(([name, field]) => `"${name}" ${columnType(field)}`);
  await session.run(
    `create temporary table ${incoming} (n integer, line integer, ${columns.join(', ')}) on commit drop`,
  );
  const write = createRowWriter(resource);
  const target = session.client.query(copyFrom(`copy ${incoming} from stdin`));
  let ofSource: unknown;
  const texts = async function* () {
    try {
      for await (const batch of rows) if (batch.lines.length > 0) yield Buffer.from(write(batch));
    } catch (thrown) {
      ofSource = thrown;
      throw thrown;
    }
  };
  try {
    await pipeline(texts, target);
  } catch (thrown) {
    // An error of the file is none of the database, even where both have the same code.
    throw thrown === ofSource ? thrown : session.translate(thrown);
  }
  return target.rowCount;
}

/** Checks what only the whole file shows before anything is written. */
async function apply(session: Session, table: ImportTable, { dryRun, nowUs }: ImportRequest): Promise<ImportSummary> {
  const violations = new ViolationList();
  await checkWhole(session, table, violations);
  violations.refuse();
  const counts = await countChanges(session, table);
  const { inserted, updated, removed } = counts.summary;
  if (!dryRun && inserted + updated + removed > 0) {
    await writeChanges(session, table, counts);
    await recordChange(session, table, inserted, nowUs);
  }
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

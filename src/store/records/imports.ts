import { importFields } from '../../core/fields/fields.ts';
import type { ImportRequest, ImportSummary } from '../../core/port/records.ts';
import { changeInstant, isDatedAhead } from '../../core/records/changes.ts';
import { ViolationList } from '../../core/records/imports.ts';
import { correctDates, recordChange } from './changes.ts';
import { checkWhole } from './import-checks.ts';
import { countChanges, keepLists, writeChanges } from './import-merge.ts';
import type { ImportSession, ImportTable } from './import-session.ts';
import { tableName } from './tables.ts';

/** Imports the rows of a file; `changedAt` is the instant of the last change before it. */
export async function importInto(
  session: ImportSession,
  request: ImportRequest,
  entity: number,
  changedAt: string,
): Promise<ImportSummary> {
  const { resource, replace, nowUs, dryRun } = request;
  const corrects = !dryRun && request.correctsDates === true && isDatedAhead(nowUs, changedAt);
  const table: ImportTable = {
    resource,
    table: tableName(resource),
    entity,
    columns: Object.keys(importFields(resource)),
    updatedAt: changeInstant(nowUs, corrects ? '' : changedAt),
    replace,
  };
  if (corrects) await correctDates(session, table);
  const summary = await ((await isFill(session, table, dryRun))
    ? fill(session, table, request)
    : merge(session, table, request));
  const { inserted, updated, removed } = summary;
  if (corrects || (!dryRun && inserted + updated + removed > 0)) await recordChange(session, table, inserted, nowUs);
  return summary;
}

/**
 * Whether the rows go straight into the table: the first records of an entity need no comparison with others. Those of sensors do,
 * whose codes are unique; they are few. A dry run changes no table of records.
 */
async function isFill(session: ImportSession, { resource, table, entity }: ImportTable, dryRun: boolean) {
  if (dryRun || Object.values(resource.fields).some(({ unique }) => unique)) return false;
  return (await session.rows(`select 1 from ${table} where entity = $1 limit 1`, [entity])).length === 0;
}

async function fill(session: ImportSession, table: ImportTable, { rows }: ImportRequest): Promise<ImportSummary> {
  return { inserted: await session.fill(table, rows), updated: 0, unchanged: 0, removed: 0 };
}

/** Checks what only the whole file shows before anything is written. */
async function merge(session: ImportSession, table: ImportTable, request: ImportRequest): Promise<ImportSummary> {
  await session.stage(table, request.rows);
  const violations = new ViolationList();
  await checkWhole(session, table, violations);
  violations.refuse();
  await keepLists(session, table);
  const counts = await countChanges(session, table);
  await request.confirm?.(counts.summary);
  if (!request.dryRun) await writeChanges(session, table, counts);
  return counts.summary;
}

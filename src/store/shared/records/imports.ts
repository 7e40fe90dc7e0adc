import { importFields, keptLists } from '../../../core/fields/fields.ts';
import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { changeInstant, isDatedAhead } from '../../../core/records/changes.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import { tableName } from '../../tables/record-names.ts';
import { correctDates, recordChange, rememberRemoved } from './changes.ts';
import { checkWhole } from './import-checks.ts';
import type { ImportSession, ImportTarget } from './import-session.ts';

export async function importInto(
  session: ImportSession,
  request: ImportRequest,
  entity: number,
  changedAt: string,
): Promise<ImportSummary> {
  const { resource, replace, nowUs, dryRun } = request;
  const corrects = !dryRun && request.correctsDates === true && isDatedAhead(nowUs, changedAt);
  const table: ImportTarget = {
    resource,
    table: tableName(resource),
    entity,
    columns: Object.keys(importFields(resource)),
    updatedAt: changeInstant(nowUs, corrects ? '' : changedAt),
    replace,
  };
  if (corrects) await correctDates(session, table);

  const summary = (await isFill(session, table, dryRun))
    ? await fill(session, table, request)
    : await merge(session, table, request);
  const { inserted, updated, removed } = summary;
  const hasChanged = !dryRun && inserted + updated + removed > 0;
  if (corrects || hasChanged) await recordChange(session, table, inserted, nowUs);
  return summary;
}

/** The first records of an entity need no comparison with others, except sensors, whose codes are unique. A dry run changes no table. */
async function isFill(
  session: ImportSession,
  { resource, table, entity }: ImportTarget,
  dryRun: boolean,
) {
  const hasUnique = Object.values(resource.fields).some(({ unique }) => unique);
  if (dryRun || hasUnique) return false;
  const findRecord = `select 1 from ${table} where entity = $1 limit 1`;
  const recordRows = await session.rows(findRecord, [entity]);
  return recordRows.length === 0;
}

async function fill(
  session: ImportSession,
  table: ImportTarget,
  request: ImportRequest,
): Promise<ImportSummary> {
  const inserted = await session.fill(table, request.rows);
  return { inserted, updated: 0, unchanged: 0, removed: 0 };
}

async function merge(
  session: ImportSession,
  table: ImportTarget,
  request: ImportRequest,
): Promise<ImportSummary> {
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

interface Changes {
  summary: ImportSummary;
  known: number;
}

async function keepLists(
  session: ImportSession,
  { resource, table, entity }: ImportTarget,
): Promise<void> {
  for (const listColumn of keptLists(resource)) {
    const keepList = `update ${session.incoming} as i set "${listColumn}" = t."${listColumn}" from ${table} as t
      where i."${listColumn}" is null and t.entity = $1 and t.id = i.id`;
    await session.rows(keepList, [entity]);
  }
}

/** Counts what an import changes, without changing it: the rows of the file are compared with the records of the entity. */
async function countChanges(session: ImportSession, table: ImportTarget): Promise<Changes> {
  const { table: recordTable, entity, replace } = table;
  const [counted] = await session.rows<{
    total: number;
    before: number;
    known: number;
    same: number;
  }>(
    `select (select count(*) from ${session.incoming}) as total, before, known, same from (
        select count(*) as before from ${recordTable} where entity = $1) as b, (
        select count(*) as known, count(*) filter (where ${isSame(table)}) as same
          from ${session.ofFile()} as i join ${recordTable} as t on t.entity = $1 and t.id = i.id) as k`,
    [entity],
  );
  if (!counted) throw new Error('the counts are missing');
  const { total, before, known, same } = counted;
  const removed = replace ? before - known : 0;
  return {
    summary: { inserted: total - known, updated: known - same, unchanged: same, removed },
    known,
  };
}

/** Writes the changes that {@link countChanges} has counted. A record that stays the same is not touched. */
async function writeChanges(
  session: ImportSession,
  table: ImportTarget,
  { summary, known }: Changes,
): Promise<void> {
  const { table: name, entity, updatedAt } = table;
  if (summary.removed > 0) {
    const isGone = `entity = $1 and not exists (select 1 from ${session.ofFile('id')} as i where i.id = t.id)`;
    await rememberRemoved(session, table, isGone);
    await session.rows(`delete from ${name} as t where ${isGone}`, [entity]);
  }
  if (summary.inserted + summary.updated === 0) return;
  await session.rows(known === 0 ? insertSql(session, table) : upsertSql(session, table), [
    entity,
    updatedAt,
  ]);
}

/** Inserts in the order of ids, as most indexes have it. */
function insertSql(
  session: ImportSession,
  { resource, table, columns }: ImportTarget,
  condition = '',
): string {
  const quotedColumns = columns.map((column) => `"${column}"`);
  const keptColumns = keptLists(resource);
  const columnValues = columns.map((column) =>
    keptColumns.includes(column) ? `coalesce("${column}", '[]')` : `"${column}"`,
  );
  return `insert into ${table} (entity, ${quotedColumns.join(', ')}, updated_at)
    select $1, ${columnValues.join(', ')}, $2 from ${session.ofFile()} as i ${condition} order by i.id`;
}

function upsertSql(session: ImportSession, table: ImportTarget): string {
  const updateList = [...ownColumnsOf(table), 'updated_at']
    .map((column) => `"${column}" = excluded."${column}"`)
    .join(', ');
  const isChanged = `where not exists (
    select 1 from ${table.table} as t where t.entity = $1 and t.id = i.id and ${isSame(table)})`;
  return `${insertSql(session, table, isChanged)} on conflict (entity, id) do update set ${updateList}`;
}

/** SQL that compares a record `t` with a row `i`: `updated_at` changes only with another field. */
function isSame(table: ImportTarget): string {
  const ownColumns = ownColumnsOf(table);
  const columnsOf = (alias: string) => {
    const columns = ownColumns.map((column) => `${alias}."${column}"`);
    return `(${columns.join(', ')})`;
  };
  return `${columnsOf('t')} is not distinct from ${columnsOf('i')}`;
}

function ownColumnsOf({ columns }: ImportTarget): string[] {
  return columns.filter((column) => column !== 'id');
}

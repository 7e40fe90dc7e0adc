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
    ? { inserted: await session.fill(table, request.rows), updated: 0, unchanged: 0, removed: 0 }
    : await merge(session, table, request);
  const { inserted, updated, removed } = summary;
  if (corrects || (!dryRun && inserted + updated + removed > 0))
    await recordChange(session, table, inserted, nowUs);
  return summary;
}

/** The first records of an entity need no comparison with others, except sensors, whose codes are unique. A dry run changes no table. */
async function isFill(
  session: ImportSession,
  { resource, table, entity }: ImportTarget,
  dryRun: boolean,
) {
  if (dryRun || Object.values(resource.fields).some(({ unique }) => unique)) return false;
  return (
    (await session.rows(`select 1 from ${table} where entity = $1 limit 1`, [entity])).length === 0
  );
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
  for (const list of keptLists(resource)) {
    const keep = `update ${session.incoming} as i set "${list}" = t."${list}" from ${table} as t
      where i."${list}" is null and t.entity = $1 and t.id = i.id`;
    await session.rows(keep, [entity]);
  }
}

/** Counts what an import changes, without changing it: the rows of the file are compared with the records of the entity. */
async function countChanges(session: ImportSession, table: ImportTarget): Promise<Changes> {
  const { table: name, entity, replace } = table;
  const [counts] = await session.rows<{
    total: number;
    before: number;
    known: number;
    same: number;
  }>(
    `select (select count(*) from ${session.incoming}) as total, before, known, same from (
        select count(*) as before from ${name} where entity = $1) as b, (
        select count(*) as known, count(*) filter (where ${isSame(table)}) as same
          from ${session.ofFile()} as i join ${name} as t on t.entity = $1 and t.id = i.id) as k`,
    [entity],
  );
  if (!counts) throw new Error('the counts are missing');
  const { total, before, known, same } = counts;
  const removed = replace ? before - known : 0;
  return {
    summary: { inserted: total - known, updated: known - same, unchanged: same, removed },
    known,
  };
}

/** Writes what {@link countChanges} has found. A record that stays as it is is not touched. */
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

/** In the order of ids, which is that of most indexes: rows without order take a quarter longer. */
function insertSql(
  session: ImportSession,
  { resource, table, columns }: ImportTarget,
  condition = '',
): string {
  const names = columns.map((column) => `"${column}"`);
  const keptNames = keptLists(resource);
  const values = columns.map((column) =>
    keptNames.includes(column) ? `coalesce("${column}", '[]')` : `"${column}"`,
  );
  return `insert into ${table} (entity, ${names.join(', ')}, updated_at)
    select $1, ${values.join(', ')}, $2 from ${session.ofFile()} as i ${condition} order by i.id`;
}

function upsertSql(session: ImportSession, table: ImportTarget): string {
  const set = [...ownOf(table), 'updated_at']
    .map((column) => `"${column}" = excluded."${column}"`)
    .join(', ');
  const differs = `where not exists (
    select 1 from ${table.table} as t where t.entity = $1 and t.id = i.id and ${isSame(table)})`;
  return `${insertSql(session, table, differs)} on conflict (entity, id) do update set ${set}`;
}

/** SQL that compares a record `t` with a row `i`: `updated_at` changes only with another field. */
function isSame(table: ImportTarget): string {
  const ownColumns = ownOf(table);
  const columnsOf = (alias: string) =>
    `(${ownColumns.map((column) => `${alias}."${column}"`).join(', ')})`;
  return `${columnsOf('t')} is not distinct from ${columnsOf('i')}`;
}

function ownOf({ columns }: ImportTarget): string[] {
  return columns.filter((column) => column !== 'id');
}

import { keptLists } from '../../../core/fields/fields.ts';
import type { ImportSummary } from '../../../core/port/records.ts';
import type { ImportTable } from '../../records/imports.ts';
import type { Session } from '../connection/session.ts';
import { rememberRemoved } from './changes.ts';
import { incoming, rowsOf, rowsOfFile } from './import-table.ts';

interface Changes {
  summary: ImportSummary;
  known: number;
}

/** Gives rows of the file without a list the one that their record has. */
export async function keepLists(session: Session, { resource, table, entity }: ImportTable): Promise<void> {
  for (const list of keptLists(resource)) {
    const keep = `update ${incoming} as i set "${list}" = t."${list}" from ${table} as t
      where i."${list}" is null and t.entity = $1 and t.id = i.id`;
    await rowsOf(session, keep, [entity]);
  }
}

/** Counts what an import changes, without changing it: the rows of the file are compared with the records of the entity. */
export async function countChanges(session: Session, table: ImportTable): Promise<Changes> {
  const { table: name, entity, replace } = table;
  const [found] = await rowsOf<{ total: number; before: number; known: number; same: number }>(
    session,
    `select (select count(*) from ${incoming}) as total, before, known, same from (
        select count(*) as before from ${name} where entity = $1) as b, (
        select count(*) as known, count(*) filter (where ${isSame(table)}) as same
          from ${rowsOfFile()} as i join ${name} as t on t.entity = $1 and t.id = i.id) as k`,
    [entity],
  );
  if (!found) throw new Error('the counts are missing');
  const { total, before, known, same } = found;
  const removed = replace ? before - known : 0;
  return { summary: { inserted: total - known, updated: known - same, unchanged: same, removed }, known };
}

/** Writes what {@link countChanges} has found. A record that stays as it is is not touched. */
export async function writeChanges(session: Session, table: ImportTable, { summary, known }: Changes): Promise<void> {
  const { table: name, entity, updatedAt } = table;
  if (summary.removed > 0) {
    await rememberRemoved(session, table);
    const remove = `delete from ${name} as t where entity = $1 and not exists (select 1 from ${rowsOfFile('id')} as i where i.id = t.id)`;
    await rowsOf(session, remove, [entity]);
  }
  if (summary.inserted + summary.updated === 0) return;
  await rowsOf(session, known === 0 ? insertSql(table) : upsertSql(table), [entity, updatedAt]);
}

/** In the order of ids, which is that of most indexes: rows without order take a quarter longer. */
function insertSql({ resource, table, columns }: ImportTable, condition = ''): string {
  const names = columns.map((column) => `"${column}"`);
  const kept = keptLists(resource);
  const values = columns.map((column) => (kept.includes(column) ? `coalesce("${column}", '[]')` : `"${column}"`));
  return `insert into ${table} (entity, ${names.join(', ')}, updated_at)
    select $1, ${values.join(', ')}, $2 from ${rowsOfFile()} as i ${condition} order by i.id`;
}

function upsertSql(table: ImportTable): string {
  const set = [...ownOf(table), 'updated_at'].map((column) => `"${column}" = excluded."${column}"`).join(', ');
  const differs = `where not exists (
    select from ${table.table} as t where t.entity = $1 and t.id = i.id and ${isSame(table)})`;
  return `${insertSql(table, differs)} on conflict (entity, id) do update set ${set}`;
}

/** SQL that compares a record `t` with a row `i`: `updated_at` changes only with another field. */
function isSame(table: ImportTable): string {
  const own = ownOf(table);
  const of = (alias: string) => `row(${own.map((column) => `${alias}."${column}"`).join(', ')})`;
  return `${of('t')} is not distinct from ${of('i')}`;
}

function ownOf({ columns }: ImportTable): string[] {
  return columns.filter((column) => column !== 'id');
}

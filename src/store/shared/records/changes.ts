import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { RecordChanges, RemovedPage, RemovedPageRequest } from '../../../core/port/records.ts';
import { forgettableInstant } from '../../../core/records/changes.ts';
import { tableName } from '../../tables/record-names.ts';
import type { ImportSession, ImportTarget } from './import-session.ts';
import type { PageDialect } from './pages.ts';

type Rows = ImportSession['rows'];
type ChangesDialect = Pick<PageDialect, 'entity' | 'firstChange'>;

export async function readChanges(
  runQuery: Rows,
  { entity: entityNumber, firstChange }: ChangesDialect,
  resource: ResourceDefinition,
  entity: unknown,
): Promise<RecordChanges> {
  const [changes] = await runQuery<RecordChanges>(
    `select coalesce((select epoch from record_epoch), '') as timeline,
        coalesce(max(changed_at), ${firstChange(tableName(resource))}) as "changedAt",
        coalesce(max(forgotten_to), '') as "forgottenTo"
      from record_changes where entity = ${entityNumber} and resource = $2`,
    [entity, resource.name],
  );
  return changes ?? { timeline: '', changedAt: '', forgottenTo: '' };
}

/** Reads a page of removed records, and one more, which shows whether there are more. */
export async function readRemoved(
  runQuery: Rows,
  { entity: entityNumber }: ChangesDialect,
  { resource, after, to, limit }: RemovedPageRequest,
  entity: unknown,
): Promise<RemovedPage> {
  const removedRows = await runQuery<{ id: string; value: string }>(
    `select id, removed_at as value from removed_records where entity = ${entityNumber} and resource = $2
        and (removed_at, id) > ($3, $4) and removed_at <= $5
      order by removed_at, id limit $6`,
    [entity, resource.name, after.value, after.id, to, limit + 1],
  );

  const pageRows = removedRows.slice(0, limit);
  const isMore = removedRows.length > limit;
  return {
    ids: pageRows.map(({ id }) => id),
    next: isMore ? (pageRows.at(-1) ?? after) : null,
  };
}

/** Keeps the ids of the records `t` that an import is about to remove; `isGone` finds those of the entity `$1`. */
export async function rememberRemoved(
  { rows }: ImportSession,
  { resource, table, entity, updatedAt }: ImportTarget,
  isGone: string,
): Promise<void> {
  await rows(
    `insert into removed_records (entity, resource, id, removed_at) select entity, $2, id, $3 from ${table} as t
      where ${isGone} on conflict (entity, resource, id) do update set removed_at = excluded.removed_at`,
    [entity, resource.name, updatedAt],
  );
}

/**
 * Gives the instant of an import to records that are dated after it, and ends all sync tokens. A token of a clock that was
 * ahead would be valid again later, and miss changes.
 */
export async function correctDates(
  { rows, beginTimeline }: ImportSession,
  { resource, table, entity, updatedAt }: ImportTarget,
): Promise<void> {
  await rows(`update ${table} set updated_at = $2 where entity = $1 and updated_at > $2`, [
    entity,
    updatedAt,
  ]);
  const dates = { removed_records: 'removed_at', record_changes: 'forgotten_to' };
  for (const [datedTable, dateColumn] of Object.entries(dates)) {
    const correctTable = `update ${datedTable} set ${dateColumn} = $2 where entity = $1 and resource = $3 and ${dateColumn} > $2`;
    await rows(correctTable, [entity, updatedAt, resource.name]);
  }
  await beginTimeline();
}

/** Keeps the instant of an import that has changed something; a record that came back is no longer removed. */
export async function recordChange(
  { rows }: ImportSession,
  { resource, table, entity, updatedAt }: ImportTarget,
  inserted: number,
  nowUs: number,
): Promise<void> {
  const { name } = resource;
  const fromRemoved = 'from removed_records as r where r.entity = $1 and r.resource = $2';
  const isBack = `exists (select 1 from ${table} as t where t.entity = r.entity and t.id = r.id)`;
  if (inserted > 0) {
    await rows(`delete ${fromRemoved} and ${isBack}`, [entity, name]);
  }

  const forgetTo = forgettableInstant(nowUs);
  const fromForgotten = `${fromRemoved} and removed_at <= $3`;
  const [forgotten] = await rows<{ last: string | null }>(
    `select max(removed_at) as last ${fromForgotten}`,
    [entity, name, forgetTo],
  );
  const forgottenTo = forgotten?.last ?? '';
  if (forgottenTo !== '') {
    await rows(`delete ${fromForgotten}`, [entity, name, forgetTo]);
  }

  const isLater = 'excluded.forgotten_to > c.forgotten_to';
  await rows(
    `insert into record_changes as c (entity, resource, changed_at, forgotten_to) values ($1, $2, $3, $4)
      on conflict (entity, resource) do update set changed_at = excluded.changed_at,
        forgotten_to = case when ${isLater} then excluded.forgotten_to else c.forgotten_to end`,
    [entity, name, updatedAt, forgottenTo],
  );
}

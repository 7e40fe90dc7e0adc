import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { RecordChanges, RemovedPage, RemovedPageRequest } from '../../../core/port/records.ts';
import { forgettableInstant } from '../../../core/records/changes.ts';
import { tableName } from '../../tables/record-names.ts';
import type { ImportSession, ImportTarget } from './import-session.ts';
import type { PageDialect } from './pages.ts';

type Rows = ImportSession['rows'];
type ChangesDialect = Pick<PageDialect, 'entity' | 'firstChange'>;

export async function readChanges(
  rows: Rows,
  { entity: number, firstChange }: ChangesDialect,
  resource: ResourceDefinition,
  entity: unknown,
): Promise<RecordChanges> {
  const [changes] = await rows<RecordChanges>(
    `select coalesce((select epoch from record_epoch), '') as epoch,
        coalesce(max(changed_at), ${firstChange(tableName(resource))}) as "changedAt",
        coalesce(max(forgotten_to), '') as "forgottenTo"
      from record_changes where entity = ${number} and resource = $2`,
    [entity, resource.name],
  );
  return changes ?? { epoch: '', changedAt: '', forgottenTo: '' };
}

/** Reads a page of removed records, and one more, which shows whether there are more. */
export async function readRemoved(
  rows: Rows,
  { entity: number }: ChangesDialect,
  { resource, after, to, limit }: RemovedPageRequest,
  entity: unknown,
): Promise<RemovedPage> {
  const removedRows = await rows<{ id: string; value: string }>(
    `select id, removed_at as value from removed_records where entity = ${number} and resource = $2
      and (removed_at, id) > ($3, $4) and removed_at <= $5 order by removed_at, id limit $6`,
    [entity, resource.name, after.value, after.id, to, limit + 1],
  );
  const asked = removedRows.slice(0, limit);
  return {
    ids: asked.map(({ id }) => id),
    next: removedRows.length > limit ? (asked.at(-1) ?? after) : null,
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
 * Gives the instant of an import to what is dated after it, and ends all sync tokens: one of a clock that was ahead would be
 * valid again once the clock gets there, and miss what changed.
 */
export async function correctDates(
  { rows, drawEpoch }: ImportSession,
  { resource: { name }, table, entity, updatedAt }: ImportTarget,
): Promise<void> {
  await rows(`update ${table} set updated_at = $2 where entity = $1 and updated_at > $2`, [
    entity,
    updatedAt,
  ]);
  const dates = { removed_records: 'removed_at', record_changes: 'forgotten_to' };
  for (const [table, date] of Object.entries(dates)) {
    const correct = `update ${table} set ${date} = $2 where entity = $1 and resource = $3 and ${date} > $2`;
    await rows(correct, [entity, updatedAt, name]);
  }
  await drawEpoch();
}

/** Keeps the instant of an import that has changed something; what came back is no longer removed. */
export async function recordChange(
  { rows }: ImportSession,
  { resource: { name }, table, entity, updatedAt }: ImportTarget,
  inserted: number,
  nowUs: number,
): Promise<void> {
  const removed = 'from removed_records as r where r.entity = $1 and r.resource = $2';
  const back = `exists (select 1 from ${table} as t where t.entity = r.entity and t.id = r.id)`;
  if (inserted > 0) await rows(`delete ${removed} and ${back}`, [entity, name]);
  const to = forgettableInstant(nowUs);
  const old = `${removed} and removed_at <= $3`;
  const [forgotten] = await rows<{ last: string | null }>(`select max(removed_at) as last ${old}`, [
    entity,
    name,
    to,
  ]);
  const forgottenTo = forgotten?.last ?? '';
  if (forgottenTo !== '') await rows(`delete ${old}`, [entity, name, to]);
  const later = 'excluded.forgotten_to > c.forgotten_to';
  await rows(
    `insert into record_changes as c (entity, resource, changed_at, forgotten_to) values ($1, $2, $3, $4)
      on conflict (entity, resource) do update set changed_at = excluded.changed_at,
        forgotten_to = case when ${later} then excluded.forgotten_to else c.forgotten_to end`,
    [entity, name, updatedAt, forgottenTo],
  );
}

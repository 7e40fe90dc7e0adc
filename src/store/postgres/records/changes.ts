import { randomBytes } from 'node:crypto';
import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { RecordChanges, RemovedPage, RemovedPageRequest } from '../../../core/port/records.ts';
import { forgettableInstant } from '../../../core/records/changes.ts';
import type { ImportTable } from '../../records/imports.ts';
import { toRemovedPage } from '../../records/pages.ts';
import type { Lane } from '../connection/lane.ts';
import type { Session } from '../connection/session.ts';
import { rowsOf, rowsOfFile } from './import-table.ts';

const changesSql = `select coalesce((select epoch from record_epoch), '') as epoch,
    coalesce(max(changed_at), '') as "changedAt", coalesce(max(forgotten_to), '') as "forgottenTo"
  from record_changes where entity = $1 and resource = $2`;

/** Reads how far the changes of a resource of an entity have come; the entity's number is null if it has no records yet. */
export async function readChanges(
  lane: Lane,
  resource: ResourceDefinition,
  entity: number | null,
): Promise<RecordChanges> {
  const [changes] = await lane.query<RecordChanges>(changesSql, [entity, resource.name]);
  return changes ?? { epoch: '', changedAt: '', forgottenTo: '' };
}

const removedSql = `select id, removed_at as value from removed_records
  where entity = $1 and resource = $2 and (removed_at, id) > ($3, $4) and removed_at <= $5 order by removed_at, id limit $6`;

/** Reads the instant of the last change inside the transaction of an import, which holds the lock of the resource. */
export async function readChangedAt(session: Session, resource: ResourceDefinition, entity: number): Promise<string> {
  const [changes] = await rowsOf<RecordChanges>(session, changesSql, [entity, resource.name]);
  return changes?.changedAt ?? '';
}

export async function readRemoved(lane: Lane, request: RemovedPageRequest, entity: number): Promise<RemovedPage> {
  const { resource, after, to, limit } = request;
  const values = [entity, resource.name, after.value, after.id, to, limit + 1];
  return toRemovedPage(await lane.query<{ id: string; value: string }>(removedSql, values), request);
}

/** Keeps the ids of the records that an import is about to remove: those that are not in the file. */
export async function rememberRemoved(
  session: Session,
  { resource, table, entity, updatedAt }: ImportTable,
): Promise<void> {
  await rowsOf(
    session,
    `insert into removed_records (entity, resource, id, removed_at) select entity, $2, id, $3 from ${table} as t
        where entity = $1 and not exists (select 1 from ${rowsOfFile('id')} as i where i.id = t.id)
      on conflict (entity, resource, id) do update set removed_at = excluded.removed_at`,
    [entity, resource.name, updatedAt],
  );
}

/**
 * Gives the instant of an import to what is dated after it, and ends all sync tokens: one of the clock that was ahead would be
 * valid again as soon as the clock comes to its instant, and know nothing of the changes up to there.
 */
export async function correctDates(
  session: Session,
  { resource: { name }, table, entity, updatedAt }: ImportTable,
): Promise<void> {
  const records = `update ${table} set updated_at = $2 where entity = $1 and updated_at > $2`;
  await rowsOf(session, records, [entity, updatedAt]);
  const own = 'where entity = $1 and resource = $3';
  const removals = `update removed_records set removed_at = least(removed_at, $2) ${own}`;
  await rowsOf(session, removals, [entity, updatedAt, name]);
  const changes = `update record_changes set forgotten_to = least(forgotten_to, $2) ${own}`;
  await rowsOf(session, changes, [entity, updatedAt, name]);
  await rowsOf(session, "select pg_advisory_xact_lock(hashtext('record_epoch'))");
  await rowsOf(session, 'delete from record_epoch');
  await rowsOf(session, 'insert into record_epoch (epoch) values ($1)', [randomBytes(6).toString('hex')]);
}

/** Keeps the instant of an import that has changed something; what came back is no longer removed. */
export async function recordChange(
  session: Session,
  { resource: { name }, table, entity, updatedAt }: ImportTable,
  inserted: number,
  nowUs: number,
): Promise<void> {
  if (inserted > 0) {
    const back = `${removedOf} and exists (select from ${table} as t where t.entity = r.entity and t.id = r.id)`;
    await rowsOf(session, back, [entity, name]);
  }
  const to = forgettableInstant(nowUs);
  const forgotten = await rowsOf(
    session,
    `with gone as (${removedOf} and removed_at <= $3 returning 1) select 1 from gone limit 1`,
    [entity, name, to],
  );
  await rowsOf(
    session,
    `insert into record_changes as c (entity, resource, changed_at, forgotten_to) values ($1, $2, $3, $4)
      on conflict (entity, resource) do update
        set changed_at = excluded.changed_at, forgotten_to = greatest(c.forgotten_to, excluded.forgotten_to)`,
    [entity, name, updatedAt, forgotten.length > 0 ? to : ''],
  );
}

const removedOf = 'delete from removed_records as r where r.entity = $1 and r.resource = $2';

import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import { createKept, lazily } from '../../../core/lazily.ts';
import type { RecordChanges, RemovedPage, RemovedPageRequest } from '../../../core/port/records.ts';
import { forgettableInstant } from '../../../core/records/changes.ts';
import { toRemovedPage } from '../../records/pages.ts';
import { tableName } from '../../records/tables.ts';
import type { Connection, Statement } from '../../sqlite-database/driver.ts';
import type { OpenTable } from './import-target.ts';
import { entityNumber } from './tables.ts';

/** Reads how far changes have come, and what was removed; each statement is prepared once. */
export function createChangesReader(connection: () => Connection) {
  const statementOf = createKept<Statement<RecordChanges>>();
  const removedStatement = lazily(() => connection().prepare<unknown[], { id: string; value: string }>(removedSql));
  return {
    changes: (resource: ResourceDefinition, entityId: string): RecordChanges =>
      statementOf(resource.name, () => connection().prepare(changesSql(resource))).get(entityId, resource.name) ?? {
        epoch: '',
        changedAt: '',
        forgottenTo: '',
      },
    removed: (request: RemovedPageRequest): RemovedPage => {
      const { resource, entityId, after, to, limit } = request;
      const rows = removedStatement().all(entityId, resource.name, after.value, after.id, to, limit + 1);
      return toRemovedPage(rows, request);
    },
  };
}

/**
 * Before the first import into a store that was migrated, the index of the records shows the last change: nothing can have
 * been removed since.
 */
function changesSql(resource: ResourceDefinition): string {
  const table = tableName(resource);
  return `with own(number) as (select ${entityNumber})
    select coalesce((select epoch from record_epoch), '') as epoch,
      coalesce(changed_at, (select updated_at from ${table} where entity = number order by updated_at desc limit 1), '')
        as changedAt,
      coalesce(forgotten_to, '') as forgottenTo
    from own left join record_changes on entity = number and resource = ?`;
}

const removedSql = `select id, removed_at as value from removed_records
  where entity = ${entityNumber} and resource = ? and (removed_at, id) > (?, ?) and removed_at <= ?
  order by removed_at, id limit ?`;

/** Keeps the ids of all records that an import is about to remove: those it has not seen. */
export function rememberRemoved({ connection, resource, table, entity, updatedAt }: OpenTable, isGone: string): void {
  connection
    .prepare<unknown[]>(
      `insert or replace into removed_records (entity, resource, id, removed_at)
         select entity, ?, id, ? from ${table} where entity = ? and ${isGone}`,
    )
    .run(resource.name, updatedAt, entity);
}

/**
 * Gives the instant of an import to what is dated after it, and ends all sync tokens: one of the clock that was ahead would be
 * valid again as soon as the clock comes to its instant, and know nothing of the changes up to there.
 */
export function correctDates({ connection, resource: { name }, table, entity, updatedAt }: OpenTable): void {
  const change = (sql: string, ...values: unknown[]) => connection.prepare<unknown[]>(sql).run(...values);
  change(`update ${table} set updated_at = ? where entity = ? and updated_at > ?`, updatedAt, entity, updatedAt);
  const own = 'entity = ? and resource = ?';
  change(`update removed_records set removed_at = min(removed_at, ?) where ${own}`, updatedAt, entity, name);
  change(`update record_changes set forgotten_to = min(forgotten_to, ?) where ${own}`, updatedAt, entity, name);
  drawEpoch(connection);
}

/** Keeps the instant of an import that has changed something; what came back is no longer removed. */
export function recordChange(
  { connection, resource: { name }, table, entity, updatedAt }: OpenTable,
  inserted: number,
  nowUs: number,
): void {
  if (inserted > 0) {
    const back = `exists (select 1 from ${table} where entity = removed_records.entity and id = removed_records.id)`;
    connection.prepare<unknown[]>(`${removedOf} and ${back}`).run(entity, name);
  }
  const to = forgettableInstant(nowUs);
  const isForgotten =
    connection.prepare<unknown[]>(`${removedOf} and removed_at <= ?`).run(entity, name, to).changes > 0;
  connection
    .prepare<unknown[]>(
      `insert into record_changes (entity, resource, changed_at, forgotten_to) values (?, ?, ?, ?)
         on conflict do update set changed_at = excluded.changed_at, forgotten_to = max(forgotten_to, excluded.forgotten_to)`,
    )
    .run(entity, name, updatedAt, isForgotten ? to : '');
}

const removedOf = 'delete from removed_records where entity = ? and resource = ?';

/** Ends the sync tokens that were issued up to now. */
export function drawEpoch(connection: Connection): void {
  connection.exec('delete from record_epoch; insert into record_epoch (epoch) values (lower(hex(randomblob(6))))');
}

import type { AuditDraft } from '../../core/audit.ts';
import { type Field, importFields, type ResourceDefinition } from '../../core/fields.ts';
import { ViolationList } from '../../core/imports.ts';
import { formatInstantUs } from '../../core/instants.ts';
import type { ImportRequest, ImportRow, ImportSummary } from '../../core/store.ts';
import type { Connection, Statement } from './driver.ts';
import { translating } from './errors.ts';
import { putInOutbox } from './outbox.ts';
import { tableName } from './records-tables.ts';

/**
 * Imports records in one transaction on a connection of its own: readers keep the old set until the commit. What a row
 * shares with another is found by the database, so that memory stays the same however long the file is. Gives the
 * audit event to be appended where nothing was committed that could hold it (a dry run).
 */
export async function importRecords(
  connection: Connection,
  path: string,
  request: ImportRequest,
): Promise<{ summary: ImportSummary; unsettled: AuditDraft | undefined }> {
  const run = <T>(work: () => T): T => translating(path, work);
  run(() => connection.exec('begin immediate'));
  try {
    const target = run(() => prepareTarget(connection, request));
    for await (const batch of request.rows) run(() => target.put(batch));
    const summary = run(() => target.finish());
    const audit = request.audit(summary);
    if (!request.dryRun) run(() => putInOutbox(connection, audit));
    run(() => connection.exec(request.dryRun ? 'rollback' : 'commit'));
    return { summary, unsettled: request.dryRun ? audit : undefined };
  } catch (thrown) {
    if (connection.inTransaction) connection.exec('rollback');
    throw thrown;
  }
}

interface Target {
  put(batch: readonly ImportRow[]): void;
  /** Judges what can only be seen at the end, removes what the file lacks, and counts. */
  finish(): ImportSummary;
}

function prepareTarget(connection: Connection, request: ImportRequest): Target {
  const { resource, entityId, replace } = request;
  const fields = Object.entries(importFields(resource));
  const table = tableName(resource);
  const updatedAt = formatInstantUs(request.nowUs);
  // WITHOUT ROWID also keeps last_insert_rowid() for the records alone, by which an insert is told from an update.
  connection.exec('create temp table seen (id text primary key, line integer) without rowid');
  const see = connection.prepare<[string, number | null]>('insert or ignore into temp.seen (id, line) values (?, ?)');
  const upsert = connection.prepare<unknown[]>(
    upsertSql(
      table,
      fields.map(([name]) => name),
    ),
  );
  const kinds = fields.map(([, field]) => field.kind);
  const violations = new ViolationList();
  const summary: ImportSummary = { inserted: 0, updated: 0, unchanged: 0, removed: 0 };
  const values: unknown[] = new Array(fields.length + 2);
  let lastRowid = connection.prepare<[], number>('select last_insert_rowid()').pluck().get() ?? 0;

  const putRow = ({ line, id, values: given }: ImportRow) => {
    if (see.run(id, line).changes === 0) {
      violations.add({ line, column: null, field: 'id', value: id, rule: repeatedRule(connection, id) });
      return;
    }
    values[0] = entityId;
    for (let i = 0; i < kinds.length; i++) values[i + 1] = toColumnValue(given[i], kinds[i]);
    values[fields.length + 1] = updatedAt;
    const { changes, lastInsertRowid } = upsert.run(values);
    if (changes === 0) summary.unchanged++;
    else if (lastInsertRowid === lastRowid) summary.updated++;
    else summary.inserted++;
    lastRowid = Number(lastInsertRowid);
  };

  return {
    put(batch) {
      for (const row of batch) putRow(row);
    },
    finish() {
      if (replace) {
        const remove = `delete from ${table} where entity_id = ? and id not in (select id from temp.seen)`;
        summary.removed = connection.prepare(remove).run(entityId).changes;
      }
      findShared(connection, resource, entityId, violations);
      connection.exec('drop table temp.seen');
      violations.refuse();
      return summary;
    },
  };
}

/** Inserts, or updates where any field differs: `updated_at` moves only with a change. */
function upsertSql(table: string, names: readonly string[]): string {
  const columns = ['entity_id', ...names, 'updated_at'].map((name) => `"${name}"`);
  const own = names.filter((name) => name !== 'id');
  const mine = own.map((name) => `${table}."${name}"`).join(', ');
  const given = own.map((name) => `excluded."${name}"`).join(', ');
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})
    on conflict (entity_id, id) do update set ${[...own, 'updated_at'].map((name) => `"${name}" = excluded."${name}"`).join(', ')}
    where (${mine}) is not (${given})`;
}

function toColumnValue(value: unknown, kind: Field['kind'] | undefined): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (kind === 'list') return JSON.stringify(value ?? []);
  return value;
}

function repeatedRule(connection: Connection, id: string): string {
  const line = lineOf(connection).get(id);
  return `stands already${line === null || line === undefined ? '' : ` in line ${line}`}; an id may stand once in a file`;
}

function lineOf(connection: Connection): Statement<number | null> {
  const statement = connection.prepare<unknown[], number | null>('select line from temp.seen where id = ?').pluck();
  return statement as Statement<number | null>; // pluck gives the only column
}

/** Finds records that share a value of a field that is unique; in the index of that field, which lies in its order. */
function findShared(
  connection: Connection,
  resource: ResourceDefinition,
  entityId: string,
  violations: ViolationList,
): void {
  const table = tableName(resource);
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!field.unique) continue;
    const shared = connection.prepare<[string], { value: string; ids: string }>(
      `select "${name}" as value, json_group_array(id) as ids from ${table}
       where entity_id = ? and "${name}" is not null group by "${name}" having count(*) > 1`,
    );
    const line = lineOf(connection);
    for (const { value, ids } of shared.all(entityId)) {
      const holders: string[] = JSON.parse(ids);
      const last = holders.at(-1) ?? '';
      const rule = `must be unique, and ${holders.map((id) => `"${id}"`).join(' and ')} share it`;
      violations.add({ line: line.get(last) ?? null, column: null, field: name, value: String(value), rule });
    }
  }
}

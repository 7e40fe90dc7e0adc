import { importFields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import { type ImportBatch, type ImportColumn, valueAt } from '../../../core/fields/import-batch.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import { textOfAny } from '../../../core/text/shown-text.ts';
import { readChanges } from '../../shared/records/changes.ts';
import { repeatedRule } from '../../shared/records/import-checks.ts';
import type { ImportSession, ImportTarget } from '../../shared/records/import-session.ts';
import { importInto } from '../../shared/records/imports.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import { translating } from '../../sqlite-file/errors.ts';
import { dropIndexes } from '../../sqlite-file/schema/schema-objects.ts';
import { createInserter } from './inserter.ts';
import { putInOutbox } from './outbox.ts';
import { entityNumber, pageDialect } from './pages.ts';
import { createTextQuery } from './text-query.ts';

/** 128 MiB of pages, enough for half a million records: others are written to the log, and read again when they get rows. */
const cachePragma = 'cache_size = -131072';

/** Number of rows whose line is remembered, to report it if their id repeats; bounds the memory. */
const rememberedRows = 100_000;

/**
 * Imports records in one transaction on a connection of its own: readers see the old set until the commit. The database
 * finds repeated values, so that memory does not grow with the file. Returns in `unfinished` the audit event of a dry run,
 * which commits nothing that could hold it.
 */
export async function writeImport(
  connection: Connection,
  path: string,
  request: ImportRequest,
  requireSchema: () => void,
): Promise<{ summary: ImportSummary; unfinished: AuditDraft | undefined }> {
  const run = <T>(work: () => T): T => translating(path, work);
  run(() => connection.pragma(cachePragma));
  run(() => connection.exec('begin immediate'));
  try {
    // Indexes may be dropped and created again from the SQL in the schema; the write lock keeps it unchanged until the commit.
    requireSchema();
    const { resource, entityId, dryRun } = request;
    const entity = run(() => numberOf(connection, entityId));
    const session = sessionOf(connection, run);
    const { changedAt } = await readChanges(session.rows, pageDialect, resource, entityId);
    const summary = await importInto(session, request, entity, changedAt);
    const audit = request.audit(summary);
    if (!dryRun) run(() => putInOutbox(connection, audit));
    run(() => connection.exec(dryRun ? 'rollback' : 'commit'));
    // The log holds all that was written, and a daemon would keep its file at that size for as long as it runs. If a
    // reader is in the way, the pragma returns a row that says so and throws nothing.
    if (!dryRun) run(() => connection.pragma('wal_checkpoint(truncate)'));
    return { summary, unfinished: dryRun ? audit : undefined };
  } catch (thrown) {
    if (connection.inTransaction) connection.exec('rollback');
    throw thrown;
  }
}

function numberOf(connection: Connection, entityId: string): number {
  connection.prepare('insert or ignore into record_entities (entity_id) values (?)').run(entityId);
  const number = connection
    .prepare<[string], number>(`select ${entityNumber}`)
    .pluck()
    .get(entityId);
  if (number === undefined) throw new Error('the entity has no number');
  return number;
}

function sessionOf(connection: Connection, run: <T>(work: () => T) => T): ImportSession {
  const query = createTextQuery(connection, run);
  return {
    incoming: 'temp.incoming',
    ofFile: () => 'temp.incoming',
    rows: (text, values) => query(text, values),
    drawEpoch: () => run(() => drawEpoch(connection)),
    async stage({ resource, columns }, rows) {
      const names = columns.map((name) => `"${name}"`).join(', ');
      run(() =>
        connection.exec(
          `create temp table incoming (n integer primary key, line integer, ${names})`,
        ),
      );
      const insert = createInserter(connection, 'temp.incoming', ['line', ...columns]);
      const put = ({ lines, columns }: ImportBatch) =>
        insert([lines, ...toStored(columns, resource, null)], lines.length, () => {});
      for await (const batch of rows) run(() => put(batch));
      run(() => connection.exec('create index temp.incoming_by_id on incoming (id)'));
    },
    fill: (table, rows) => fill(connection, run, table, rows),
  };
}

/** In an empty table the indexes are created at the end, by sorting, which takes half as long. */
async function fill(
  connection: Connection,
  run: <T>(work: () => T) => T,
  { resource, table, entity, columns, updatedAt }: ImportTarget,
  batches: ImportRequest['rows'],
): Promise<number> {
  const insert = createInserter(connection, table, ['entity', ...columns, 'updated_at']);
  const violations = new ViolationList();
  const firstLines = createFirstLines();
  const wasEmpty = connection.prepare(`select 1 from ${table} limit 1`).get() === undefined;
  let indexes: readonly string[] = [];
  let inserted = 0;
  const put = ({ lines, columns: [ids = [], ...others] }: ImportBatch) => {
    // For a file of one batch, dropping the indexes would cost more than it saves.
    if (wasEmpty && inserted > 0 && indexes.length === 0) indexes = dropIndexes(connection, table);
    firstLines.remember(ids, lines);
    // Each row binds its own id: a batch whose rows are all equal would be one row.
    const ownIds = ids.length === lines.length ? ids : lines.map(() => ids[0]);
    insert(
      [[entity], ...toStored([ownIds, ...others], resource, '[]'), [updatedAt]],
      lines.length,
      (row) => {
        const id = valueAt(ids, row);
        const rule = repeatedRule(firstLines.of(id));
        violations.add({
          line: lines[row] ?? null,
          column: null,
          field: 'id',
          value: textOfAny(id),
          rule,
        });
      },
    );
    inserted += lines.length;
  };
  for await (const batch of batches) run(() => put(batch));
  violations.refuse();
  for (const sql of indexes) run(() => connection.exec(sql));
  return inserted;
}

/** The first line of each id. The map is built once an id repeats, which is rare: it costs 4 % of an import. */
function createFirstLines() {
  const waiting: { ids: ImportColumn; lines: readonly number[] }[] = [];
  const linesById = new Map<unknown, number>();
  let rows = 0;
  return {
    remember(ids: ImportColumn, lines: readonly number[]): void {
      if (rows < rememberedRows) waiting.push({ ids, lines });
      rows += lines.length;
    },
    of(id: unknown): number | undefined {
      for (const { ids, lines } of waiting.splice(0)) {
        for (const [row, line] of lines.entries()) {
          if (!linesById.has(valueAt(ids, row))) linesById.set(valueAt(ids, row), line);
        }
      }
      return linesById.get(id);
    },
  };
}

/** Columns with values as the tables store them: SQLite has neither booleans nor lists. */
function toStored(
  columns: readonly ImportColumn[],
  resource: ResourceDefinition,
  absentList: string | null,
) {
  const fields = Object.values(importFields(resource));
  return columns.map((column, i): ImportColumn => {
    const kind = fields[i]?.kind;
    if (kind === 'boolean') return column.map((value) => (value === null ? null : Number(value)));
    if (kind !== 'list') return column;
    return column.map((value) => (value === undefined ? absentList : JSON.stringify(value ?? [])));
  });
}

/** Ends the sync tokens that were issued up to now. */
export function drawEpoch(connection: Connection): void {
  connection.exec(
    'delete from record_epoch; insert into record_epoch (epoch) values (lower(hex(randomblob(6))))',
  );
}

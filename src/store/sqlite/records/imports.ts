import { errnoOf } from '../../../core/errors.ts';
import { importFields, type ResourceDefinition } from '../../../core/fields/fields.ts';
import { type ImportBatch, type ImportColumn, valueAt } from '../../../core/fields/import-batch.ts';
import { memoizeBy } from '../../../core/memoize.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import { textOfAny } from '../../../core/text/shown-text.ts';
import { readChanges } from '../../shared/records/changes.ts';
import { repeatedRule } from '../../shared/records/import-checks.ts';
import type { ImportSession, ImportTarget } from '../../shared/records/import-session.ts';
import { importInto } from '../../shared/records/imports.ts';
import type { Connection, Statement } from '../../sqlite-file/driver.ts';
import { translating } from '../../sqlite-file/errors.ts';
import { dropIndexes } from '../../sqlite-file/schema/migrated-schema.ts';
import { putInOutbox } from './outbox.ts';
import { createTextQuery, entityNumber, pageDialect, type RunTranslated } from './pages.ts';

/** 128 MiB of pages, enough for half a million records: others would be written to the log, and be read again when they get rows. */
const cachePragma = 'cache_size = -131072';

/** Number of rows whose line is remembered, to report it if their id repeats; bounds the memory. */
const maxRememberedRows = 100_000;

/**
 * Imports records in one transaction on a connection of its own: readers see the old set until the commit. The database
 * finds repeated values, so that memory does not grow with the file. Returns in `unfinished` the audit event of a dry run,
 * which commits nothing that could hold it.
 */
export async function writeImport(
  connection: Connection,
  storePath: string,
  request: ImportRequest,
  requireSchema: () => void,
): Promise<{ summary: ImportSummary; unfinished: AuditDraft | undefined }> {
  const runTranslated: RunTranslated = (operation) => translating(storePath, operation);
  runTranslated(() => connection.pragma(cachePragma));
  runTranslated(() => connection.exec('begin immediate'));

  try {
    // Indexes may be dropped and created again from the SQL in the schema; the write lock keeps it unchanged until the commit.
    requireSchema();

    const { resource, entityId, dryRun } = request;
    const entity = runTranslated(() => requireEntityNumber(connection, entityId));
    const session = createSession(connection, runTranslated);
    const { changedAt } = await readChanges(session.rows, pageDialect, resource, entityId);
    const summary = await importInto(session, request, entity, changedAt);
    const audit = request.audit(summary);

    if (!dryRun) runTranslated(() => putInOutbox(connection, audit));
    runTranslated(() => connection.exec(dryRun ? 'rollback' : 'commit'));

    // The WAL holds the whole import, and a daemon would keep its file at that size for as long as it runs. If a reader
    // is in the way, the pragma returns a row that reports it and throws nothing.
    if (!dryRun) runTranslated(() => connection.pragma('wal_checkpoint(truncate)'));
    return { summary, unfinished: dryRun ? audit : undefined };
  } catch (thrown) {
    if (connection.inTransaction) connection.exec('rollback');
    throw thrown;
  }
}

function requireEntityNumber(connection: Connection, entityId: string): number {
  connection.prepare('insert or ignore into record_entities (entity_id) values (?)').run(entityId);
  const storedNumber = connection
    .prepare<[string], number>(`select ${entityNumber}`)
    .pluck()
    .get(entityId);
  if (storedNumber === undefined) throw new Error('the entity has no number');
  return storedNumber;
}

function createSession(connection: Connection, runTranslated: RunTranslated): ImportSession {
  const query = createTextQuery(connection, runTranslated);
  return {
    incoming: 'temp.incoming',
    ofFile: () => 'temp.incoming',
    rows: (sql, values) => query(sql, values),
    beginTimeline: () => runTranslated(() => beginTimeline(connection)),
    async stage({ resource, columns }, rows) {
      const quotedColumns = columns.map((name) => `"${name}"`).join(', ');
      const createIncoming = `create temp table incoming (n integer primary key, line integer, ${quotedColumns})`;
      runTranslated(() => connection.exec(createIncoming));

      const insert = createInserter(connection, 'temp.incoming', ['line', ...columns]);
      const stageBatch = ({ lines, columns }: ImportBatch) => {
        const storedColumns = toStoredColumns(columns, resource, null);
        insert([lines, ...storedColumns], lines.length, () => {});
      };
      for await (const batch of rows) runTranslated(() => stageBatch(batch));
      runTranslated(() => connection.exec('create index temp.incoming_by_id on incoming (id)'));
    },
    fill: (table, rows) => fillTable(connection, runTranslated, table, rows),
  };
}

/** In an empty table the indexes are created at the end, by sorting. */
async function fillTable(
  connection: Connection,
  runTranslated: RunTranslated,
  { resource, table, entity, columns, updatedAt }: ImportTarget,
  batches: ImportRequest['rows'],
): Promise<number> {
  const insert = createInserter(connection, table, ['entity', ...columns, 'updated_at']);
  const violations = new ViolationList();
  const firstLinesById = createFirstLines();
  const wasEmpty = connection.prepare(`select 1 from ${table} limit 1`).get() === undefined;
  let droppedIndexes: readonly string[] = [];
  let insertedCount = 0;

  const insertBatch = ({ lines, columns }: ImportBatch) => {
    const [ids = [], ...otherColumns] = columns;
    // A file of one batch keeps the indexes.
    if (wasEmpty && insertedCount > 0 && droppedIndexes.length === 0)
      droppedIndexes = dropIndexes(connection, table);
    firstLinesById.remember(ids, lines);

    // Each row binds its own id: a batch whose rows are all equal would be one row.
    const rowIds = ids.length === lines.length ? ids : lines.map(() => ids[0]);
    const storedColumns = toStoredColumns([rowIds, ...otherColumns], resource, '[]');
    insert([[entity], ...storedColumns, [updatedAt]], lines.length, (rowIndex) => {
      const id = valueAt(ids, rowIndex);
      const rule = repeatedRule(firstLinesById.of(id));
      violations.add({
        line: lines[rowIndex] ?? null,
        column: null,
        field: 'id',
        value: textOfAny(id),
        rule,
      });
    });
    insertedCount += lines.length;
  };

  for await (const batch of batches) {
    runTranslated(() => insertBatch(batch));
  }
  violations.refuse();
  for (const indexSql of droppedIndexes) {
    runTranslated(() => connection.exec(indexSql));
  }
  return insertedCount;
}

interface PendingBatch {
  ids: ImportColumn;
  lines: readonly number[];
}

/** The first line of each id. The map is built once an id repeats, which is rare. */
function createFirstLines() {
  const pendingBatches: PendingBatch[] = [];
  const linesById = new Map<unknown, number>();
  let rowCount = 0;

  return {
    remember(ids: ImportColumn, lines: readonly number[]): void {
      if (rowCount < maxRememberedRows) pendingBatches.push({ ids, lines });
      rowCount += lines.length;
    },
    of(id: unknown): number | undefined {
      for (const { ids, lines } of pendingBatches.splice(0)) {
        for (const [rowIndex, line] of lines.entries()) {
          const rowId = valueAt(ids, rowIndex);
          if (!linesById.has(rowId)) linesById.set(rowId, line);
        }
      }
      return linesById.get(id);
    },
  };
}

/** Columns with values as the tables store them: SQLite has neither booleans nor lists. */
function toStoredColumns(
  columns: readonly ImportColumn[],
  resource: ResourceDefinition,
  absentList: string | null,
) {
  const fields = Object.values(importFields(resource));
  return columns.map((column, columnIndex): ImportColumn => {
    const fieldKind = fields[columnIndex]?.kind;
    if (fieldKind === 'boolean') return column.map(toStoredBoolean);
    if (fieldKind === 'list') return column.map((list) => toStoredList(list, absentList));
    return column;
  });
}

function toStoredBoolean(value: unknown): number | null {
  return value === null ? null : Number(value);
}

function toStoredList(list: unknown, absentList: string | null): string | null {
  return list === undefined ? absentList : JSON.stringify(list ?? []);
}

/** Ends the sync tokens that were issued up to now. */
export function beginTimeline(connection: Connection): void {
  connection.exec(
    'delete from record_epoch; insert into record_epoch (epoch) values (lower(hex(randomblob(6))))',
  );
}

const rowsPerStatement = 32;

/** Number of statements kept prepared; each set of columns with a shared value needs its own. */
const maxKeptStatements = 16;

/** A value that all rows of a batch share is bound once. `onRepeated` receives each row whose key existed already. */
function createInserter(connection: Connection, table: string, columnNames: readonly string[]) {
  const statementFor = memoizeBy<Statement>(maxKeptStatements);
  const changes = connection.prepare<[], number>('select changes()').pluck();
  const prepare = (isShared: readonly boolean[], statementRows: number) =>
    connection.prepare<unknown[]>(insertSql(table, columnNames, isShared, statementRows));

  return (
    columns: readonly ImportColumn[],
    rowCount: number,
    onRepeated: (row: number) => void,
  ): void => {
    const isShared = columns.map(({ length }) => length === 1);
    const sharedValues = columns.flatMap((column) => (column.length === 1 ? column : []));
    const varyingColumns = columns.filter(({ length }) => length > 1);

    for (let firstRow = 0; firstRow < rowCount; firstRow++) {
      const statementRows = rowCount - firstRow < rowsPerStatement ? 1 : rowsPerStatement;
      try {
        const shape = `${statementRows} ${isShared.join()}`;
        const insertion = statementFor(shape, () => prepare(isShared, statementRows));
        insertion.run(...valuesOf(sharedValues, varyingColumns, firstRow, statementRows));
        firstRow += statementRows - 1;
      } catch (thrown) {
        if (errnoOf(thrown) !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw thrown;
        firstRow += changes.get() ?? 0;
        onRepeated(firstRow);
      }
    }
  };
}

/** The shared values, then the rest row by row. */
function valuesOf(
  sharedValues: readonly unknown[],
  varyingColumns: readonly ImportColumn[],
  firstRow: number,
  statementRows: number,
): unknown[] {
  const width = varyingColumns.length;
  const values: unknown[] = new Array(sharedValues.length + statementRows * width);
  let valueIndex = 0;

  for (const value of sharedValues) values[valueIndex++] = value;
  for (let rowIndex = firstRow; rowIndex < firstRow + statementRows; rowIndex++) {
    for (let columnIndex = 0; columnIndex < width; columnIndex++)
      values[valueIndex++] = (varyingColumns[columnIndex] as ImportColumn)[rowIndex]; // columnIndex is within
  }
  return values;
}

/** If a row fails, the rows before it stay (`or fail`). */
function insertSql(
  table: string,
  columnNames: readonly string[],
  isShared: readonly boolean[],
  statementRows: number,
): string {
  let varyingCount = 0;
  const expressions = isShared
    .map((shared) => (shared ? '?' : `column${++varyingCount}`))
    .join(', ');
  const quotedColumns = columnNames.map((name) => `"${name}"`).join(', ');

  const rowPlaceholders = `(${repeated('?', varyingCount)})`;
  const rowValues = repeated(rowPlaceholders, statementRows);
  const valuesClause = varyingCount === 0 ? '' : ` from (values ${rowValues})`;
  return `insert or fail into ${table} (${quotedColumns}) select ${expressions}${valuesClause}`;
}

function repeated(sql: string, count: number): string {
  return new Array(count).fill(sql).join(', ');
}

import { errnoOf } from '../../../core/errno.ts';
import { type ImportColumn, valueAt } from '../../../core/fields/import-batch.ts';
import { repeatedRule } from '../../records/imports.ts';
import type { Statement } from '../../sqlite-database/driver.ts';
import type { ImportTarget, OpenTable } from './import-target.ts';

/** Rows in one statement: the call of a statement costs as much as a row. */
const rowsPerStatement = 32;

/**
 * Imports into an entity without records of the resource: no row can exist already, so that many go into one statement. In
 * an empty table the indexes are created at the end, by sorting, which takes half as long.
 */
export function createFill(target: OpenTable): ImportTarget {
  const { connection, table, violations } = target;
  const statementFor = createStatements(target);
  const changes = connection.prepare<[], number>('select changes()').pluck();
  const lines = new FirstLines();
  const wasEmpty = connection.prepare(`select 1 from ${table} limit 1`).get() === undefined;
  let indexes: readonly string[] = [];
  let batches = 0;
  let inserted = 0;

  /** Inserts rows from a position on; returns the number of rows before the first one whose id existed already. */
  const putSome = (batch: BoundBatch, at: number, count: number): number => {
    let put = count;
    try {
      statementFor(batch.isSame, count).run(...valuesOf(batch, at, count));
    } catch (thrown) {
      if (!isRepeatedId(thrown)) throw thrown;
      put = changes.get() ?? 0;
    }
    inserted += put;
    return put;
  };

  return {
    absentList: '[]',
    put({ lines: ownLines, columns }) {
      // For a file of one batch, dropping the indexes would cost more than it saves.
      if (wasEmpty && batches++ === 1) indexes = dropIndexes(target);
      const batch = toBound(columns);
      const [ids = []] = columns;
      lines.remember(ids, ownLines);
      for (let at = 0; at < ownLines.length; ) {
        const count = ownLines.length - at < rowsPerStatement ? 1 : rowsPerStatement;
        const put = putSome(batch, at, count);
        at += put;
        if (put === count) continue;
        const id = valueAt(ids, at);
        const rule = repeatedRule(lines.of(id));
        violations.add({ line: ownLines[at] ?? null, column: null, field: 'id', value: String(id), rule });
        at++;
      }
    },
    finish() {
      violations.refuse();
      // The rollback of a dry run restores the indexes.
      if (!target.dryRun) for (const sql of indexes) connection.exec(sql);
      return { inserted, updated: 0, unchanged: 0, removed: 0 };
    },
  };
}

/** Number of rows whose line is remembered, to report it if their id repeats; bounds the memory. */
const rememberedRows = 100_000;

/** The first line of each id. The map is built only when a line is requested, which is rare. */
class FirstLines {
  readonly #waiting: { ids: ImportColumn; lines: readonly number[] }[] = [];
  readonly #lines = new Map<unknown, number>();
  #rows = 0;

  remember(ids: ImportColumn, lines: readonly number[]): void {
    if (this.#rows >= rememberedRows) return;
    this.#rows += lines.length;
    this.#waiting.push({ ids, lines });
  }

  of(id: unknown): number | undefined {
    for (const { ids, lines } of this.#waiting.splice(0)) {
      lines.forEach((line, row) => {
        const found = valueAt(ids, row);
        if (!this.#lines.has(found)) this.#lines.set(found, line);
      });
    }
    return this.#lines.get(id);
  }
}

/** The columns of a batch as a statement binds them: a value that all rows share is bound once. */
interface BoundBatch {
  isSame: readonly boolean[];
  same: readonly unknown[];
  varying: readonly ImportColumn[];
}

function toBound(columns: readonly ImportColumn[]): BoundBatch {
  const isSame = columns.map(({ length }) => length === 1);
  const same = columns.filter((_, i) => isSame[i]).map(([value]) => value);
  return { isSame, same, varying: columns.filter((_, i) => !isSame[i]) };
}

/** The shared values, then the rest row by row; as arguments, which the driver binds at half the cost of an array. */
function valuesOf({ same, varying }: BoundBatch, at: number, count: number): unknown[] {
  const width = varying.length;
  const values: unknown[] = new Array(same.length + count * width);
  let next = 0;
  for (const value of same) values[next++] = value;
  for (let row = at; row < at + count; row++) {
    for (let i = 0; i < width; i++) values[next++] = (varying[i] as ImportColumn)[row]; // i is within
  }
  return values;
}

/** Number of statements kept prepared; each set of columns with a shared value needs its own. */
const keptStatements = 16;

/** Returns the statement for a number of rows in which these columns are the same; prepared once. */
function createStatements(target: OpenTable): (isSame: readonly boolean[], count: number) => Statement {
  const known = new Map<string, Statement>();
  return (isSame, count) => {
    const name = `${count} ${isSame.join()}`;
    let statement = known.get(name);
    if (statement === undefined) {
      statement = target.connection.prepare<unknown[]>(insertSql(target, isSame, count));
      if (known.size === keptStatements) known.clear();
      known.set(name, statement);
    }
    return statement;
  };
}

/**
 * Entity and instant are literals in the statement. If a row fails, the rows before it stay (`or fail`): undoing them
 * would cost a journal for each statement.
 */
function insertSql({ table, columns, entity, updatedAt }: OpenTable, isSame: readonly boolean[], rows: number): string {
  const names = columns.map((name) => `"${name}"`).join(', ');
  let varying = 0;
  const given = isSame.map((same) => (same ? '?' : `column${++varying}`)).join(', ');
  const row = `(${new Array(varying).fill('?').join(', ')})`;
  const from = varying === 0 ? '' : ` from (values ${new Array(rows).fill(row).join(', ')})`;
  return `insert or fail into ${table} (entity, ${names}, updated_at) select ${entity}, ${given}, '${updatedAt}'${from}`;
}

/** Drops the indexes of the table within the transaction; returns the statements that create them again. */
function dropIndexes({ connection, table }: OpenTable): string[] {
  const found = connection
    .prepare<[string], { name: string; sql: string }>(
      "select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null",
    )
    .all(table);
  for (const { name } of found) connection.exec(`drop index "${name}"`);
  return found.map(({ sql }) => sql);
}

function isRepeatedId(thrown: unknown): boolean {
  return errnoOf(thrown) === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}
